import { Type } from 'typebox';
import type { ChangeType } from '../../contract/change-types.ts';
import { ANY_MEDIA_TYPE, type Operation, reads, writes } from '../../contract/operation.ts';
import {
  Access,
  File,
  FileChanges,
  FileFilters,
  FileFolder,
  FileFolderChanges,
  FileFolderFilters,
  NewFileFolder,
  NewPermissionGrant,
  PermissionGrant,
} from './schema.ts';
import type { FilesService } from './service.ts';
import { uploadOperations } from './uploads/operations.ts';
import type { Uploads } from './uploads/uploads.ts';

const area = 'Files';

/** The drive: files, file folders, who they are shared with, and uploads, whose declarations are in their chapter. */
export function filesOperations(files: FilesService, uploads: Uploads): Operation[] {
  return [
    ...fileOperations(files),
    ...folderOperations(files),
    ...sharingOperations(files),
    ...uploadOperations(uploads),
  ];
}

const ByFile = Type.Object({
  id: Type.String({ description: 'The file.', examples: ['file_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

function fileOperations(files: FilesService): Operation[] {
  return [...metadata(files), ...trashOfFiles(files), ...content(files)];
}

function metadata(files: FilesService): Operation[] {
  return [
    reads({
      id: 'listFiles',
      area,
      method: 'GET',
      path: '/v1/files',
      summary: 'List files',
      description:
        "Uploaded files, newest first: the caller's own, and those shared with the caller or with a group of theirs. Filters combine by and; an unknown folder lists nothing.",
      permissions: ['files.read', 'docs.documents.read'],
      query: FileFilters,
      paging: { default: 50, cap: 200 },
      answer: Type.Array(File),
      handle: (tx, { principal, query, page }) =>
        files.listFiles(
          tx,
          principal,
          { folderId: query.folder_id, q: query.q ?? '', trashed: query.trashed ?? false },
          page,
        ),
    }),
    reads({
      id: 'getFile',
      area,
      method: 'GET',
      path: '/v1/files/:id',
      summary: 'Get file metadata',
      description: 'The id of a document is that of no file.',
      permissions: ['files.read', 'docs.documents.read'],
      params: ByFile,
      answer: File,
      handle: (tx, { principal, params }) => files.getFile(tx, principal, params.id),
    }),
    writes({
      id: 'updateFile',
      area,
      method: 'PUT',
      path: '/v1/files/:id',
      summary: 'Rename or move a file',
      description:
        'Replaces the fields that are sent; the filename stays. Renaming needs the role editor; only the owner moves a file, into a folder of the owner or, with "", to the root. A file that leaves a folder of the trash is active again.',
      permissions: ['files.write'],
      emits: ['file.changed', 'file.restored'],
      params: ByFile,
      body: FileChanges,
      answer: File,
      errors: ['forbidden', 'folder_trashed'],
      handle: (tx, { principal, params, body }) => files.updateFile(tx, principal, params.id, body),
    }),
  ];
}

function trashOfFiles(files: FilesService): Operation[] {
  return [
    writes({
      id: 'trashFile',
      area,
      method: 'DELETE',
      path: '/v1/files/:id',
      summary: 'Move a file to the trash',
      description:
        'Needs the role editor. Reversible. A file that is in the trash stays as it is. Whom it is shared with still see it there, but only the owner reads its content.',
      permissions: ['files.write'],
      emits: ['file.trashed'],
      params: ByFile,
      status: 204,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => files.trashFile(tx, principal, params.id),
    }),
    writes({
      id: 'restoreFile',
      area,
      method: 'POST',
      path: '/v1/files/:id/restore',
      summary: 'Restore a file from the trash',
      description:
        'Needs the role editor. It comes back to its folder, or to the root where that is in the trash. An active file stays as it is.',
      permissions: ['files.write'],
      emits: ['file.restored'],
      params: ByFile,
      answer: File,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => files.restoreFile(tx, principal, params.id),
    }),
  ];
}

function content(files: FilesService): Operation[] {
  return [
    reads({
      id: 'getFileContent',
      area,
      method: 'GET',
      path: '/v1/files/:id/content',
      summary: 'Download a file',
      description:
        'The bytes, with the mime_type of the file as Content-Type, as a download under its filename. HEAD answers the headers of all of it, for a Range means something to GET only. One Range answers 206, one outside 416, one that does not parse is ignored; of several that lie inside, the whole is answered. If-None-Match and If-Modified-Since answer 304; If-Range, If-Match and If-Unmodified-Since are heeded.',
      permissions: ['files.read'],
      params: ByFile,
      content: { mediaTypes: [ANY_MEDIA_TYPE] },
      errors: ['forbidden', 'state_mismatch', 'range_not_satisfiable'],
      handle: (tx, { principal, params }) => files.getContent(tx, principal, params.id),
    }),
  ];
}

const ByFolder = Type.Object({
  id: Type.String({ description: 'The folder.', examples: ['dir_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

/** What a folder brings back with it is reported to those whom it is shared with. */
const RESTORED_WITH_FOLDER = [
  'file_folder.restored',
  'file.restored',
  'document.restored',
  'spreadsheet.restored',
] as const satisfies ChangeType[];

function folderOperations(files: FilesService): Operation[] {
  return [...ownFolders(files), ...trashOfFolders(files)];
}

function ownFolders(files: FilesService): Operation[] {
  return [
    reads({
      id: 'listFileFolders',
      area,
      method: 'GET',
      path: '/v1/file-folders',
      summary: 'List file folders',
      description:
        "The caller's folders in one answer: a flat list with parent ids, in order of creation. Folders are not shared.",
      permissions: ['files.read'],
      query: FileFolderFilters,
      answer: Type.Array(FileFolder),
      handle: (tx, { principal, query }) => files.listFolders(tx, principal, query.trashed ?? false),
    }),
    writes({
      id: 'createFileFolder',
      area,
      method: 'POST',
      path: '/v1/file-folders',
      summary: 'Create a file folder',
      description: 'Several folders of one parent may have the same name: ids tell them apart.',
      permissions: ['files.write'],
      emits: ['file_folder.created'],
      body: NewFileFolder,
      status: 201,
      answer: FileFolder,
      errors: ['not_found', 'folder_trashed'],
      handle: (tx, { principal, body }) => files.createFolder(tx, principal, body),
    }),
    writes({
      id: 'updateFileFolder',
      area,
      method: 'PUT',
      path: '/v1/file-folders/:id',
      summary: 'Rename or move a file folder',
      description:
        'Replaces the fields that are sent. What is in the folder goes with it. A folder that leaves a folder of the trash is active again.',
      permissions: ['files.write'],
      emits: ['file_folder.changed', ...RESTORED_WITH_FOLDER],
      params: ByFolder,
      body: FileFolderChanges,
      answer: FileFolder,
      errors: ['folder_cycle', 'folder_trashed'],
      handle: (tx, { principal, params, body }) => files.updateFolder(tx, principal, params.id, body),
    }),
  ];
}

function trashOfFolders(files: FilesService): Operation[] {
  return [
    writes({
      id: 'trashFileFolder',
      area,
      method: 'DELETE',
      path: '/v1/file-folders/:id',
      summary: 'Move a file folder to the trash',
      description:
        'Hides what is in it, at any depth. Reversible. A folder that is in the trash stays as it is.',
      permissions: ['files.write'],
      emits: ['file_folder.trashed', 'file.trashed', 'document.trashed', 'spreadsheet.trashed'],
      params: ByFolder,
      status: 204,
      handle: (tx, { principal, params }) => files.trashFolder(tx, principal, params.id),
    }),
    writes({
      id: 'restoreFileFolder',
      area,
      method: 'POST',
      path: '/v1/file-folders/:id/restore',
      summary: 'Restore a file folder from the trash',
      description:
        'Brings back exactly what was hidden with it: what was trashed itself before stays in the trash. It comes back to its parent, or to the root where that is in the trash. An active folder stays as it is.',
      permissions: ['files.write'],
      emits: RESTORED_WITH_FOLDER,
      params: ByFolder,
      answer: FileFolder,
      handle: (tx, { principal, params }) => files.restoreFolder(tx, principal, params.id),
    }),
  ];
}

const ByShared = Type.Object({
  id: Type.String({ description: 'The file or document.', examples: ['file_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByPermission = Type.Object({
  id: Type.String({ description: 'The file or document.', examples: ['file_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  permission_id: Type.String({ description: 'The grant.', examples: ['perm_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

function sharingOperations(files: FilesService): Operation[] {
  return [
    writes({
      id: 'shareFile',
      area,
      method: 'POST',
      path: '/v1/files/:id/permissions',
      summary: 'Share a file or document',
      description:
        'Needs the role manager; the owner has every role. Sharing again with the same user or group changes the role of the same grant. Folders are not shared. A grant to a suspended user counts once the user is active again.',
      permissions: ['files.share'],
      emits: ['file.shared', 'document.shared', 'spreadsheet.shared'],
      params: ByShared,
      body: NewPermissionGrant,
      status: 201,
      answer: PermissionGrant,
      errors: ['forbidden'],
      handle: (tx, { principal, params, body }) => files.share(tx, principal, params.id, body),
    }),
    reads({
      id: 'listFilePermissions',
      area,
      method: 'GET',
      path: '/v1/files/:id/permissions',
      summary: 'List the grants on a file or document',
      description: 'In one answer, in order of creation. Everyone who sees it may ask.',
      permissions: ['files.read'],
      params: ByShared,
      answer: Type.Array(PermissionGrant),
      handle: (tx, { principal, params }) => files.listPermissions(tx, principal, params.id),
    }),
    writes({
      id: 'revokeFilePermission',
      area,
      method: 'DELETE',
      path: '/v1/files/:id/permissions/:permission_id',
      summary: 'Revoke access to a file or document',
      description: "Needs the role manager, except for the caller's own grant. Acts on the next request.",
      permissions: ['files.share'],
      emits: ['file.unshared', 'document.unshared', 'spreadsheet.unshared'],
      params: ByPermission,
      status: 204,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => files.revoke(tx, principal, params.id, params.permission_id),
    }),
    reads({
      id: 'listFileAccess',
      area,
      method: 'GET',
      path: '/v1/files/:id/access',
      summary: 'List who reaches a file or document',
      description:
        'Every active user who does, members of groups too, each once: with the highest role, and the ownership or the grant that gives it. The owner comes first. Everyone who sees it may ask.',
      permissions: ['files.read'],
      params: ByShared,
      answer: Type.Array(Access),
      handle: (tx, { principal, params }) => files.listAccess(tx, principal, params.id),
    }),
  ];
}

import { Type } from 'typebox';
import type { AgentTool } from '../../contract/agent-tool.ts';
import type { ChangeType } from '../../contract/change-types.ts';
import { ANY_MEDIA_TYPE, type Operation, reads, writes } from '../../contract/operation.ts';
import {
  createFileFolder,
  listFileFolders,
  restoreFileFolder,
  trashFileFolder,
  updateFileFolder,
} from './file-folders.ts';
import { fileOf } from './nodes.ts';
import {
  File,
  FileChanges,
  FileFilters,
  FileFolder,
  FileFolderChanges,
  FileFolderFilters,
  ListedFolder,
  NewFileFolder,
  ReadFile,
  RecordQuery,
} from './schema.ts';
import type { FilesService } from './service.ts';
import { sharingOperations } from './sharing/operations.ts';
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
  return [...metadata(files), renaming(files), ...trashOfFiles(files), ...content(files)];
}

function metadata(files: FilesService): Operation[] {
  return [
    reads({
      id: 'listFiles',
      area,
      method: 'GET',
      path: '/v1/files',
      summary: 'List files',
      agent: {
        tool: 'list_drive',
        title: 'List a folder of the drive',
        hint: 'Folders, files, documents and spreadsheets in folder_id ("" is the root), or all whose name contains q.',
        lists: ['folder_id', 'q', 'trashed', 'shared', 'cursor'],
        hasTextOfOthers: true,
      },
      description:
        "Uploaded files, newest first: the caller's own, those shared with the caller or with a group of theirs, and all that lie in folders that are. Filters combine by and; an unknown folder lists nothing.",
      permissions: ['files.read', 'docs.documents.read'],
      query: FileFilters,
      paging: { default: 50, cap: 200 },
      answer: Type.Array(ReadFile),
      handle: (tx, { principal, query, page }) =>
        files.nodes.list(
          tx,
          principal,
          {
            kinds: ['file'],
            folderId: query.folder_id,
            q: query.q ?? '',
            trashed: query.trashed ?? false,
            shared: query.shared ?? false,
            include: query.include,
          },
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
      query: RecordQuery,
      answer: ReadFile,
      handle: (tx, { principal, params, query }) => files.nodes.get(tx, principal, fileOf(params.id), query),
    }),
  ];
}

function renaming(files: FilesService): Operation {
  return writes({
    id: 'updateFile',
    area,
    method: 'PUT',
    path: '/v1/files/:id',
    summary: 'Rename or move a file',
    description:
      'Replaces the fields that are sent; the filename stays. Renaming needs the role editor; only the owner moves a file, into a folder of the owner or, with "", to the root. Whoever reaches it by a shared folder gains or loses it with the move. A file that leaves a folder of the trash is active again.',
    permissions: ['files.write'],
    emits: ['file.changed', 'file.restored', 'file.shared', 'file.unshared'],
    params: ByFile,
    body: FileChanges,
    answer: File,
    errors: ['forbidden', 'folder_trashed'],
    handle: (tx, { principal, params, body: { title, folder_id: parentId } }) =>
      files.nodes.update(tx, principal, fileOf(params.id), { title, parentId }),
  });
}

function trashOfFiles(files: FilesService): Operation[] {
  return [
    writes({
      id: 'trashFile',
      area,
      method: 'DELETE',
      path: '/v1/files/:id',
      summary: 'Move a file to the trash',
      agent: { tool: 'trash_item', title: 'Move to the trash', isDestructive: true, ids: ['file'] },
      description:
        'Needs the role editor. Reversible. A file that is in the trash stays as it is. Whom it is shared with still see it there, but only the owner reads its content.',
      permissions: ['files.write'],
      emits: ['file.trashed'],
      params: ByFile,
      status: 204,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => files.nodes.trash(tx, principal, fileOf(params.id)),
    }),
    writes({
      id: 'restoreFile',
      area,
      method: 'POST',
      path: '/v1/files/:id/restore',
      summary: 'Restore a file from the trash',
      agent: { tool: 'restore_item', title: 'Take out of the trash', ids: ['file'], hasTextOfOthers: true },
      description:
        'Needs the role editor. It comes back to its folder, or to the root where that is in the trash. An active file stays as it is.',
      permissions: ['files.write'],
      emits: ['file.restored', 'file.unshared'],
      params: ByFile,
      answer: File,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => files.nodes.restore(tx, principal, fileOf(params.id)),
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
      agent: {
        tool: 'read_file',
        title: 'Read a file',
        hint: 'The text of a file, also of PDF, Office and HTML.',
        hasTextOfOthers: true,
      },
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
  return [...folders(files), ...trashOfFolders(files)];
}

/** The tool finds folders by q and folder_id itself. */
const FOLDERS_LISTED: AgentTool = {
  tool: 'list_drive',
  title: 'List a folder of the drive',
  lists: ['trashed', 'shared'],
  hasTextOfOthers: true,
};

function folders(files: FilesService): Operation[] {
  return [
    reads({
      id: 'listFileFolders',
      area,
      method: 'GET',
      path: '/v1/file-folders',
      summary: 'List file folders',
      agent: FOLDERS_LISTED,
      description:
        "The caller's folders, and those of others that the caller reaches, in one answer: a flat list with parent ids, in order of creation. The parent of a shared folder may be one that the caller does not reach.",
      permissions: ['files.read'],
      query: FileFolderFilters,
      answer: Type.Array(ListedFolder),
      handle: (tx, { principal, query }) =>
        listFileFolders(tx, files.rights, principal, {
          trashed: query.trashed ?? false,
          shared: query.shared ?? false,
          include: query.include,
        }),
    }),
    writes({
      id: 'createFileFolder',
      area,
      method: 'POST',
      path: '/v1/file-folders',
      summary: 'Create a file folder',
      description:
        'Several folders of one parent may have the same name: ids tell them apart. In a folder of somebody else it takes the role editor, and the new folder belongs to the owner of that folder.',
      permissions: ['files.write'],
      emits: ['file_folder.created'],
      body: NewFileFolder,
      status: 201,
      answer: FileFolder,
      errors: ['not_found', 'forbidden', 'folder_trashed', 'folder_too_deep'],
      handle: (tx, { principal, body }) => createFileFolder(tx, files.rights, principal, body),
    }),
    writes({
      id: 'updateFileFolder',
      area,
      method: 'PUT',
      path: '/v1/file-folders/:id',
      summary: 'Rename or move a file folder',
      description:
        'Replaces the fields that are sent. Renaming needs the role editor; only the owner moves a folder. What is in the folder goes with it, and whoever reaches it by a shared folder gains or loses it with the move. A folder that leaves a folder of the trash is active again.',
      permissions: ['files.write'],
      emits: ['file_folder.changed', 'file_folder.shared', 'file_folder.unshared', ...RESTORED_WITH_FOLDER],
      params: ByFolder,
      body: FileFolderChanges,
      answer: FileFolder,
      errors: ['forbidden', 'folder_cycle', 'folder_trashed', 'folder_too_deep'],
      handle: (tx, { principal, params, body }) =>
        updateFileFolder(tx, files.rights, principal, params.id, body),
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
      agent: { tool: 'trash_item', title: 'Move to the trash', isDestructive: true, ids: ['dir'] },
      description:
        'Needs the role editor. Hides what is in it, at any depth. Reversible. A folder that is in the trash stays as it is.',
      permissions: ['files.write'],
      emits: ['file_folder.trashed', 'file.trashed', 'document.trashed', 'spreadsheet.trashed'],
      params: ByFolder,
      status: 204,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => trashFileFolder(tx, files.rights, principal, params.id),
    }),
    writes({
      id: 'restoreFileFolder',
      area,
      method: 'POST',
      path: '/v1/file-folders/:id/restore',
      summary: 'Restore a file folder from the trash',
      agent: { tool: 'restore_item', title: 'Take out of the trash', ids: ['dir'], hasTextOfOthers: true },
      description:
        'Needs the role editor. Brings back exactly what was hidden with it: what was trashed itself before stays in the trash. It comes back to its parent, or to the root where that is in the trash. An active folder stays as it is.',
      permissions: ['files.write'],
      emits: [...RESTORED_WITH_FOLDER, 'file_folder.unshared'],
      params: ByFolder,
      answer: FileFolder,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) => restoreFileFolder(tx, files.rights, principal, params.id),
    }),
  ];
}

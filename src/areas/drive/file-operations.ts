import { Type } from 'typebox';
import { ANY_MEDIA_TYPE, type Operation, reads, writes } from '../../contract/operation.ts';
import { File, FileChanges, FileFilters } from './schema.ts';
import type { FilesService } from './service.ts';

const area = 'Files';
const ByFile = Type.Object({
  id: Type.String({ description: 'The file.', examples: ['file_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

export function fileOperations(files: FilesService): Operation[] {
  return [...metadata(files), ...trash(files), ...content(files)];
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
      params: ByFile,
      body: FileChanges,
      answer: File,
      errors: ['forbidden', 'folder_trashed'],
      handle: (tx, { principal, params, body }) => files.updateFile(tx, principal, params.id, body),
    }),
  ];
}

function trash(files: FilesService): Operation[] {
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

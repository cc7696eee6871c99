import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../contract/operation.ts';
import { FileFolder, FileFolderChanges, FileFolderFilters, NewFileFolder } from './schema.ts';
import type { FilesService } from './service.ts';

const area = 'Files';
const ByFolder = Type.Object({
  id: Type.String({ description: 'The folder.', examples: ['dir_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

export function folderOperations(files: FilesService): Operation[] {
  return [...ownFolders(files), ...trash(files)];
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
      params: ByFolder,
      body: FileFolderChanges,
      answer: FileFolder,
      errors: ['folder_cycle', 'folder_trashed'],
      handle: (tx, { principal, params, body }) => files.updateFolder(tx, principal, params.id, body),
    }),
  ];
}

function trash(files: FilesService): Operation[] {
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
      params: ByFolder,
      answer: FileFolder,
      handle: (tx, { principal, params }) => files.restoreFolder(tx, principal, params.id),
    }),
  ];
}

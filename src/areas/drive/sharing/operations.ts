import { Type } from 'typebox';
import type { AgentTool } from '../../../contract/agent-tool.ts';
import type { ChangeType } from '../../../contract/change-types.ts';
import { type Operation, reads, writes } from '../../../contract/operation.ts';
import { folderOf } from '../folders.ts';
import type { Wanted } from '../rights.ts';
import { Access, NewPermissionGrant, PermissionGrant } from '../schema.ts';
import type { FilesService } from '../service.ts';
import { listAccess } from './access.ts';
import * as grants from './grants.ts';
import { prepareNotice } from './notices.ts';
import { grantProblems } from './principals.ts';

const area = 'Files';

/** Grants on files and documents, and the same on file folders. */
export function sharingOperations(files: FilesService): Operation[] {
  return [CONTENT, FOLDERS].flatMap((shared) => [
    ...changingGrants(files, shared),
    ...readingGrants(files, shared),
  ]);
}

/** What is shared, in the words of its routes. */
interface Shared {
  wanted: (id: string) => Wanted;
  path: string;
  share: { id: string; agent: AgentTool };
  revoke: { id: string };
  list: { id: string };
  access: { id: string };
  words: string;
  /** What a grant on it means. */
  meaning: string;
  id: ReturnType<typeof Type.String>;
  shared: ChangeType[];
  unshared: ChangeType[];
}

const CONTENT: Shared = {
  wanted: shareableContent,
  path: '/v1/files/:id',
  share: {
    id: 'shareFile',
    agent: {
      tool: 'share_item',
      title: 'Share',
      hint: 'id of a file, document, spreadsheet or folder, with one person or group.',
      isDestructive: true,
      ids: ['file', 'doc', 'sht'],
    },
  },
  revoke: { id: 'revokeFilePermission' },
  list: { id: 'listFilePermissions' },
  access: { id: 'listFileAccess' },
  words: 'a file or document',
  meaning: 'File folders are shared at /v1/file-folders/:id/permissions.',
  id: Type.String({ description: 'The file or document.', examples: ['file_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  shared: ['file.shared', 'document.shared', 'spreadsheet.shared'],
  unshared: ['file.unshared', 'document.unshared', 'spreadsheet.unshared'],
};

const FOLDERS: Shared = {
  wanted: shareableFolder,
  path: '/v1/file-folders/:id',
  share: {
    id: 'shareFileFolder',
    agent: { tool: 'share_item', title: 'Share', isDestructive: true, ids: ['dir'] },
  },
  revoke: { id: 'revokeFileFolderPermission' },
  list: { id: 'listFileFolderPermissions' },
  access: { id: 'listFileFolderAccess' },
  words: 'a file folder',
  meaning:
    'The role counts for all that lies in the folder, now and later, at any depth; of several roles of a user the highest counts. An editor also adds to the folder.',
  id: Type.String({ description: 'The folder.', examples: ['dir_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  shared: ['file_folder.shared'],
  unshared: ['file_folder.unshared'],
};

/**
 * A file, document or spreadsheet that is shared. The refusal tells what is shared and where, in the same words for every
 * id, so that it shows nothing of what exists.
 */
function shareableContent(id: string): Wanted {
  return {
    id,
    kinds: ['file', 'document', 'spreadsheet'],
    resource: 'file',
    refusal:
      'There is no file, document or spreadsheet with this id. A file folder is shared at /v1/file-folders/:id/permissions; nothing else is shared.',
  };
}

/** A file folder that is shared. */
function shareableFolder(id: string): Wanted {
  const refusal =
    'There is no file folder with this id. A file, document or spreadsheet is shared at /v1/files/:id/permissions; nothing else is shared.';
  return { ...folderOf(id), refusal };
}

const grantId = Type.String({ description: 'The grant.', examples: ['perm_01k0qv5m8qe3rsgm9y3f2c7d4x'] });

function changingGrants(
  files: FilesService,
  { wanted, path, share, revoke, words, meaning, id, shared, unshared }: Shared,
): Operation[] {
  return [
    writes({
      id: share.id,
      area,
      method: 'POST',
      path: `${path}/permissions`,
      summary: `Share ${words}`,
      agent: share.agent,
      description: `Needs the role manager; the owner has every role. Names whom by principal_id, or by email for a user of the workspace. Sharing again with the same user or group changes the role of the same grant. ${meaning} A grant to a suspended user counts once the user is active again.`,
      permissions: ['files.share'],
      emits: [...shared, 'message.created'],
      params: Type.Object({ id }),
      body: NewPermissionGrant,
      check: ({ body }, sent) => grantProblems(body, sent),
      status: 201,
      answer: PermissionGrant,
      errors: ['forbidden'],
      prepare: ({ principal, params, body }) =>
        prepareNotice(files.dependencies, principal, wanted(params.id), body),
      handle: (tx, { principal, params, body }, notice) =>
        grants.share(tx, files.dependencies, principal, wanted(params.id), body, notice),
    }),
    writes({
      id: revoke.id,
      area,
      method: 'DELETE',
      path: `${path}/permissions/:permission_id`,
      summary: `Revoke access to ${words}`,
      description: "Needs the role manager, except for the caller's own grant. Acts on the next request.",
      permissions: ['files.share'],
      emits: unshared,
      params: Type.Object({ id, permission_id: grantId }),
      status: 204,
      errors: ['forbidden'],
      handle: (tx, { principal, params }) =>
        grants.revoke(tx, files.dependencies, principal, wanted(params.id), params.permission_id),
    }),
  ];
}

function readingGrants(files: FilesService, { wanted, path, list, access, words, id }: Shared): Operation[] {
  return [
    reads({
      id: list.id,
      area,
      method: 'GET',
      path: `${path}/permissions`,
      summary: `List the grants on ${words}`,
      description:
        'In one answer, in order of creation: the grants on it, not those on folders above it. Everyone who sees it may ask.',
      permissions: ['files.read'],
      params: Type.Object({ id }),
      answer: Type.Array(PermissionGrant),
      handle: (tx, { principal, params }) =>
        grants.listPermissions(tx, files.dependencies, principal, wanted(params.id)),
    }),
    reads({
      id: access.id,
      area,
      method: 'GET',
      path: `${path}/access`,
      summary: `List who reaches ${words}`,
      description:
        'Every active user who does, members of groups too, each once: with the highest role, and the ownership or the grant that gives it, on it or on a folder above it. The owner comes first. Everyone who sees it may ask.',
      permissions: ['files.read'],
      params: Type.Object({ id }),
      answer: Type.Array(Access),
      handle: (tx, { principal, params }) => listAccess(tx, files.dependencies, principal, wanted(params.id)),
    }),
  ];
}

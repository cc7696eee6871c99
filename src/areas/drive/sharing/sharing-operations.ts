import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../../contract/operation.ts';
import { Access, NewPermissionGrant, PermissionGrant } from '../schema.ts';
import type { FilesService } from '../service.ts';

const area = 'Files';
const ByShared = Type.Object({
  id: Type.String({ description: 'The file or document.', examples: ['file_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByPermission = Type.Object({
  id: Type.String({ description: 'The file or document.', examples: ['file_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
  permission_id: Type.String({ description: 'The grant.', examples: ['perm_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

export function sharingOperations(files: FilesService): Operation[] {
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

import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../contract/operation.ts';
import { Group, GroupChanges, NewGroup } from './schema.ts';
import type { DirectoryService } from './service.ts';

const area = 'Directory';
const ByGroup = Type.Object({
  id: Type.String({ description: 'The group.', examples: ['grp_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

export function groupOperations(directory: DirectoryService): Operation[] {
  return [
    reads({
      id: 'listGroups',
      area,
      method: 'GET',
      path: '/v1/groups',
      summary: 'List groups',
      description: 'The groups of the workspace, in order of creation.',
      permissions: ['directory.read'],
      paging: { default: 25, cap: 100 },
      answer: Type.Array(Group),
      handle: (tx, { principal, page }) => directory.listGroups(tx, principal.workspaceId, page),
    }),
    writes({
      id: 'createGroup',
      area,
      method: 'POST',
      path: '/v1/groups',
      summary: 'Create a group',
      description: 'Files and documents can be shared with a group.',
      permissions: ['directory.write'],
      body: NewGroup,
      status: 201,
      answer: Group,
      errors: ['not_found'],
      handle: (tx, { principal, body }) => directory.createGroup(tx, principal.workspaceId, body),
    }),
    writes({
      id: 'updateGroup',
      area,
      method: 'PUT',
      path: '/v1/groups/:id',
      summary: 'Change a group',
      description: 'Replaces the fields that are sent; member_ids as a whole.',
      permissions: ['directory.write'],
      params: ByGroup,
      body: GroupChanges,
      answer: Group,
      handle: (tx, { principal, params, body }) =>
        directory.updateGroup(tx, principal.workspaceId, params.id, body),
    }),
  ];
}

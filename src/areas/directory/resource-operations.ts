import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../contract/operation.ts';
import { NewResource, Resource } from './schema.ts';
import type { DirectoryService } from './service.ts';

const area = 'Directory';

export function resourceOperations(directory: DirectoryService): Operation[] {
  return [
    reads({
      id: 'listResources',
      area,
      method: 'GET',
      path: '/v1/resources',
      summary: 'List resources',
      description: 'The rooms and the equipment of the workspace, in order of creation.',
      permissions: ['directory.read'],
      paging: { default: 25, cap: 100 },
      answer: Type.Array(Resource),
      handle: (tx, { principal, page }) => directory.listResources(tx, principal.workspaceId, page),
    }),
    writes({
      id: 'createResource',
      area,
      method: 'POST',
      path: '/v1/resources',
      summary: 'Create a resource',
      description: 'A room or a piece of equipment that free/busy can be asked about.',
      permissions: ['directory.write'],
      body: NewResource,
      status: 201,
      answer: Resource,
      handle: (tx, { principal, body }) => directory.createResource(tx, principal.workspaceId, body),
    }),
  ];
}

import { Type } from 'typebox';
import { type Operation, reads, writes } from '../../contract/operation.ts';
import { createGroup, listGroups, updateGroup } from './groups.ts';
import { createResource, listResources } from './resources.ts';
import {
  Group,
  GroupChanges,
  NewGroup,
  NewResource,
  NewUser,
  Resource,
  User,
  UserChanges,
  UserFilters,
} from './schema.ts';
import type { DirectoryService } from './service.ts';
import { newUserProblems, permitUser, permitUserChanges, userProblems } from './user-rules.ts';
import { getUser, listUsers } from './users.ts';

/** Users, groups and resources of a workspace. */
export function directoryOperations(directory: DirectoryService): Operation[] {
  return [...userOperations(directory), ...groupOperations(), ...resourceOperations()];
}

const area = 'Directory';

function resourceOperations(): Operation[] {
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
      handle: (tx, { principal, page }) => listResources(tx, principal.workspaceId, page),
    }),
    writes({
      id: 'createResource',
      area,
      method: 'POST',
      path: '/v1/resources',
      summary: 'Create a resource',
      description: 'A room or a piece of equipment that free/busy can be asked about.',
      permissions: ['directory.write'],
      emits: ['resource.created'],
      body: NewResource,
      status: 201,
      answer: Resource,
      handle: (tx, { principal, body }) => createResource(tx, principal.workspaceId, body),
    }),
  ];
}

const ByGroup = Type.Object({
  id: Type.String({ description: 'The group.', examples: ['grp_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

function groupOperations(): Operation[] {
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
      handle: (tx, { principal, page }) => listGroups(tx, principal.workspaceId, page),
    }),
    writes({
      id: 'createGroup',
      area,
      method: 'POST',
      path: '/v1/groups',
      summary: 'Create a group',
      description: 'Files and documents can be shared with a group.',
      permissions: ['directory.write'],
      emits: ['group.created', 'access.changed'],
      body: NewGroup,
      status: 201,
      answer: Group,
      errors: ['not_found'],
      handle: (tx, { principal, body }) => createGroup(tx, principal.workspaceId, body),
    }),
    writes({
      id: 'updateGroup',
      area,
      method: 'PUT',
      path: '/v1/groups/:id',
      summary: 'Change a group',
      description: 'Replaces the fields that are sent; member_ids as a whole.',
      permissions: ['directory.write'],
      emits: ['group.changed', 'access.changed'],
      params: ByGroup,
      body: GroupChanges,
      answer: Group,
      handle: (tx, { principal, params, body }) => updateGroup(tx, principal.workspaceId, params.id, body),
    }),
  ];
}

const ByUser = Type.Object({
  id: Type.String({ description: 'The user.', examples: ['usr_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

function userOperations(directory: DirectoryService): Operation[] {
  return [...readingUsers(), ...writingUsers(directory)];
}

function readingUsers(): Operation[] {
  return [
    reads({
      id: 'listUsers',
      area,
      method: 'GET',
      path: '/v1/users',
      summary: 'List users',
      agent: {
        tool: 'find_people',
        title: 'Find people',
        hint: 'People of the workspace by part of a name or address.',
      },
      description: 'The users of the workspace, suspended ones too, in order of creation.',
      permissions: ['directory.read'],
      query: UserFilters,
      paging: { default: 25, cap: 100 },
      answer: Type.Array(User),
      handle: (tx, { principal, query, page }) => listUsers(tx, principal.workspaceId, query.q ?? '', page),
    }),
    reads({
      id: 'getOwnUser',
      area,
      method: 'GET',
      path: '/v1/users/me',
      summary: 'Get the user that the key acts as',
      permissions: ['directory.read'],
      answer: User,
      handle: (tx, { principal }) => getUser(tx, principal.workspaceId, principal.userId),
    }),
    reads({
      id: 'getUser',
      area,
      method: 'GET',
      path: '/v1/users/:id',
      summary: 'Get a user',
      permissions: ['directory.read'],
      params: ByUser,
      answer: User,
      handle: (tx, { principal, params }) => getUser(tx, principal.workspaceId, params.id),
    }),
  ];
}

function writingUsers(directory: DirectoryService): Operation[] {
  return [
    writes({
      id: 'createUser',
      area,
      method: 'POST',
      path: '/v1/users',
      summary: 'Create a user',
      description:
        'The user starts active, with an empty mailbox, and shares availability. No two users of the server have an ' +
        'address in common. Create an API key with the id of the user to act as it.',
      permissions: ['directory.write'],
      emits: ['user.created', 'folder.created', 'address_book.created', 'calendar.created'],
      body: NewUser,
      status: 201,
      answer: User,
      errors: ['email_taken'],
      check: ({ body }) => newUserProblems(body),
      handle: (tx, { principal, body }) => directory.createUser(tx, principal.workspaceId, body),
    }),
    writes({
      id: 'updateUser',
      area,
      method: 'PUT',
      path: '/v1/users/:id',
      summary: 'Change a user',
      description:
        'Replaces the fields that are sent. Takes "me" for the user that the key acts as. Everyone may change their ' +
        'own share_availability, time_zone and working_hours; anything else needs directory.write. There is no delete: a user who ' +
        'leaves is suspended.',
      permissions: [],
      emits: ['user.changed'],
      params: ByUser,
      body: UserChanges,
      answer: User,
      errors: ['insufficient_scope', 'email_taken', 'last_owner'],
      permit: ({ principal, params: { id = '' } }) => permitUser(principal, idOf(id, principal.userId)),
      check: ({ principal, params, body }) => {
        permitUserChanges(principal, idOf(params.id, principal.userId), body);
        return userProblems(body);
      },
      handle: (tx, { principal, params, body }) =>
        directory.updateUser(tx, principal.workspaceId, idOf(params.id, principal.userId), body),
    }),
  ];
}

function idOf(asked: string, ownId: string): string {
  return asked === 'me' ? ownId : asked;
}

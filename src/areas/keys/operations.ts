import { Type } from 'typebox';
import { isObject } from '../../contract/json.ts';
import { type Operation, reads, writes } from '../../contract/operation.ts';
import { requirePermission } from '../../contract/principal.ts';
import { createKeyBy, getOwnKey } from './keys.ts';
import { grantProblems, outlivingProblems, permitGrants, permitKeysOf } from './rules.ts';
import { ApiKey, ApiKeyFilters, CreatedApiKey, NewApiKey, OwnApiKey, Revocation } from './schema.ts';
import type { KeysService } from './service.ts';
import { SignInCode, signInUrl } from './sign-in/schema.ts';

const area = 'API keys';
const ByKey = Type.Object({
  id: Type.String({ description: 'The API key.', examples: ['key_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});

export function keysOperations(keys: KeysService): Operation[] {
  return [listing(keys), own(), ...writing(keys), signInCodes(keys)];
}

function listing(keys: KeysService): Operation {
  return reads({
    id: 'listApiKeys',
    area,
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'List API keys',
    description:
      'The keys of a user in order of creation, expired ones too, revoked ones not. Another user than the caller ' +
      'needs directory.write as well.',
    permissions: ['keys.read'],
    query: ApiKeyFilters,
    paging: { default: 25, cap: 100 },
    answer: Type.Array(ApiKey),
    permit: ({ principal, query }) => permitKeysOf(query.user_id ?? principal.userId, principal),
    handle: (tx, { principal, query, page }) => {
      const { workspaceId, userId } = principal;
      return keys.listKeys(tx, { workspaceId, userId: query.user_id ?? userId }, page);
    },
  });
}

function own(): Operation {
  return reads({
    id: 'getOwnApiKey',
    area,
    method: 'GET',
    path: '/v1/api-keys/me',
    summary: 'Get the calling API key',
    agent: {
      tool: 'whoami',
      title: 'Who am I',
      hint: 'The user of this key, what it may do, and the ids of their calendars and address books.',
    },
    description: 'What the key may do, and until when: any key may ask.',
    permissions: [],
    answer: OwnApiKey,
    handle: (tx, { principal }) => getOwnKey(tx, principal),
  });
}

function writing(keys: KeysService): Operation[] {
  return [
    writes({
      id: 'createApiKey',
      area,
      method: 'POST',
      path: '/v1/api-keys',
      summary: 'Create an API key',
      description:
        'A key acts as one user of the workspace. It can be granted only what the calling key may do itself, by ' +
        'permissions or by a preset, of which it gets what the calling key has; for ' +
        'another user than the caller, directory.write is needed as well. It ends no later than the calling key, ' +
        'which its made_by names. The answer is the only place that shows the key.',
      permissions: ['keys.write'],
      emits: ['api_key.created'],
      body: NewApiKey,
      status: 201,
      answer: CreatedApiKey,
      errors: ['not_found'],
      secret: true,
      check: ({ principal, body }, sent) => {
        permitKeysOf(body.user_id ?? principal.userId, principal);
        permitGrants(body, principal);
        return [
          ...(isObject(sent) ? grantProblems(sent) : []),
          ...outlivingProblems(body, principal.expiresAt),
        ];
      },
      handle: (tx, { principal, body }) => createKeyBy(tx, keys.directory, principal, body),
    }),
    writes({
      id: 'revokeApiKey',
      area,
      method: 'DELETE',
      path: '/v1/api-keys/:id',
      summary: 'Revoke an API key',
      description:
        'The key stops with the next request; on other nodes within 5 seconds. What it has made goes on, unless ' +
        'made_by=true revokes that too. The calling key must have every permission of the keys that are revoked, or none ' +
        'is: details.missing_permission names one that it lacks. Keys of other users need directory.write as well, and ' +
        'are not found without it.',
      permissions: ['keys.write'],
      emits: ['api_key.revoked'],
      params: ByKey,
      query: Revocation,
      status: 204,
      handle: (tx, { principal, params, query }) =>
        keys.revokeKey(tx, principal.workspaceId, params.id, {
          caller: principal,
          andMade: query.made_by ?? false,
        }),
    }),
  ];
}

function signInCodes(keys: KeysService): Operation {
  return writes({
    id: 'createSignInCode',
    area,
    method: 'POST',
    path: '/v1/users/:id/sign-in-codes',
    summary: 'Make a sign-in code',
    description:
      'A code opens one session of the user in a browser, once and within ten minutes. The session can do what the ' +
      'calling key can, and ends no later than it; a code whose maker has ended opens nothing. Needs directory.write ' +
      'as well. The answer is the only place that shows the code; its url is at the address of the request.',
    permissions: ['keys.write'],
    params: Type.Object({
      id: Type.String({ description: 'The user.', examples: ['usr_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    }),
    status: 201,
    answer: SignInCode,
    errors: ['not_found'],
    secret: true,
    permit: ({ principal }) => requirePermission(principal, 'directory.write'),
    handle: async (tx, { principal, params, origin }) => {
      const owner = { workspaceId: principal.workspaceId, userId: params.id };
      const { secret: code, expiresAt } = await keys.signIn.createCode(tx, owner, principal);
      return { code, url: signInUrl(origin(), code), expires_at: new Date(expiresAt).toISOString() };
    },
  });
}

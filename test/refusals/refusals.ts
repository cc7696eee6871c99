import type { ErrorCode } from '../../src/contract/errors.ts';
import { ANY_MEDIA_TYPE, isWrite, type Operation } from '../../src/contract/operation.ts';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, type RequestOptions } from '../harness.ts';
import type { Example } from './examples.ts';
import type { Objects, World } from './world.ts';

/** A request that must be refused, and how. */
export interface Refusal {
  name: string;
  path: string;
  options: RequestOptions;
  status: number;
  code: ErrorCode;
  /** What details must hold. */
  details?: Record<string, unknown>;
}

const IN_UTF_8 = ['application/json', 'text/markdown'];

/** What a refusal is built from. */
interface Subject {
  operation: Operation;
  example: Example;
  world: World;
  /** The valid request. */
  path: string;
  options: RequestOptions;
}

/** The valid request of an operation, made of the caller's objects. */
export function validRequest(operation: Operation, example: Example, of: Objects) {
  const body = example.raw ?? example.body?.(of);
  const headers: Record<string, string> = { ...example.headers };
  if (operation.rawBody) headers['content-type'] = operation.rawBody.mediaType;
  return { path: example.path(of), options: { headers, ...(body === undefined ? {} : { body }) } };
}

/** Every refusal that follows from what the operation declares. */
export async function refusalsOf(operation: Operation, example: Example, world: World): Promise<Refusal[]> {
  const subject = { operation, example, world, ...validRequest(operation, example, world.mine) };
  return [
    ...(await keyRefusals(subject)),
    ...(isWrite(operation) ? idempotencyRefusals(subject) : []),
    ...(operation.body || operation.rawBody ? bodyRefusals(subject) : []),
    ...(operation.body ? jsonRefusals(subject) : []),
    ...queryRefusals(subject),
    ...(operation.paging ? await pagingRefusals(subject) : []),
    ...objectRefusals(subject),
  ];
}

async function keyRefusals({ operation, world, path, options }: Subject): Promise<Refusal[]> {
  const with_ = (key: string | null) => ({ path, options: { ...options, key } });
  const refusals: Refusal[] = [
    // API-88, API-89
    { name: 'no key', ...with_(null), status: 401, code: 'unauthenticated' },
    // API-47
    { name: 'unknown key', ...with_('atr_unknown'), status: 401, code: 'invalid_api_key' },
    { name: 'revoked key', ...with_(await revokedKey(world)), status: 401, code: 'invalid_api_key' },
    { name: 'suspended user', ...with_(await suspendedKey(world)), status: 401, code: 'invalid_api_key' },
    {
      name: 'another scheme',
      path,
      options: {
        ...options,
        key: null,
        headers: { ...options.headers, authorization: `Basic ${OWNER_KEY}` },
      },
      status: 401,
      code: 'unauthenticated',
    },
  ];
  const [needed] = operation.permissions;
  if (!needed) return refusals;
  const others = ALL_PERMISSIONS.filter((permission) => !operation.permissions.includes(permission));
  const key = (await world.app.post('/v1/api-keys', { name: 'others', permissions: others })).json.data.key;
  const details = { missing_permission: needed };
  return [
    ...refusals,
    // API-48, API-91, API-92
    { name: 'no permission', ...with_(key), status: 403, code: 'insufficient_scope', details },
  ];
}

async function revokedKey({ app }: World): Promise<string> {
  const { key, id } = (await app.post('/v1/api-keys', { name: 'gone', permissions: ALL_PERMISSIONS })).json
    .data;
  await app.delete(`/v1/api-keys/${id}`);
  return key;
}

async function suspendedKey({ app }: World): Promise<string> {
  const email = `suspended-${Math.random()}@t.example`;
  const user = (await app.post('/v1/users', { email, name: 'Gone' })).json.data.id;
  const body = { name: 'k', permissions: ALL_PERMISSIONS, user_id: user };
  const { key } = (await app.post('/v1/api-keys', body)).json.data;
  await app.put(`/v1/users/${user}`, { state: 'suspended' });
  return key;
}

function idempotencyRefusals({ path, options }: Subject): Refusal[] {
  // API-39, API-122
  const malformed = ['', 'a b', 'ä', 'x'.repeat(256)];
  return [
    {
      // API-38, API-122
      name: 'no Idempotency-Key',
      path,
      options: { ...options, idempotencyKey: null },
      status: 400,
      code: 'idempotency_key_required',
    },
    ...malformed.map(
      (idempotencyKey): Refusal => ({
        name: `Idempotency-Key "${idempotencyKey.slice(0, 10)}"`,
        path,
        options: { ...options, idempotencyKey },
        status: 400,
        code: 'invalid_idempotency_key',
      }),
    ),
  ];
}

function bodyRefusals({ operation, path, options }: Subject): Refusal[] {
  const refused = (name: string, headers: Record<string, string>): Refusal => ({
    name,
    path,
    options: { ...options, headers: { ...options.headers, ...headers } },
    status: 415,
    code: 'unsupported_media_type',
  });
  const { mediaType, maxSize } = operation.rawBody ?? { mediaType: 'application/json', maxSize: 10_000_000 };
  return [
    // API-4
    ...(mediaType === ANY_MEDIA_TYPE ? [] : [refused('another media type', { 'content-type': 'text/html' })]),
    // API-4
    refused('a compressed body', { 'content-encoding': 'gzip' }),
    // API-3, API-4
    ...(IN_UTF_8.includes(mediaType)
      ? [refused('another charset', { 'content-type': `${mediaType}; charset=latin1` })]
      : []),
    ...(maxSize === Number.POSITIVE_INFINITY
      ? []
      : [
          {
            // API-67
            name: 'a body that is too large',
            path,
            options: {
              ...options,
              body: Buffer.alloc(maxSize + 1, ' '),
              headers: { 'content-type': mediaType },
            },
            status: 413,
            code: 'payload_too_large' as const,
          },
        ]),
  ];
}

function jsonRefusals({ example, world, path, options }: Subject): Refusal[] {
  const valid = JSON.stringify(example.body?.(world.mine));
  const raw = (name: string, body: string | Uint8Array, code: ErrorCode): Refusal => ({
    name,
    path,
    options: { ...options, body, headers: { 'content-type': 'application/json' } },
    status: 400,
    code,
  });
  return [
    // API-34
    raw('no JSON', '{', 'invalid_json'),
    // API-8
    raw('a key twice', valid.replace('{', '{"name":"a","name":"b",').replace(/,}$/, '}'), 'invalid_json'),
    raw(
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      'invalid_json',
    ),
    // API-7
    raw('an unknown field', valid.replace('{', '{"surprise":1,'), 'validation_failed'),
    raw('__proto__', valid.replace('{', '{"__proto__":{"x":1},'), 'validation_failed'),
    raw('no body', '', 'validation_failed'),
    raw('an array', '[]', 'validation_failed'),
    raw('null', 'null', 'validation_failed'),
    ...(example.badBodies ?? []).map((body) =>
      raw(`body ${JSON.stringify(body).slice(0, 60)}`, JSON.stringify(body), 'validation_failed'),
    ),
  ];
}

function queryRefusals({ example, path, options }: Subject): Refusal[] {
  const separator = path.includes('?') ? '&' : '?';
  // API-7
  return ['surprise=1', ...(example.badQueries ?? [])].map((query) => ({
    name: `query ${query.slice(0, 40)}`,
    path: `${path}${separator}${query}`,
    options,
    status: 400,
    code: 'validation_failed',
  }));
}

async function pagingRefusals({ operation, world, path, options }: Subject): Promise<Refusal[]> {
  const separator = path.includes('?') ? '&' : '?';
  // API-138
  const limits = ['0', '-1', '1.5', 'ten', ''].map(
    (limit): Refusal => ({
      name: `limit "${limit}"`,
      path: `${path}${separator}limit=${limit}`,
      options,
      status: 400,
      code: 'validation_failed',
    }),
  );
  // A path that names an object has no listing without it.
  const cursor = await someCursor(world, operation.path.includes(':') ? path : operation.path);
  const with_ = (name: string, given: string, reason: string, key = OWNER_KEY): Refusal => ({
    name,
    path: `${path}${separator}cursor=${given}`,
    options: { ...options, key },
    status: 400,
    code: 'invalid_cursor',
    details: { reason },
  });
  const own = await someCursor(world, path);
  return [
    ...limits,
    // API-142
    with_('no cursor', 'abc', 'malformed'),
    with_('an empty cursor', '', 'malformed'),
    with_('a cursor with NUL in it', '%00', 'malformed'),
    with_('a cursor that is no UTF-8', '%ff', 'malformed'),
    with_('a cursor with an escape that is none', '%zz', 'malformed'),
    with_(
      'a tampered cursor',
      `${own.slice(0, 20)}${own[20] === 'A' ? 'B' : 'A'}${own.slice(21)}`,
      'malformed',
    ),
    with_(
      'a cursor of another listing',
      await someCursor(world, otherListing(operation.path)),
      'other_listing',
    ),
    with_('a cursor of another user', own, 'other_user', world.colleagueKey),
    ...(cursor === own || operation.path.includes(':') || path === operation.path
      ? []
      : [with_('a cursor of other filters', cursor, 'other_filters')]),
  ];
}

function otherListing(path: string): string {
  return path === '/v1/groups' ? '/v1/resources' : '/v1/groups';
}

/** Listings that need a filter. */
const NEEDS: Readonly<Record<string, string>> = {
  '/v1/messages': '/v1/messages?unread=true',
  '/v1/search': '/v1/search?q=kind:file',
  '/v1/invitations': '/v1/invitations?start=2026-02-28T00:00:00Z&end=2026-04-01T00:00:00Z',
};

/** A cursor that a listing has handed out. */
async function someCursor({ app }: World, path: string): Promise<string> {
  const listed = NEEDS[path] ?? path;
  let cursor = '';
  // The search follows what was written.
  await eventually(async () => {
    const { json } = await app.get(`${listed}${listed.includes('?') ? '&' : '?'}limit=1`);
    cursor = json.pagination.next_cursor;
    return cursor !== '' || !listed.startsWith('/v1/search');
  }, 'the search finds something');
  return cursor;
}

/** Unknown, malformed, of the wrong kind, or of somebody else: in a path the four look alike. */
function objectRefusals({ operation, example, world, options }: Subject): Refusal[] {
  if (example.reach === 'no object') return [];
  const { mine, colleagues, strangers } = world;
  const everywhere = (id: string): Objects => ({
    ...mine,
    ...Object.fromEntries(Object.keys(mine).map((kind) => [kind, id])),
  });
  const unknown = Object.fromEntries(
    Object.entries(mine).map(([kind, id]) => [kind, `${id.split('_')[0]}_01h2xcejqtf2nbrexx3vqjhp41`]),
  ) as unknown as Objects;
  const wrong = { ...everywhere(mine.folder), folder: mine.message, removableFolder: mine.message };
  const refused = (name: string, of: Objects): Refusal => ({
    name: `${name} object`,
    path: example.path(of),
    options: { ...options, ...(operation.rawBody ? {} : validRequest(operation, example, mine).options) },
    status: 404,
    code: 'not_found',
  });
  return [
    // API-18, API-121
    refused('an unknown', unknown),
    refused('a malformed', everywhere('x')),
    refused('an impossible', everywhere('%00')),
    refused('an overlong', everywhere('y'.repeat(1_500))),
    refused('the wrong kind of', wrong),
    refused("another workspace's", strangers),
    ...(example.reach === 'user' ? [refused("another user's", colleagues)] : []),
  ];
}

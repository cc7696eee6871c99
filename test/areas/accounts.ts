import assert from 'node:assert/strict';
import type { Permission } from '../../src/contract/permissions.ts';
import { createOwnedWorkspace } from '../../src/start/first-workspace.ts';
import type { Answer, RequestOptions, TestApp } from '../harness.ts';

/** A record of the directory or a key, as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Data = any;

/** The data of an answer that must have this status. */
export function data(answer: Answer, status = 200): Data {
  assert.equal(answer.status, status, answer.text);
  return answer.json.data;
}

let addresses = 0;

/** An address that no user has. */
export function freshAddress(): string {
  return `user${++addresses}@example.org`;
}

/** A new user of the owner's workspace, with the fields that are given. */
export async function makeUser(app: TestApp, fields: Record<string, unknown> = {}): Promise<Data> {
  return data(await app.post('/v1/users', { email: freshAddress(), name: 'Someone', ...fields }), 201);
}

/** A key of a user, with its secret as `key`. */
export async function makeKey(
  app: TestApp,
  permissions: readonly Permission[],
  fields: Record<string, unknown> = {},
  options: RequestOptions = {},
): Promise<Data> {
  return data(await app.post('/v1/api-keys', { name: 'a key', permissions, ...fields }, options), 201);
}

/** Another workspace of the same database: the id and the key of its owner. */
export async function makeWorkspace(app: TestApp): Promise<{ ownerId: string; key: string }> {
  const { services } = app;
  return services.database.write((tx) =>
    createOwnedWorkspace(tx, services, { name: 'Elsewhere', ownerEmail: freshAddress() }),
  );
}

/** What the database holds of workspaces, users, groups, resources and keys, to show that nothing has changed. */
export async function accounts({ services }: TestApp): Promise<unknown> {
  return services.database.read(async (tx) => ({
    workspaces: await tx.selectFrom('workspaces').selectAll().orderBy('id').execute(),
    users: await tx.selectFrom('users').selectAll().orderBy('id').execute(),
    addresses: await tx.selectFrom('user_addresses').selectAll().orderBy('address').execute(),
    groups: await tx.selectFrom('groups').selectAll().orderBy('id').execute(),
    members: await tx
      .selectFrom('group_members')
      .selectAll()
      .orderBy('group_id')
      .orderBy('position')
      .execute(),
    resources: await tx.selectFrom('resources').selectAll().orderBy('id').execute(),
    keys: await tx.selectFrom('api_keys').selectAll().orderBy('id').execute(),
  }));
}

/** A request that is refused, and how. */
export interface Refusal {
  request: [method: string, path: string, body?: unknown];
  key?: string;
  status: number;
  code: string;
  details?: Record<string, unknown>;
}

/** Asserts the refusal, and that nothing came of the request. */
export async function assertRefused(app: TestApp, refusal: Refusal): Promise<void> {
  const [method, path, body] = refusal.request;
  const before = await accounts(app);
  const answer = await app.request(method, path, { body, ...(refusal.key && { key: refusal.key }) });
  assert.equal(answer.status, refusal.status, answer.text);
  assert.equal(answer.json.error.code, refusal.code, answer.text);
  assert.partialDeepStrictEqual(answer.json.error.details, refusal.details ?? {});
  assert.deepEqual(await accounts(app), before);
}

/** The details of a refused body or query: where, and what. */
export function problems(...found: [place: string, code: string][]): Record<string, unknown> {
  return {
    errors: found.map(([place, code]) =>
      /^(\/|$)/.test(place) ? { pointer: place, code } : { parameter: place, code },
    ),
  };
}

/** Every item of a paged listing, read with pages of this size; asserts what pagination promises on the way. */
export async function readPages(
  app: TestApp,
  path: string,
  limit: number,
  options: RequestOptions = {},
): Promise<Data[]> {
  const items: Data[] = [];
  let cursor = '';
  for (;;) {
    const separator = path.includes('?') ? '&' : '?';
    const from = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await app.get(`${path}${separator}limit=${limit}${from}`, options);
    const page = data(answer);
    const { pagination } = answer.json;
    assert.equal(pagination.limit, limit);
    assert.equal(pagination.has_more, page.length === limit);
    items.push(...page);
    cursor = pagination.next_cursor;
    if (!pagination.has_more) break;
  }
  assert.equal(cursor, '');
  return items;
}

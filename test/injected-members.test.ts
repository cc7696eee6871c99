/** Holds that no member of a body or a query names the caller, the row or the option: not even where validation fails. */
import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import type { TSchema } from 'typebox';
import { isWrite } from '../src/api/operation.ts';
import { type RawInput, RequestValidator } from '../src/api/validation.ts';
import { operationsOf } from '../src/app.ts';
import type { Database } from '../src/storage/database.ts';
import { forEachEngine } from './engines.ts';
import { EXAMPLES, type Example } from './refusals/examples.ts';
import { validRequest } from './refusals/refusals.ts';
import { createWorld, type Objects, storedRows, type World } from './refusals/world.ts';

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]).filter(isWrite);

type Members = Record<string, unknown>;

/** A user whose objects the caller may not reach. */
interface Victim {
  name: string;
  objects: Objects;
  workspaceId: string;
}

/** Members that name the victim, and every object of theirs, in each spelling that code might look for. */
function injectedMembers({ objects, workspaceId }: Victim): Members[] {
  const userId = objects.user;
  const person = { workspaceId, userId, workspace_id: workspaceId, user_id: userId };
  const everywhere = {
    ...person,
    owner_id: userId,
    ownerId: userId,
    created_by: userId,
    createdBy: userId,
    user: person,
    owner: person,
    principal: person,
    state: 'trashed',
    trashed: 1,
    range: 'Z9',
    number: 1,
    record: '{}',
  };
  return Object.values(objects).map((id) => ({ ...everywhere, id }));
}

/** Those that the operation does not take itself. */
function undeclared(members: Members, schema: TSchema | undefined): Members {
  const { properties = {} } = (schema ?? {}) as { properties?: Members };
  return Object.fromEntries(Object.entries(members).filter(([name]) => !Object.hasOwn(properties, name)));
}

/** The body of the caller's own request: mail goes to the caller, for mail to others changes their mailboxes. */
function ownBody({ body }: Example, { colleagues }: World): Members | undefined {
  const given = body?.(colleagues) as Members | undefined;
  return given && 'to' in given ? { ...given, to: ['colleague@t.example'] } : given;
}

function withQuery(path: string, members: Members): string {
  const texts = Object.entries(members).filter(([, value]) => typeof value !== 'object');
  const query = new URLSearchParams(texts.map(([name, value]) => [name, String(value)]));
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Housekeeping gives back the space of uploads that have ended while a test runs. */
const SWEPT = new Set(['upload_parts', 'upload_sessions', 'pending_blobs']);

/** The rows of all tables, by all that they hold. */
async function rowsOf(database: Database): Promise<Map<string, Members>> {
  const rows = (await storedRows(database)).filter(({ table }) => !SWEPT.has(table));
  return new Map(rows.map(({ table, row }) => [`${table} ${JSON.stringify(row)}`, row]));
}

/** The rows that came, went or changed and that name one of these ids. */
function changesNaming(
  before: Map<string, Members>,
  after: Map<string, Members>,
  ids: ReadonlySet<unknown>,
): string[] {
  const changed = [
    ...[...before].filter(([text]) => !after.has(text)),
    ...[...after].filter(([text]) => !before.has(text)),
  ];
  return changed
    .filter(([, row]) => Object.values(row).some((value) => ids.has(value)))
    .map(([text]) => text);
}

/** Takes every request for valid, as if the checks of body and query had failed to see what is wrong with it. */
function passEverything(): void {
  mock.method(RequestValidator.prototype, 'read', ({ params, query, body }: RawInput) => ({
    params,
    query,
    body,
    problems: [],
    fitting: { query, body: body ?? {} },
  }));
}

forEachEngine((engine) => {
  describe('members that name somebody else', () => {
    let world: World;
    let victims: Victim[];
    let ownWorkspace: string;
    before(async () => {
      world = await createWorld(engine);
      const rows = await storedRows(world.app.product.database);
      const workspaceOf = ({ user }: Objects) =>
        String(rows.find(({ table, row }) => table === 'users' && row.id === user)?.row.workspace_id);
      const { mine, strangers, colleagues } = world;
      ownWorkspace = workspaceOf(colleagues);
      victims = [
        { name: 'another user', objects: mine, workspaceId: workspaceOf(mine) },
        { name: 'a user of another workspace', objects: strangers, workspaceId: workspaceOf(strangers) },
      ];
    });
    after(() => world.app.stop());

    /** Ids of the victim that nothing of the caller's ever holds. */
    const idsOf = ({ objects, workspaceId }: Victim) =>
      new Set([...Object.values(objects), ...(workspaceId === ownWorkspace ? [] : [workspaceId])]);

    for (const operation of operations) {
      const example = EXAMPLES[operation.id];
      if (!example) continue;
      const { body: bodySchema, query: querySchema } = operation;

      test(`are refused by ${operation.id}, and change nothing`, async () => {
        const { path, options } = validRequest(operation, example, world.colleagues);
        const given = ownBody(example, world);
        const before = await rowsOf(world.app.product.database);
        for (const members of victims.flatMap(injectedMembers)) {
          const inBody = { ...given, ...undeclared(members, bodySchema) };
          const request = given
            ? { path, body: inBody }
            : { path: withQuery(path, undeclared(members, querySchema)) };
          const sent = { ...options, key: world.colleagueKey, ...request };
          const { status, text } = await world.app.request(operation.method, request.path, sent);
          assert.equal(status, 400, text);
        }
        assert.deepEqual([...(await rowsOf(world.app.product.database)).keys()], [...before.keys()]);
      });

      test(`that validation passes change nothing of anybody else by ${operation.id}`, async () => {
        const { path, options } = validRequest(operation, example, world.colleagues);
        const given = ownBody(example, world);
        passEverything();
        try {
          for (const victim of victims) {
            const before = await rowsOf(world.app.product.database);
            for (const members of injectedMembers(victim)) {
              const body = given && { ...given, ...undeclared(members, bodySchema) };
              const sent = { ...options, key: world.colleagueKey, ...(body && { body }) };
              const target = withQuery(path, undeclared(members, querySchema));
              await world.app.request(operation.method, target, sent);
            }
            const after = await rowsOf(world.app.product.database);
            assert.deepEqual(changesNaming(before, after, idsOf(victim)), [], victim.name);
          }
        } finally {
          mock.restoreAll();
        }
      });
    }
  });
});

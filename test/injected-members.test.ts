/** Holds that no member of a body or a query names the caller, the row or the option: not even where validation fails. */
import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import type { TSchema } from 'typebox';
import { isWrite, type Operation } from '../src/contract/operation.ts';
import { type RawInput, RequestValidator } from '../src/contract/validation.ts';
import { operationsOf } from '../src/start/server.ts';
import type { Database } from '../src/storage/database.ts';
import { forEachEngine } from './engines.ts';
import type { RequestOptions } from './harness.ts';
import { EXAMPLES, type Example } from './refusals/examples.ts';
import { validRequest } from './refusals/refusals.ts';
import { createWorld, type Objects, storedRows, storedTexts, type World } from './refusals/world.ts';

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

/** The keywords of a schema by which the objects of a body are found; where any member is allowed, it is data. */
interface Keywords {
  additionalProperties?: boolean;
  properties?: Record<string, Keywords>;
  items?: Keywords;
  anyOf?: readonly Keywords[];
}

/** Those that an object of this schema does not take itself. */
function undeclared(members: Members, schema: TSchema | Keywords | undefined): Members {
  const taken = new Set(alternativesOf(schema).flatMap(({ properties = {} }) => Object.keys(properties)));
  return Object.fromEntries(Object.entries(members).filter(([name]) => !taken.has(name)));
}

function alternativesOf(schema: TSchema | Keywords | undefined): Keywords[] {
  const { anyOf, ...own } = (schema ?? {}) as Keywords;
  return [own, ...(anyOf ?? [])];
}

/** The body with the members in one of its objects: first at the top, then in each that it holds. */
function withMembers(body: unknown, schema: TSchema | Keywords | undefined, members: Members): unknown[] {
  const alternatives = alternativesOf(schema);
  if (Array.isArray(body)) {
    const items = alternatives.find(({ items }) => items)?.items;
    return body.flatMap((one, at) => withMembers(one, items, members).map((other) => body.with(at, other)));
  }
  const isClosed = alternatives.some(({ additionalProperties }) => additionalProperties === false);
  if (typeof body !== 'object' || body === null || !isClosed) return [];
  const inside = Object.entries(body).flatMap(([name, value]) => {
    const member = alternatives.find(({ properties }) => properties?.[name])?.properties?.[name];
    return withMembers(value, member, members).map((other) => ({ ...body, [name]: other }));
  });
  return [{ ...body, ...undeclared(members, schema) }, ...inside];
}

const RULE = {
  conditions: [{ field: 'subject', op: 'contains', value: 'x' }],
  actions: [{ type: 'mark_read' }],
};
const REACHED_BY = {
  emails: [{ address: 'new@t.example', type: 'work' }],
  phones: [{ number: '+44 20 7946 0000' }, { number: '5' }],
};

/** Members with objects in them, of operations whose example has none. */
const WITH_OBJECTS: Record<string, Members> = {
  updateMailFilter: { rule: RULE },
  createContact: REACHED_BY,
  updateContact: REACHED_BY,
};

/** The body of the caller's own request: mail goes to the caller, for mail to others changes their mailboxes. */
function ownBody({ id }: Operation, { body }: Example, { colleagues }: World): Members | undefined {
  const given = body?.(colleagues) as Members | undefined;
  if (!given) return undefined;
  return { ...given, ...('to' in given && { to: ['colleague@t.example'] }), ...WITH_OBJECTS[id] };
}

function withQuery(path: string, members: Members): string {
  const texts = Object.entries(members).filter(([, value]) => typeof value !== 'object');
  const query = new URLSearchParams(texts.map(([name, value]) => [name, String(value)]));
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** Housekeeping gives back the space of uploads that have ended while a test runs. */
const SWEPT = new Set(['upload_parts', 'upload_sessions', 'pending_blobs']);

/** The rows of all tables, each as a text of all that it holds. */
async function rowsOf(database: Database): Promise<Set<string>> {
  const texts = await storedTexts(database);
  return new Set(texts.filter((text) => !SWEPT.has(text.slice(0, text.indexOf(':')))));
}

/** The rows that came, went or changed and that name one of these ids. */
function changesNaming(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  ids: ReadonlySet<string>,
): string[] {
  const changed = before.symmetricDifference(after);
  return [...changed].filter((text) => [...ids].some((id) => text.includes(id)));
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
      const rows = await storedRows(world.app.services.database);
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
        const given = ownBody(operation, example, world);
        const before = await rowsOf(world.app.services.database);
        // Whatever their values are: they are refused by their names.
        for (const members of victims.flatMap((victim) => injectedMembers(victim).slice(0, 1))) {
          const requests = given
            ? withMembers(given, bodySchema, members).map((body) => ({ path, body }))
            : [{ path: withQuery(path, undeclared(members, querySchema)) }];
          for (const request of requests) {
            const sent = { ...options, key: world.colleagueKey, ...request };
            const { status, text } = await world.app.request(operation.method, request.path, sent);
            assert.equal(status, 400, text);
          }
        }
        assert.deepEqual(await rowsOf(world.app.services.database), before);
      });

      test(`that validation passes change nothing of anybody else by ${operation.id}`, async () => {
        const { path, options } = validRequest(operation, example, world.colleagues);
        const given = ownBody(operation, example, world);
        passEverything();
        try {
          let before = await rowsOf(world.app.services.database);
          for (const victim of victims) {
            for (const members of injectedMembers(victim)) {
              const target = withQuery(path, undeclared(members, querySchema));
              const bodies = given ? withMembers(given, bodySchema, members) : [undefined];
              for (const body of bodies) {
                const sent = { ...options, key: world.colleagueKey, ...(body !== undefined && { body }) };
                await world.app.request(operation.method, target, sent as RequestOptions);
              }
            }
            const after = await rowsOf(world.app.services.database);
            assert.deepEqual(changesNaming(before, after, idsOf(victim)), [], victim.name);
            before = after;
          }
        } finally {
          mock.restoreAll();
        }
      });
    }
  });
});

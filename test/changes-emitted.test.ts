/** Does every write, and holds what it tells the change feed against what it declares. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { isWrite, type Operation } from '../src/contract/operation.ts';
import { operationsOf } from '../src/start/server.ts';
import { KEYS_AUDIENCE, WORKSPACE_AUDIENCE } from '../src/storage/changes.ts';
import type { Database } from '../src/storage/database.ts';
import { type Change, changesOf } from './areas/changes-feed.ts';
import { effectiveExample, writeDocumentsOfBothKinds } from './effective-requests.ts';
import { forEachEngine } from './engines.ts';
import { requireFound } from './named-objects.ts';
import { EXAMPLES } from './refusals/examples.ts';
import { refusalsOf, validRequest } from './refusals/refusals.ts';
import { createWorld, type World } from './refusals/world.ts';

const nothing = {} as Parameters<typeof operationsOf>[0];
const writes = operationsOf(nothing).filter(isWrite);

/** An id, which says nothing but what kind of object it is of. */
const TYPE_ID = /^[a-z]{3,5}_[0-9a-hjkmnp-tv-z]{26}$/;
const MOST_IDS = 1_000;
const MOST_RANGES = 20;

forEachEngine((engine) => {
  describe('changes that are emitted', () => {
    let world: World;
    let owner: { userId: string; keyId: string };
    const emitted = new Set<string>();
    before(async () => {
      world = await createWorld(engine);
      const [{ id: keyId }] = (await world.app.get('/v1/api-keys?limit=1')).json.data;
      owner = { userId: world.mine.user, keyId };
    });
    after(() => world.app.stop());

    /**
     * What the owner's key has changed since a row, for all viewers. Mail that comes meanwhile has no writer; a write of
     * the owner's without one would be missed, if nothing else in its place.
     */
    const ownRowsSince = async (last: number) => {
      const rows = await changeRows(world.app.services.database, last);
      const arrived = rows.filter(({ actor_key_id }) => actor_key_id === null);
      for (const { type } of arrived) assert.match(type, /^(message|folder)\./, 'it has no writer');
      return rows.filter((row) => !arrived.includes(row));
    };

    for (const operation of writes) {
      const example = EXAMPLES[operation.id];
      if (!example) continue;

      test(`${operation.id} emits nothing where it is refused (CHANGE-1)`, async () => {
        const refusals = await refusalsOf(operation, example, world);
        const last = await lastRow(world.app.services.database);
        for (const { name, path, options } of refusals) {
          const { status } = await world.app.request(operation.method, path, options);
          assert.ok(status >= 400, name);
        }
        assert.deepEqual(await ownRowsSince(last), []);
      });

      test(`${operation.id} emits what it declares, once (CHANGE-1, CHANGE-2, CHANGE-3)`, async () => {
        const effective = await effectiveExample(operation.id, example, world);
        const { path, options } = validRequest(operation, effective, world.mine);
        const idempotencyKey = randomUUID();
        const send = () => world.app.request(operation.method, path, { ...options, idempotencyKey });
        const last = await lastRow(world.app.services.database);
        const feed = await changesOf(world.app, undefined, async () => {
          const { status, text } = await send();
          assert.ok(status < 300, text);
        });
        const rows = await ownRowsSince(last);
        requireDeclared(operation, rows);
        for (const { type, ids } of rows) {
          requireThin(JSON.parse(ids));
          emitted.add(type);
        }
        await requireViewers(world, rows);
        requireShown(feed, rows, owner);
        for (const change of feed) await requireFound(world.app, change);
        assert.equal((await send()).headers.get('idempotency-replayed'), 'true');
        assert.deepEqual(await ownRowsSince(last), rows, 'a replay emits nothing');
      });
    }

    test('each type that operations declare came out of one of them (CHANGE-1)', async () => {
      const feed = await changesOf(world.app, undefined, () => writeDocumentsOfBothKinds(world));
      for (const change of feed) {
        requireThin(change.ids);
        await requireFound(world.app, change);
        emitted.add(change.type);
      }
      const declared = new Set(writes.flatMap(({ emits = [] }) => emits));
      assert.deepEqual([...declared].filter((type) => !emitted.has(type)).sort(), []);
    });
  });
});

/** The changes behind a row, as they are stored for each viewer. */
function changeRows(database: Database, last: number) {
  return database.read((tx) =>
    tx
      .selectFrom('changes')
      .select(['workspace_id', 'viewer', 'id', 'type', 'actor_user_id', 'actor_key_id', 'ids'])
      .where('number', '>', last)
      .orderBy('number')
      .execute(),
  );
}

type Row = Awaited<ReturnType<typeof changeRows>>[number];

async function lastRow(database: Database): Promise<number> {
  const row = await database.read((tx) =>
    tx
      .selectFrom('changes')
      .select(({ fn }) => fn.max('number').as('number'))
      .executeTakeFirst(),
  );
  return Number(row?.number ?? 0);
}

function requireDeclared({ id, emits = [] }: Operation, rows: readonly Row[]): void {
  const declared = new Set<string>(emits);
  const undeclared = rows.map(({ type }) => type).filter((type) => !declared.has(type));
  assert.deepEqual(undeclared, [], `${id} does not declare them`);
  assert.equal(rows.length > 0, emits.length > 0, `${id} declares ${emits.join(', ') || 'nothing'}`);
}

/** Objects by their ids, and nothing else: no times, titles or addresses. */
function requireThin({ state, ranges, ...objects }: Change['ids']): void {
  if (state !== undefined) assert.equal(typeof state, 'string');
  if (ranges !== undefined) assert.ok(ranges.length <= MOST_RANGES && ranges.every(isString), ranges);
  for (const [name, value] of Object.entries(objects)) {
    const ids: unknown[] = Array.isArray(value) ? value : [value];
    assert.match(name, Array.isArray(value) ? /^[a-z_]+_ids$/ : /^[a-z_]+_id$/);
    assert.ok(ids.length > 0 && ids.length <= MOST_IDS, name);
    for (const id of ids) assert.match(String(id), TYPE_ID, name);
  }
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

/** Users of the workspace and its audiences. */
async function requireViewers({ app, workspaceId }: World, rows: readonly Row[]): Promise<void> {
  const users = await app.services.database.read((tx) =>
    tx.selectFrom('users').select('id').where('workspace_id', '=', workspaceId).execute(),
  );
  const viewers = new Set([WORKSPACE_AUDIENCE, KEYS_AUDIENCE, ...users.map(({ id }) => id)]);
  for (const row of rows) {
    assert.equal(row.workspace_id, workspaceId);
    assert.ok(viewers.has(row.viewer), row.viewer);
  }
}

/** The feed of the owner shows what is stored for them, each once. */
function requireShown(
  feed: readonly Change[],
  rows: readonly Row[],
  { userId, keyId }: { userId: string; keyId: string },
): void {
  const own = new Set([WORKSPACE_AUDIENCE, KEYS_AUDIENCE, userId]);
  const stored = rows.filter(({ viewer }) => own.has(viewer)).map(({ id }) => id);
  const shown = feed.filter(({ actor }) => actor !== null);
  assert.deepEqual(
    shown.map(({ id }) => id),
    [...new Set(stored)],
  );
  for (const { actor } of shown) assert.deepEqual(actor, { user_id: userId, key_id: keyId });
}

/** Walks every operation through everything that it must refuse, and holds that a refusal changes nothing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { isWrite } from '../src/contract/operation.ts';
import { operationsOf } from '../src/start/server.ts';
import type { Database } from '../src/storage/database.ts';
import { forEachEngine } from './engines.ts';
import { eventually } from './eventually.ts';
import { EXAMPLES } from './refusals/examples.ts';
import { type Refusal, refusalsOf, validRequest } from './refusals/refusals.ts';
import { createWorld, storedState, type World } from './refusals/world.ts';

const nothing = {} as Parameters<typeof operationsOf>[0];
const operations = operationsOf(nothing);

test('every operation has an example, and every example an operation', () => {
  assert.deepEqual(Object.keys(EXAMPLES).sort(), operations.map(({ id }) => id).sort());
});

forEachEngine((engine) => {
  describe('refusals', () => {
    let world: World;
    before(async () => {
      world = await createWorld(engine);
    });
    after(() => world.app.stop());

    const assertRefused = async (method: string, refusal: Refusal) => {
      const { status, json, headers, text } = await world.app.request(method, refusal.path, refusal.options);
      assert.equal(status, refusal.status, `${refusal.name}: ${text}`);
      assert.equal(json.error.code, refusal.code, `${refusal.name}: ${text}`);
      for (const [name, value] of Object.entries(refusal.details ?? {})) {
        assert.deepEqual(json.error.details[name], value, refusal.name);
      }
      // API-24
      assert.equal(headers.get('x-request-id'), json.meta.request_id);
      // API-89
      if (status === 401) assert.equal(headers.get('www-authenticate'), 'Bearer');
    };

    for (const operation of operations) {
      const example = EXAMPLES[operation.id];
      if (!example) continue;

      test(`${operation.id} refuses what it must and changes nothing (API-87)`, async () => {
        const refusals = await refusalsOf(operation, example, world);
        const before = await storedState(world.app.services.database);
        for (const refusal of refusals) await assertRefused(operation.method, refusal);
        assert.equal(
          await storedState(world.app.services.database),
          before,
          'a refusal has changed something',
        );
      });

      if (!isWrite(operation)) continue;

      const hasGivenBack = async () => {
        const held = await world.app.services.database.read((tx) =>
          tx
            .selectFrom('upload_sessions')
            .select('id')
            .where('state', 'in', ['finished', 'aborted'])
            .where('holds_space', '=', 1)
            .execute(),
        );
        return held.length === 0;
      };

      test(`${operation.id} refuses a reused Idempotency-Key (API-72, API-126, API-128)`, async () => {
        const { path, options } = validRequest(operation, example, world.mine);
        const idempotencyKey = randomUUID();
        const first = await world.app.request(operation.method, path, { ...options, idempotencyKey });
        assert.ok(first.status < 300, first.text);
        await eventually(hasGivenBack, 'an upload that has ended gives its space back, on whatever node');
        const before = await quietState(world.app.services.database);
        const again = await world.app.request(operation.method, path, { ...options, idempotencyKey });
        assert.equal(again.text, first.text);
        assert.equal(again.status, first.status);
        assert.equal(again.headers.get('idempotency-replayed'), 'true');
        const other = await world.app.request(operation.method, `${path}${path.includes('?') ? '&' : '?'}`, {
          ...options,
          idempotencyKey,
        });
        assert.equal(other.status, 422);
        assert.equal(other.json.error.code, 'idempotency_key_reused');
        assert.equal(await storedState(world.app.services.database), before);
      });
    }
  });
});

/** What is stored once a write has been followed by what it wakes, such as the delivery of a webhook that was resumed. */
async function quietState(database: Database): Promise<string> {
  let state = await storedState(database);
  await eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = state;
    state = await storedState(database);
    return state === before;
  }, 'what a write has woken comes to rest');
  return state;
}

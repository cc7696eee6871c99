/** Kept answers are found along their key, one or many of them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findRecord, findRecords, removeExpired, storeRecords } from '../../src/once/idempotency-store.ts';
import type { ReadTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';

const API_KEY = { workspaceId: 'wsp_1', keyId: 'key_1' };
/** Enough for PostgreSQL to know that reading all of them is dear, once it has counted them. */
const KEPT = 5_000;
const RECORD = {
  fingerprint: 'x',
  status: 200,
  body: '{"\\u0000":"\\ud83d\\ude00 \\"ß"}',
  requestId: 'req_1',
  expiresAt: 10,
};

forEachEngine((engine) => {
  describe('kept answers', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const fill = async () => {
      const records = Array.from({ length: KEPT }, (_, i) => ({
        ...API_KEY,
        ...RECORD,
        idempotencyKey: `key ${i}`,
      }));
      await app.services.database.write((tx) => storeRecords(tx, records));
      await analyze(app.services.database);
    };

    const searches: [string, (tx: ReadTransaction) => Promise<unknown>][] = [
      ['one', (tx) => findRecord(tx, { ...API_KEY, idempotencyKey: 'key 7' })],
      ['several', (tx) => findRecords(tx, API_KEY, ['key 7', 'key 8'])],
    ];
    // A plan that is made for an empty table is used long after.
    for (const isFilled of [false, true])
      describe(isFilled ? 'among many' : 'in an empty table', () => {
        before(async () => {
          if (isFilled) await fill();
        });

        for (const [name, search] of searches)
          test(`a search for ${name} reads along the key`, async () => {
            const [plan = []] = await app.services.database.read((tx) => plansOf(tx, search));
            const lines = plan.join('\n');
            assert.match(lines, /Index Cond: .*idempotency_key\b|idempotency_key=\?/, lines);
            assert.doesNotMatch(lines, /SCAN idempotency_records|Seq Scan on idempotency_records/, lines);
          });
      });

    test('are found to the byte, and replaced once they have expired', async () => {
      const { database } = app.services;
      const asked = ['key 7', 'key 8', 'unknown'];
      const kept = await database.read((tx) => findRecords(tx, API_KEY, asked));
      assert.deepEqual([...kept.keys()].sort(), ['key 7', 'key 8']);
      const { fingerprint, status, body, requestId, expiresAt } = kept.get('key 7') ?? assert.fail();
      assert.deepEqual({ fingerprint, status, body, requestId, expiresAt }, RECORD);
      const later = { ...API_KEY, ...RECORD, idempotencyKey: 'key 7', status: 404, expiresAt: 100 };
      const scope = { ...API_KEY, idempotencyKey: 'key 7' };
      await database.write(async (tx) => {
        await removeExpired(tx, scope, 50);
        await storeRecords(tx, [later]);
        // It lives.
        await removeExpired(tx, scope, 50);
      });
      assert.equal((await database.read((tx) => findRecord(tx, scope)))?.status, 404);
    });
  });
});

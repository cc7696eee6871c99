/** What is new to a reader is found along an index, however much was read before. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { selectChanges } from '../../src/areas/changes/change-store.ts';
import { listDue } from '../../src/areas/changes/webhooks/delivery-store.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';

/** Enough for PostgreSQL to know that reading all of them is dear. */
const ROWS = 8_000;
const AT_ONCE = 500;
const WORKSPACE = 'wsp_1';

forEachEngine((engine) => {
  describe('how changes are found', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      await analyze(app.services.database);
    });
    after(() => app.stop());

    const index =
      engine === 'sqlite'
        ? /changes_by_viewer \(workspace_id=\? AND viewer=\? AND transaction_id=\? AND number>\?\)/
        : /Index (Only )?Scan using changes_key .*[\s\S]*ROW\(/;
    const place = { transaction: 0, number: ROWS, settled: Number.MAX_SAFE_INTEGER, limit: 100 };
    const questions: [name: string, ask: (tx: ReadTransaction) => Promise<unknown>][] = [
      [
        'what a reader has not read',
        (tx) => selectChanges(tx, { workspaceId: WORKSPACE, viewer: 'usr_1', ...place }),
      ],
      ['which webhooks have something to deliver', (tx) => listDue(tx, Date.now(), 'era')],
    ];
    for (const [name, ask] of questions) {
      it(name, async () => {
        const plans = await app.services.database.read((tx) => plansOf(tx, ask));
        assert.match(plans.flat().join('\n'), index);
      });
    }
  });
});

async function fill(tx: WriteTransaction): Promise<void> {
  const change = { workspace_id: WORKSPACE, type: 'x', actor_user_id: null, actor_key_id: null, ids: '{}' };
  for (let begin = 0; begin < ROWS; begin += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, i) => ({
      ...change,
      id: `chg_${begin + i}`,
      viewer: `usr_${i % 2}`,
    }));
    await tx.insertInto('changes').values(rows).execute();
  }
}

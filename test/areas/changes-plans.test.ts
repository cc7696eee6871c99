/** What is new to a reader is found along an index, however much was read before. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { loadLongIds, selectChanges } from '../../src/areas/changes/change-store.ts';
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
    const byNumber =
      engine === 'sqlite'
        ? /changes_by_viewer \(.* AND number=\?\)|INTEGER PRIMARY KEY/
        : /Index Scan using changes_key .*[\s\S]*number = ANY/;
    const long = {
      transaction_id: 0,
      id: '',
      at: 0,
      type: '',
      actor_user_id: null,
      actor_key_id: null,
      size: 0,
    };
    const longRows = [1, 2, 3].map((number) => ({ ...long, number, ids: null }));
    const place = { transaction: 0, number: ROWS, settled: Number.MAX_SAFE_INTEGER, limit: 100 };
    const questions: [name: string, ask: (tx: ReadTransaction) => Promise<unknown>, plan?: RegExp][] = [
      [
        'what a reader has not read',
        (tx) => selectChanges(tx, { workspaceId: WORKSPACE, viewer: 'usr_1', ...place }),
      ],
      ['which webhooks have something to deliver', (tx) => listDue(tx, Date.now(), 'era')],
      ['the long ids of a page', (tx) => loadLongIds(tx, WORKSPACE, ['usr_1', '*'], longRows), byNumber],
    ];
    for (const [name, ask, plan = index] of questions) {
      it(`finding ${name} reads along an index`, async () => {
        const plans = await app.services.database.read((tx) => plansOf(tx, ask));
        assert.match(plans.flat().join('\n'), plan);
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

/** One Idempotency-Key for different writes at once, of which one is done together with others. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { spreadsheetLock } from '../../src/areas/spreadsheets/workbook/open-and-save.ts';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { makeSpreadsheet, put, read } from '../areas/spreadsheets-world.ts';
import { migratedDatabase, type TestDatabase } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';

/** So long that a deadlock outlasts every statement. */
const DEADLOCKS_STAY = 'options=-c%20deadlock_timeout%3D1h';

describe('one Idempotency-Key for a joint write and another', { timeout: 300_000 }, () => {
  let storage: TestDatabase;
  let app: TestApp;
  let database: Database;
  before(async () => {
    storage = await migratedDatabase('postgres');
    const url = storage.databaseUrl ?? '';
    app = await startApp('sqlite', { ATRIUM_DATABASE_URL: `${url}&${DEADLOCKS_STAY}` });
    database = openPostgres(url);
  });
  after(async () => {
    await app.stop();
    await database.close();
    await storage.remove();
  });

  test('one key for two writes of the same spreadsheet is taken by the first, without a deadlock (API-126, API-129)', async () => {
    const id = await makeSpreadsheet(app);
    const release = await holdSpreadsheet(id);
    const key = { idempotencyKey: randomUUID() };
    const writing = put(app, id, 'A1', [['written']], key);
    await untilWaiting(1);
    const appending = app.post(`/v1/spreadsheets/${id}/values/append`, { values: [['appended']] }, key);
    await untilWaiting(2);
    await release();
    const [written, appended] = await Promise.all([writing, appending]);
    assert.equal(written.status, 200, written.text);
    assert.equal(appended.status, 422, appended.text);
    assert.equal(appended.json.error.code, 'idempotency_key_reused');
    assert.deepEqual(await read(app, id, 'A1:A2'), [['written']], 'the other has changed nothing');
  });

  /** Answers what lets it go. */
  async function holdSpreadsheet(id: string): Promise<() => Promise<void>> {
    const { email } = (await app.get('/v1/users/me')).json.data;
    const owner = await database.read((tx) => app.services.directory.findUser(tx, email));
    assert.ok(owner);
    const [isHeld, isReleased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = database.write(async (tx) => {
      await tx.lock(spreadsheetLock(owner, id));
      await tx.settled();
      isHeld.resolve();
      await isReleased.promise;
    });
    await isHeld.promise;
    return () => {
      isReleased.resolve();
      return holding;
    };
  }

  function untilWaiting(count: number): Promise<void> {
    const waiting = sql`select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`;
    const holds = async () => (await database.read((tx) => waiting.execute(tx))).rows.length === count;
    return eventually(holds, `${count} wait for the spreadsheet`);
  }
});

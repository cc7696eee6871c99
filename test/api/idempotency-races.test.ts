/** One Idempotency-Key for different writes at once, of which one is done together with others. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { mailboxLock } from '../../src/areas/mail/owner.ts';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { append, folderOf, rfc822 } from '../areas/mail-world.ts';
import { migratedDatabase, type TestDatabase } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';

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

  test('of the same mailbox is taken by the first, without a deadlock', async () => {
    const inbox = await folderOf(app, 'inbox');
    const message = await append(app, inbox, rfc822());
    const release = await holdMailbox();
    const key = { idempotencyKey: randomUUID() };
    const flagging = flag(inbox, message.id, key);
    await untilWaiting(1);
    const creating = app.post('/v1/folders', { name: 'Refused' }, key);
    await untilWaiting(2);
    await release();
    const [flagged, created] = await Promise.all([flagging, creating]);
    assert.equal(flagged.status, 200, flagged.text);
    assert.equal(created.status, 422, created.text);
    assert.equal(created.json.error.code, 'idempotency_key_reused');
    const { data: folders } = (await app.get('/v1/folders')).json;
    assert.ok(!folders.some(({ name }: { name: string }) => name === 'Refused'), 'it has changed nothing');
  });

  function flag(folder: string, id: string, options: { idempotencyKey: string }): Promise<Answer> {
    const body = { message_ids: [id], op: 'add', flags: ['read'] };
    return app.post(`/v1/folders/${folder}/messages/flags`, body, options);
  }

  /** Answers what lets it go. */
  async function holdMailbox(): Promise<() => Promise<void>> {
    const { id: userId } = (await app.get('/v1/users/me')).json.data;
    const [isHeld, isReleased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = database.write(async (tx) => {
      await tx.lock(mailboxLock({ workspaceId: '', userId }));
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
    return eventually(holds, `${count} wait for the mailbox`);
  }
});

/** Locks of the storage port: on one server of PostgreSQL, and on two servers of one cluster. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Database, ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import type { WorkspaceLock } from '../../src/storage/locks.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { CITUS_URL, makeCitusDatabase } from '../citus.ts';
import { migratedDatabase } from '../engines.ts';
import { lockNamed } from '../lock-named.ts';

interface Place {
  readonly urls: readonly [string, string];
  remove(): Promise<void>;
}

async function oneServer(): Promise<Place> {
  const { databaseUrl = '', remove } = await migratedDatabase('postgres');
  return { urls: [databaseUrl, databaseUrl], remove };
}

async function twoServers(): Promise<Place> {
  const { workerUrls, remove } = await makeCitusDatabase(CITUS_URL ?? '');
  return { urls: workerUrls.slice(0, 2) as [string, string], remove };
}

const FORMS = [
  ['one server', oneServer, CITUS_URL !== undefined && 'a cluster is tried'],
  [
    'two servers of a cluster',
    twoServers,
    CITUS_URL === undefined && 'ATRIUM_TEST_CITUS_URL names no cluster',
  ],
] as const;

const { workspaceId } = lockNamed('');

/** A number that transactions count up by reading and writing it. */
async function count(tx: WriteTransaction, key: string): Promise<void> {
  const records = await tx
    .selectFrom('idempotency_records')
    .select('status')
    .where('workspace_id', '=', workspaceId)
    .where('key_id', '=', key)
    .execute();
  const status = (records[0]?.status ?? 0) + 1;
  const row = { workspace_id: workspaceId, key_id: key, idempotency_key: '', fingerprint: '', body: '' };
  await tx
    .insertInto('idempotency_records')
    .values({ ...row, status, expires_at: 0 })
    .onConflict((on) => on.columns(['workspace_id', 'key_id', 'idempotency_key']).doUpdateSet({ status }))
    .execute();
}

async function counted(tx: ReadTransaction, key: string): Promise<number | undefined> {
  const query = tx.selectFrom('idempotency_records').select('status').where('workspace_id', '=', workspaceId);
  return (await query.where('key_id', '=', key).executeTakeFirst())?.status;
}

/** Holds a lock until it is told to end; `isHeld` resolves once it has it. */
function hold(database: Database, take: (tx: WriteTransaction) => Promise<void>) {
  const held = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = database.write(async (tx) => {
    await take(tx);
    await tx.settled();
    held.resolve();
    await end.promise;
  });
  done.catch(held.reject);
  return { isHeld: held.promise, end: end.resolve, fail: end.reject, done };
}

for (const [form, make, skip] of FORMS)
  describe(`locks on ${form}`, { skip }, () => {
    let place: Place;
    let both: [Database, Database];
    before(async () => {
      place = await make();
      both = [openPostgres(place.urls[0]), openPostgres(place.urls[1])];
    });
    after(async () => {
      for (const database of both) await database.close();
      await place.remove();
    });

    const lock = (name: string) => (tx: WriteTransaction) => tx.lock(lockNamed(name));

    it('let one writer through at a time, who sees what the one before has written (OPS-81)', async () => {
      const writes = Array.from({ length: 40 }, (_, i) =>
        (both[i % 2] as Database).write(async (tx) => {
          await tx.lock(lockNamed('counter'));
          await count(tx, 'counter');
        }),
      );
      await Promise.all(writes);
      assert.equal(await both[0].read((tx) => counted(tx, 'counter')), 40);
    });

    it('keep one who waits from everything that follows, until the holder has committed (OPS-81)', async () => {
      const order: string[] = [];
      const first = hold(both[0], lock('order'));
      await first.isHeld;
      const second = both[1].write(async (tx) => {
        await tx.lock(lockNamed('order'));
        await tx.settled();
        order.push('second');
      });
      const apart = both[1].write(async (tx) => {
        await tx.lock(lockNamed('another'));
        await tx.settled();
        order.push('another');
      });
      await apart;
      order.push('end of the first');
      first.end();
      await Promise.all([first.done, second]);
      assert.deepEqual(order, ['another', 'end of the first', 'second']);
    });

    it('end with a transaction that is undone, with an attempt, and with a connection that is lost (OPS-81)', async () => {
      const undone = hold(both[0], lock('ends'));
      await undone.isHeld;
      const next = hold(both[1], lock('ends'));
      undone.fail(new Error('undone'));
      await assert.rejects(undone.done, /undone/);
      await next.isHeld;
      next.end();
      await next.done;
      const attempted = hold(both[0], async (tx) => {
        const attempt = tx.attempt(async () => {
          await tx.lock(lockNamed('attempted'));
          throw new Error('given up');
        });
        await assert.rejects(attempt, /given up/);
      });
      await attempted.isHeld;
      await both[1].write(lock('attempted'));
      attempted.end();
      await attempted.done;
      let runs = 0;
      await both[0].write(async (tx) => {
        await tx.lock(lockNamed('lost'));
        if (++runs === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
      });
      await both[1].write(lock('lost'));
      assert.equal(runs, 2);
    });

    it('of the installation exclude on every server (OPS-81)', async () => {
      const first = hold(both[0], (tx) => tx.lockInstallation('first start'));
      await first.isHeld;
      let isThrough = false;
      const second = both[1].write(async (tx) => {
        await tx.lockInstallation('first start');
        await tx.settled();
        isThrough = true;
      });
      // In the time of so many it would be through.
      for (let i = 0; i < 20; i++) await both[1].write(lock('beside'));
      assert.equal(isThrough, false);
      first.end();
      await Promise.all([first.done, second]);
    });

    it('leave no row for each Idempotency-Key (OPS-81)', async () => {
      const scopes = Array.from({ length: 20 }, (_, i): WorkspaceLock => {
        return { workspaceId, scope: `idempotency key_1 ${i}` };
      });
      for (const each of scopes) await both[0].write((tx) => tx.lock(each));
      const rows = await both[0].read((tx) =>
        tx.selectFrom('write_locks').select('scope').where('workspace_id', '=', workspaceId).execute(),
      );
      const ofKeys = rows.filter(({ scope }) => scope.startsWith('idempotency'));
      for (const { scope } of ofKeys) assert.match(scope, /^idempotency \d{1,4}$/);
      if (CITUS_URL === undefined) assert.deepEqual(rows, []);
      else assert.ok(ofKeys.length > 0);
    });
  });

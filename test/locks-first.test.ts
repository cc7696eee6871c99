import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { WriteTransaction } from '../src/storage/database.ts';
import { forEachEngine } from './engines.ts';
import { startApp, type TestApp } from './harness.ts';
import { lockNamed } from './lock-named.ts';
import { requireLocksFirst } from './locks-first.ts';

forEachEngine((engine) => {
  describe('transactions of the tests', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const write = (work: (tx: WriteTransaction) => Promise<unknown>) => app.services.database.write(work);
    const store = (tx: WriteTransaction, name: string) =>
      tx
        .insertInto('server_secrets')
        .values({ name, value: Buffer.from('x') })
        .execute();

    test('a lock after the first row is refused, and the test fails that does not hear of it (CHANGE-6)', async () => {
      const lateLock = write(async (tx) => {
        await tx.lock(lockNamed('first'));
        await store(tx, 'late');
        await tx.lock(lockNamed('second'));
      });
      await assert.rejects(lateLock, /The lock "mailbox second" is taken after a row was written/);
      assert.throws(requireLocksFirst, /"mailbox second"/);
      requireLocksFirst();
    });

    test('a lock behind a row that is still on its way is told as well (CHANGE-6)', async () => {
      const lateLock = write(async (tx) => {
        const value = Buffer.from('x');
        await tx.send(tx.insertInto('server_secrets').values({ name: 'sent', value }));
        await tx.lock(lockNamed('behind'));
        await tx.settled();
      });
      await Promise.allSettled([lateLock]);
      assert.throws(requireLocksFirst, /The lock "mailbox behind" is taken after a row was written/);
    });

    test('a lock that the transaction has, and one after a statement without an effect, are taken (CHANGE-6)', async () => {
      await write(async (tx) => {
        await tx.lock(lockNamed('first'));
        await tx.deleteFrom('server_secrets').where('name', '=', 'none').execute();
        await tx.lock(lockNamed('second'));
        await tx.attempt(() => store(tx, 'early'));
        await tx.lock(lockNamed('first'));
      });
      requireLocksFirst();
    });
  });
});

/** Whatever a delivery asks is found along an index, however much else there is. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import { firstIdAt } from '../../src/platform/ids.ts';
import type { Engine, ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { plansOf } from '../plans.ts';
import { rfc822 } from './mail-world.ts';

/** Enough for PostgreSQL to know that reading all of them is dear. */
const ROWS = 8_000;
const AT_ONCE = 500;
const OWNER = 'owner@localhost';
const DAY = 24 * 60 * 60 * 1000;

const NOBODY = {
  email: '',
  aliases: '[]',
  is_owner: 0,
  state: 'active' as const,
  share_availability: 1,
  time_zone: 'UTC',
  working_hours: '[]',
  search_text: '',
  created_at: 0,
  updated_at: 0,
};
const FILTER = { name: 'Filter', priority: 1, enabled: 1, rule: '{}', created_at: 0, updated_at: 0 };

/** Reading a table from its beginning; the elements of a list (e) are read whole, and so is what moves, which is hardly anything. */
const SCAN: Record<Engine, RegExp> = {
  sqlite: /SCAN (?!e\b|\d+-ROW VALUES)/,
  postgres: /Seq Scan on (?!.* e$|workspace_moves )/,
};

forEachEngine((engine) => {
  describe('how a delivery finds things', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      if (engine === 'postgres') {
        await app.services.database.write((tx) => tx.executeQuery(CompiledQuery.raw('analyze')));
      }
    });
    after(() => app.stop());

    /** Nothing of what `work` asks is a scan. */
    async function assertNoScan(
      tx: ReadTransaction,
      work: (tx: ReadTransaction) => Promise<unknown>,
    ): Promise<void> {
      const plans = await plansOf(tx, work);
      assert.ok(plans.length > 0);
      for (const plan of plans) {
        assert.deepEqual(
          plan.filter((line) => SCAN[engine].test(line)),
          [],
          plan.join('\n'),
        );
      }
    }

    it('the mailbox of an address', () => {
      const { database, directory } = app.services;
      return database.read((tx) => assertNoScan(tx, (recorded) => directory.findRecipient(recorded, OWNER)));
    });

    it('what is asked and kept of a message', async () => {
      const { database, directory, mail } = app.services;
      const recipient = await database.read((tx) => directory.findRecipient(tx, OWNER));
      assert.ok(recipient);
      const raw = rfc822({
        messageId: '<new@example.org>',
        references: ['<a@example.org>', '<b@example.org>'],
      });
      const message = await mail.receive(bytes(raw));
      await database.write((tx) =>
        assertNoScan(tx, (recorded) =>
          mail.deliver(recorded as WriteTransaction, [{ ...recipient, address: OWNER }], message, {
            sender: '',
            deliveredAt: Date.now(),
          }),
        ),
      );
    });

    it('the lines of the log that are old', () => {
      const { database, mail } = app.services;
      return database.write((tx) =>
        assertNoScan(tx, (recorded) => mail.forgetDeliveries(recorded as WriteTransaction, 31 * DAY, 10)),
      );
    });
  });
});

async function fill(tx: WriteTransaction): Promise<void> {
  const numbers = Array.from({ length: ROWS }, (_, i) => i);
  const scope = (i: number) => ({ workspace_id: 'wsp_1', user_id: `usr_${i % 300}` });
  for (let from = 0; from < ROWS; from += AT_ONCE) {
    const some = numbers.slice(from, from + AT_ONCE);
    await tx
      .insertInto('mail_delivery_log')
      .values(
        some.map((i) => ({
          ...scope(i),
          id: `${firstIdAt('dlv', i * DAY)}${i}`,
          delivered_at: i * DAY,
          sender: '',
          recipient: 'someone@example.org',
          message_id_header: '',
          outcome: 'delivered' as const,
          message_id: `msg_${i}`,
          filter_ids: '[]',
        })),
      )
      .execute();
    await tx
      .insertInto('thread_links')
      .values(some.map((i) => ({ ...scope(i), link: `link ${i}`, thread_id: `thr_${i}` })))
      .execute();
    await tx
      .insertInto('mail_folders')
      .values(
        some.map((i) => ({
          ...scope(i),
          id: `fld_${i}`,
          name: `${i}`,
          parent_id: '',
          role: null,
          created_at: 0,
        })),
      )
      .execute();
    await tx
      .insertInto('users')
      .values(some.map((i) => ({ ...NOBODY, workspace_id: 'wsp_1', id: `usr_${i}`, name: `${i}` })))
      .execute();
    await tx
      .insertInto('mail_filters')
      .values(some.map((i) => ({ ...scope(i), ...FILTER, id: `flt_${i}` })))
      .execute();
    await tx
      .insertInto('user_addresses')
      .values(some.map((i) => ({ ...scope(i), address: `${i}@example.org` })))
      .execute();
  }
}

async function* bytes(raw: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(raw);
}

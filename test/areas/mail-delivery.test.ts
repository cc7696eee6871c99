/** One message into several mailboxes: the part of delivery that no door sees whole. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { insertFilter } from '../../src/areas/mail/filters/filter-store.ts';
import type { Recipient } from '../../src/areas/mail/service.ts';
import { newId } from '../../src/platform/ids.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { folderOf, rfc822 } from './mail-world.ts';

/** Over what the database keeps itself: it goes to the blob store. */
const LARGE = 'x'.repeat(300_000);
const READ = ['mail.messages.read'] as const;

interface Person {
  recipient: Recipient;
  key: string;
}

forEachEngine((engine) => {
  describe('delivering', () => {
    let app: TestApp;
    beforeEach(async () => {
      app = await startApp(engine);
    });
    afterEach(() => app.stop());

    async function person(address: string, aliases: string[] = []): Promise<Person> {
      const user = await makeUser(app, { email: address, aliases });
      const { key } = await makeKey(app, READ, { user_id: user.id });
      return { recipient: await recipient(address), key };
    }

    async function recipient(address: string): Promise<Recipient> {
      const { database, directory } = app.services;
      const found = await database.read((tx) => directory.findRecipient(tx, address));
      return { ...(found ?? assert.fail(`nobody has ${address}`)), address };
    }

    async function deliver(recipients: Recipient[], raw: string) {
      const { database, mail } = app.services;
      const staged = await mail.filter(recipients, await mail.receive(bytes(raw)));
      return database.write((tx) =>
        mail.deliver(tx, recipients, staged, { sender: '', deliveredAt: Date.now() }),
      );
    }

    async function inboxOf({ key }: Person) {
      const inbox = await folderOf(app, 'inbox', key);
      return data(await app.get(`/v1/messages?folder_id=${inbox}`, { key }));
    }

    it('a message with thousands of references notes a bounded number of ids for all of its recipients (MAIL-78)', async () => {
      const owners: Recipient[] = [];
      for (let i = 0; i < 40; i++) {
        await makeUser(app, { email: `p${i}@example.org` });
        owners.push(await recipient(`p${i}@example.org`));
      }
      const references = Array.from({ length: 3_000 }, (_, i) => `<many.${i}@t.example>`);
      await deliver(owners, rfc822({ references }));
      const notes = await app.services.database.read((tx) =>
        tx.selectFrom('thread_links').select('link').execute(),
      );
      assert.equal(notes.length, 5_000);
    });

    for (const [size, body] of [
      ['small', 'Hello'],
      ['large', LARGE],
    ] as const) {
      it(`gives each mailbox its own copy of a ${size} message`, async () => {
        const people = [
          await person('a@example.org'),
          await person('b@example.org'),
          await person('c@example.org'),
        ];
        const raw = rfc822({ body, messageId: '<one@example.org>' });
        await deliver(
          people.map((one) => one.recipient),
          raw,
        );
        const ids = new Set();
        for (const one of people) {
          const [message, ...others] = await inboxOf(one);
          assert.deepEqual(others, []);
          assert.equal((await app.get(`/v1/messages/${message.id}/raw`, { key: one.key })).text, raw);
          ids.add(message.id).add(message.thread_id);
        }
        assert.equal(ids.size, 6, 'ids and threads are of one mailbox');
        assert.deepEqual(await pendingBlobs(), [], 'the bytes are taken over');
      });
    }

    it('a delivery to one who is named twice is one message (SMTP-6)', async () => {
      const one = await person('a@example.org', ['alias@example.org']);
      const delivered = await deliver([one.recipient, await recipient('ALIAS@example.org')], rfc822());
      assert.equal(delivered.length, 1);
      assert.equal((await inboxOf(one)).length, 1);
    });

    it('counts and logs what it delivers', async () => {
      const one = await person('a@example.org');
      const [delivered] = await deliver([one.recipient], rfc822({ messageId: '<one@example.org>' }));
      const folders = data(await app.get('/v1/folders', { key: one.key }));
      const inbox = folders.find(({ role }: { role: string }) => role === 'inbox');
      assert.deepEqual([inbox.message_count, inbox.unread_count], [1, 1]);
      const [line] = await logged();
      assert.equal(line?.message_id, delivered?.messageId);
      assert.deepEqual(
        [line?.outcome, line?.recipient, line?.message_id_header, line?.filter_ids],
        ['delivered', 'a@example.org', '<one@example.org>', '[]'],
      );
    });

    it('a delivery does what the filters say, and records which (FILTER-22, SMTP-10)', async () => {
      const one = await person('a@example.org');
      const id = await filter(one, [
        { type: 'move', folder: 'Lists/Ada' },
        { type: 'set_flag', flag: 'starred' },
      ]);
      const [delivered] = await deliver([one.recipient], rfc822());
      assert.deepEqual(await inboxOf(one), []);
      const message = data(await app.get(`/v1/messages/${delivered?.messageId}`, { key: one.key }));
      const folders = data(await app.get('/v1/folders', { key: one.key }));
      const folder = folders.find(({ id }: { id: string }) => id === message.folder_id);
      assert.deepEqual([folder.name, folder.message_count, folder.unread_count], ['Ada', 1, 1]);
      assert.equal(message.flags.starred, true);
      assert.equal(message.applied_filters[0].filter_id, id);
      assert.equal((await logged())[0]?.filter_ids, JSON.stringify([id]));
    });

    it('a delivery stores what is discarded nowhere, and says so in the log (FILTER-21, FILTER-23)', async () => {
      const [one, two] = [await person('a@example.org'), await person('b@example.org')];
      const id = await filter(one, [{ type: 'discard' }]);
      const large = rfc822({ body: LARGE });
      await deliver([one.recipient, two.recipient], large);
      await deliver([one.recipient], large);
      assert.deepEqual(await inboxOf(one), []);
      const [message] = await inboxOf(two);
      assert.equal((await app.get(`/v1/messages/${message.id}/raw`, { key: two.key })).text, large);
      const lines = (await logged()).filter(({ user_id }) => user_id === one.recipient.userId);
      for (const line of lines) {
        assert.deepEqual(
          [line.outcome, line.message_id, line.filter_ids],
          ['discarded', null, JSON.stringify([id])],
        );
      }
      assert.equal(lines.length, 2);
      await untilNothingIsPending();
    });

    it('the delivery log forgets lines after thirty days (FILTER-21)', async () => {
      const one = await person('a@example.org');
      await deliver([one.recipient], rfc822());
      const { database, mail } = app.services;
      const day = 24 * 60 * 60 * 1000;
      const forget = (days: number) =>
        database.write((tx) => mail.forgetDeliveries(tx, Date.now() + days * day, 10));
      assert.deepEqual([await forget(29), await forget(31), await forget(31)], [0, 1, 0]);
      assert.deepEqual(await logged(), []);
    });

    it('does not block itself when many deliver to the same mailboxes in any order', async () => {
      const people = [
        await person('a@example.org'),
        await person('b@example.org'),
        await person('c@example.org'),
      ];
      const recipients = people.map((one) => one.recipient);
      const orders = Array.from({ length: 24 }, (_, i) => (i % 2 ? recipients : recipients.toReversed()));
      await Promise.all(orders.map((order) => deliver(order, rfc822())));
      for (const one of people) assert.equal((await inboxOf(one)).length, orders.length);
    });

    it('a delivery reaches nobody when one of them cannot be delivered to (SMTP-6)', async () => {
      const one = await person('a@example.org');
      const nobody = { ...one.recipient, userId: 'usr_00000000000000000000000000' };
      await assert.rejects(deliver([one.recipient, nobody], rfc822()), /no folder for inbox/);
      assert.deepEqual(await inboxOf(one), []);
    });

    it('a delivery finds the mailbox of an address in any case and of a domain in either form (SMTP-2)', async () => {
      const one = await person('ada@bücher.example', ['Grace@xn--mnchen-3ya.example']);
      for (const address of [
        'ADA@BÜCHER.example',
        'ada@xn--bcher-kva.example',
        'grace@münchen.example',
        'grace@XN--MNCHEN-3YA.example',
      ])
        assert.equal((await recipient(address)).userId, one.recipient.userId, address);
    });

    /** A filter for whatever Ada sends. */
    async function filter(
      { recipient: { workspaceId, userId } }: Person,
      actions: object[],
    ): Promise<string> {
      const id = newId('flt');
      const rule = { match: 'all', conditions: [{ field: 'from', op: 'contains', value: 'ada' }], actions };
      await app.services.database.write((tx) =>
        insertFilter(tx, {
          workspace_id: workspaceId,
          user_id: userId,
          id,
          name: 'Ada',
          priority: 1,
          enabled: 1,
          rule: JSON.stringify(rule),
          created_at: 0,
          updated_at: 0,
        }),
      );
      return id;
    }

    function logged() {
      return app.services.database.read((tx) => tx.selectFrom('mail_delivery_log').selectAll().execute());
    }

    const untilNothingIsPending = () =>
      eventually(async () => (await pendingBlobs()).length === 0, 'the bytes of a discarded message go');

    function pendingBlobs() {
      return app.services.database.read((tx) => tx.selectFrom('pending_blobs').selectAll().execute());
    }
  });
});

async function* bytes(raw: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(raw);
}

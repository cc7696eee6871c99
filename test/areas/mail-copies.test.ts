/** A message to many mailboxes: each has it as a message of its own, and the database has what it says once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { ALL_PERMISSIONS } from '../../src/contract/permissions.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser, makeWorkspace } from './accounts.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

const MAILBOXES = 20;
/** Less than what goes to the blob store. */
const TEXT = 'All of you are asked to read this.\r\n'.repeat(2_000);

interface Mailbox {
  email: string;
  key: string;
}

async function newMailbox(app: TestApp): Promise<Mailbox> {
  const { id, email } = await makeUser(app);
  const { key } = await makeKey(app, ALL_PERMISSIONS, { user_id: id });
  return { email, key };
}

forEachEngine((engine) => {
  describe('a message to many mailboxes', () => {
    let app: TestApp;
    let mailboxes: Mailbox[];
    before(async () => {
      app = await startApp(engine);
      mailboxes = await Promise.all(Array.from({ length: MAILBOXES }, () => newMailbox(app)));
    });
    after(() => app.stop());

    /** Bytes that the contents of all messages take. */
    const stored = () =>
      app.services.database.read(async (tx) => {
        const bytes = sql<number>`sum(octet_length(record) + coalesce(octet_length(raw), 0))`;
        const row = await tx.selectFrom('message_contents').select(bytes.as('bytes')).executeTakeFirst();
        return Number(row?.bytes ?? 0);
      });

    const newest = async ({ key }: Mailbox) => {
      const [summary] = data(
        await app.get(`/v1/messages?folder_id=${await folderOf(app, 'inbox', key)}`, { key }),
      );
      return data(await app.get(`/v1/messages/${summary.id}`, { key }));
    };
    const rawOf = async ({ key }: Mailbox, id: string) =>
      (await app.get(`/v1/messages/${id}/raw`, { key })).text;

    async function assertHaveIt(some: readonly Mailbox[], subject: string): Promise<void> {
      for (const mailbox of some) {
        const message = await newest(mailbox);
        assert.equal(message.subject, subject);
        assert.equal(message.text.trim(), TEXT.replaceAll('\r', '').trim());
        assert.ok((await rawOf(mailbox, message.id)).includes('All of you'));
      }
    }

    async function send(subject: string, to: readonly Mailbox[]): Promise<void> {
      const body = { to: to.map(({ email }) => email), subject, text: TEXT };
      assert.equal((await app.post('/v1/messages', body)).status, 201);
    }

    async function deliver(subject: string, to: readonly Mailbox[], fields = ''): Promise<void> {
      const client = await greeted(app.smtp.port);
      const recipients = to.map(({ email }) => email);
      const message = `From: a@b.example\r\nSubject: ${subject}\r\n${fields}\r\n${TEXT}`;
      const { code } = await client.transact(recipients, message);
      client.close();
      assert.equal(code, 250);
    }

    it('is stored once for all of them when it is sent', async () => {
      const before = await stored();
      await send('Sent', mailboxes);
      // Once for Sent, and once for all others, who do not see the same recipients.
      assert.ok((await stored()) - before < 6 * TEXT.length, `${(await stored()) - before} bytes`);
      await assertHaveIt(mailboxes, 'Sent');
    });

    it('is stored once for all of them when it comes by SMTP', async () => {
      const before = await stored();
      await deliver('Come', mailboxes);
      assert.ok((await stored()) - before < 4 * TEXT.length, `${(await stored()) - before} bytes`);
      await assertHaveIt(mailboxes, 'Come');
    });

    it('is what filters see in each of them', async () => {
      const rule = { match: 'all', conditions: [{ field: 'body', op: 'contains', value: 'asked to read' }] };
      for (const { key } of mailboxes.slice(0, 3)) {
        const body = { rule: { ...rule, actions: [{ type: 'mark_read' }] } };
        const preview = data(await app.post('/v1/mail/filters/preview', body, { key, idempotencyKey: null }));
        assert.equal(preview.matched, 2);
      }
    });

    it('stays with the others when the first of them expunges it, and comes back to the first', async () => {
      await send('Expunged', mailboxes);
      const [first, ...others] = mailboxes as [Mailbox, ...Mailbox[]];
      const { key } = first;
      const { id } = await newest(first);
      const raw = await rawOf(first, id);
      const inbox = await folderOf(app, 'inbox', key);
      const flagged = { message_ids: [id], op: 'add', flags: ['deleted'] };
      data(await app.post(`/v1/folders/${inbox}/messages/flags`, flagged, { key }));
      assert.deepEqual(data(await app.post(`/v1/folders/${inbox}/expunge`, undefined, { key })), {
        expunged: 1,
      });
      await assertHaveIt(others, 'Expunged');
      data(await app.post(`/v1/messages/${id}/restore`, undefined, { key }));
      await assertHaveIt([first], 'Expunged');
      assert.equal(await rawOf(first, id), raw);
    });

    it('a message to many mailboxes joins in each of them the thread of a message that is among the last hundred it names (MAIL-78)', async () => {
      const [first] = mailboxes as [Mailbox];
      const others = await Promise.all(Array.from({ length: 60 - MAILBOXES }, () => newMailbox(app)));
      const inbox = await folderOf(app, 'inbox', first.key);
      const root = rfc822({ messageId: '<root@many.example>' });
      const { thread_id } = await append(app, inbox, root, { key: first.key });
      const references = Array.from({ length: 98 }, (_, i) => `<${i}@many.example>`);
      const fields = `References: <root@many.example> ${references.join('\r\n ')}\r\n`;
      await deliver('Connected', [...mailboxes, ...others], fields);
      assert.equal((await newest(first)).thread_id, thread_id);
    });

    it('a message to many mailboxes is stored in each workspace that it comes to (SMTP-1)', async () => {
      const elsewhere = await makeWorkspace(app);
      const { email } = data(await app.get(`/v1/users/${elsewhere.ownerId}`, { key: elsewhere.key }));
      await deliver('Two workspaces', [{ email, key: elsewhere.key }, ...mailboxes.slice(0, 2)]);
      await assertHaveIt([{ email, key: elsewhere.key }, ...mailboxes.slice(0, 2)], 'Two workspaces');
      const own = sql<number>`count(distinct workspace_id)`.as('workspaces');
      const row = await app.services.database.read((tx) =>
        tx.selectFrom('message_contents').where('content_of', 'is', null).select(own).executeTakeFirst(),
      );
      assert.equal(Number(row?.workspaces), 2);
    });
  });
});

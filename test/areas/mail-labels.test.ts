/** The labels of a mailbox, and how many messages carry each. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { append, everyPage, rfc822 } from './mail-world.ts';

forEachEngine((engine) => {
  describe('labels', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const newMailbox = async () => {
      const { id, email } = await makeUser(app);
      const permissions = ['mail.messages.read', 'mail.messages.write', 'mail.settings.write'] as const;
      const { key } = await makeKey(app, permissions, { user_id: id });
      return { id, email, key };
    };
    type Mailbox = Awaited<ReturnType<typeof newMailbox>>;
    const put = async ({ key }: Mailbox, query: string, folder = 'inbox'): Promise<string> =>
      (await append(app, folder, rfc822(), { key, query })).id;
    const change = async ({ key }: Mailbox, fields: object) =>
      data(await app.post('/v1/messages/batch', fields, { key }));
    /** Each label with its messages and those that are unread. */
    const labelsOf = async ({ key }: Mailbox): Promise<[string, number, number][]> =>
      (await everyPage(app, '/v1/labels', 100, key)).map((one) => [
        one.label,
        one.message_count,
        one.unread_count,
      ]);

    it('labels are listed in order, over all folders, with what is unread (MAIL-110)', async () => {
      const mailbox = await newMailbox();
      assert.deepEqual(await labelsOf(mailbox), []);
      await put(mailbox, '?label=todo&label=Zoë');
      await put(mailbox, '?label=todo&flag=read', 'archive');
      await put(mailbox, '');
      assert.deepEqual(await labelsOf(mailbox), [
        ['Zoë', 1, 1],
        ['todo', 2, 1],
      ]);
      const { json } = await app.get('/v1/labels', { key: mailbox.key });
      assert.deepEqual(Object.keys(json.data[0]).sort(), ['label', 'message_count', 'unread_count']);
      assert.deepEqual(json.pagination, { next_cursor: '', has_more: false, limit: 25 });
    });

    it('a label that a request names twice is counted once (MAIL-110)', async () => {
      const mailbox = await newMailbox();
      const { key } = mailbox;
      const ids = [await put(mailbox, '?label=a&label=a'), await put(mailbox, '')];
      const flags = async (op: string, labels: string[]) => {
        data(await app.post('/v1/folders/inbox/messages/flags', { message_ids: ids, op, labels }, { key }));
        return labelsOf(mailbox);
      };
      assert.deepEqual(await flags('add', ['a', 'b', 'a', 'b']), [
        ['a', 2, 2],
        ['b', 2, 2],
      ]);
      assert.deepEqual(await flags('remove', ['a', 'a']), [['b', 2, 2]]);
      assert.deepEqual(await flags('set', ['c', 'c', 'b', 'c']), [
        ['b', 2, 2],
        ['c', 2, 2],
      ]);
      await change(mailbox, { message_ids: ids, add_labels: ['d', 'd'], remove_labels: ['b', 'b', 'c'] });
      assert.deepEqual(await labelsOf(mailbox), [['d', 2, 2]]);
    });

    it('labels follow every change of labels, flags and messages (MAIL-110)', async () => {
      const mailbox = await newMailbox();
      const { key } = mailbox;
      const [one, two] = [await put(mailbox, '?label=a'), await put(mailbox, '?label=a&label=b')];
      await change(mailbox, { message_ids: [one, two], add_labels: ['b', 'c'], add_flags: ['starred'] });
      assert.deepEqual(await labelsOf(mailbox), [
        ['a', 2, 2],
        ['b', 2, 2],
        ['c', 2, 2],
      ]);
      await change(mailbox, { message_ids: [one], add_flags: ['read'], remove_labels: ['c'] });
      assert.deepEqual(await labelsOf(mailbox), [
        ['a', 2, 1],
        ['b', 2, 1],
        ['c', 1, 1],
      ]);
      await change(mailbox, { message_ids: [one, two], add_flags: ['read'], move_to: 'archive' });
      assert.deepEqual(await labelsOf(mailbox), [
        ['a', 2, 0],
        ['b', 2, 0],
        ['c', 1, 0],
      ]);
      const set = { message_ids: [one, two], op: 'set', flags: ['deleted'], labels: ['b', 'd'] };
      data(await app.post('/v1/folders/archive/messages/flags', set, { key }));
      assert.deepEqual(await labelsOf(mailbox), [
        ['b', 2, 2],
        ['d', 2, 2],
      ]);
      data(await app.post('/v1/folders/archive/expunge', undefined, { key }));
      assert.deepEqual(await labelsOf(mailbox), [], 'a label of none is gone');
      data(await app.post(`/v1/messages/${one}/restore`, undefined, { key }));
      assert.deepEqual(await labelsOf(mailbox), [
        ['b', 1, 1],
        ['d', 1, 1],
      ]);
      const rule = {
        conditions: [{ field: 'subject', op: 'contains', value: 'e' }],
        actions: [{ type: 'add_label', label: 'x' }, { type: 'mark_read' }],
      };
      const filter = data(await app.post('/v1/mail/filters', { name: 'x', priority: 1, rule }, { key }), 201);
      data(await app.post(`/v1/mail/filters/${filter.id}/apply`, { folder_id: 'archive' }, { key }));
      assert.deepEqual(await labelsOf(mailbox), [
        ['b', 1, 0],
        ['d', 1, 0],
        ['x', 1, 0],
      ]);
      await assertVerified();
    });

    it('each mailbox has labels of its own, and pages of them (API-119, MAIL-110)', async () => {
      const [mailbox, other] = [await newMailbox(), await newMailbox()];
      const labels = Array.from({ length: 60 }, (_, i) => `label ${String(i).padStart(2, '0')}`);
      for (const some of [labels.slice(0, 30), labels.slice(30)])
        await put(mailbox, `?${some.map((label) => `label=${encodeURIComponent(label)}`).join('&')}`);
      await put(other, '?label=mine');
      const first = await app.get('/v1/labels?limit=25', { key: mailbox.key });
      assert.deepEqual(first.json.pagination.has_more, true);
      const paged = await everyPage(app, '/v1/labels', 25, mailbox.key);
      assert.deepEqual(
        paged.map(({ label }) => label),
        labels,
      );
      assert.deepEqual(await labelsOf(other), [['mine', 1, 1]]);
    });

    const assertVerified = async () => {
      const wrong = await app.services.database.read((tx) =>
        tx
          .selectFrom('mail_label_counts as c')
          .select(['c.label', 'c.messages', 'c.unread'])
          .where('c.messages', '<=', 0)
          .execute(),
      );
      assert.deepEqual(wrong, []);
    };
  });
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { insertMessages } from './insert-messages.ts';
import { append, everyPage, folderCounts, folderOf, rfc822 } from './mail-world.ts';

const WITH_ATTACHMENT = [
  'Message-ID: <expunged@t.example>',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Disposition: attachment; filename=a.txt',
  '',
  'text',
  '--b--',
].join('\r\n');

forEachEngine((engine) => {
  describe('expunging and restoring', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    let made = 0;
    const newFolder = async (): Promise<string> =>
      data(await app.post('/v1/folders', { name: `Folder ${made++}` }), 201).id;
    const expunge = async (folder: string) => data(await app.post(`/v1/folders/${folder}/expunge`));
    const restore = (id: string) => app.post(`/v1/messages/${id}/restore`);
    const idsOf = async (query: string) =>
      (await everyPage(app, `/v1/messages?${query}`, 50)).map(({ id }) => id).sort();

    test('expunging takes the messages with the deleted flag, and no others, out of listings and counts (MAIL-15, MAIL-61)', async () => {
      const [folder, other] = [await newFolder(), await newFolder()];
      const kept = await append(app, folder, rfc822(), { query: '?flag=read&label=gone' });
      const deleted = [
        await append(app, folder, rfc822(), { query: '?flag=deleted&label=gone' }),
        await append(app, folder, rfc822(), { query: '?flag=deleted&flag=read&flag=starred' }),
      ];
      const elsewhere = await append(app, other, rfc822(), { query: '?flag=deleted&label=gone' });
      assert.deepEqual(await expunge(folder), { expunged: 2 });
      assert.deepEqual(await folderCounts(app, folder), [1, 0]);
      assert.deepEqual(await folderCounts(app, other), [1, 1]);
      assert.deepEqual(await idsOf(`folder_id=${folder}`), [kept.id]);
      assert.deepEqual(await idsOf('label=gone'), [kept.id, elsewhere.id].sort());
      assert.deepEqual(await idsOf('flag=deleted'), [elsewhere.id]);
      const unread = await idsOf('unread=true');
      assert.ok(deleted.every(({ id }) => !unread.includes(id)));
      assert.deepEqual(await expunge(folder), { expunged: 0 });
    });

    test('an expunged message is not found, by any path, until it is restored (API-20, MAIL-62)', async () => {
      const folder = await newFolder();
      const { id } = await append(app, folder, WITH_ATTACHMENT, { query: '?flag=deleted' });
      const record = data(await app.get(`/v1/messages/${id}`));
      const paths = [
        `/v1/messages/${id}`,
        `/v1/messages/${id}/raw`,
        `/v1/messages/${id}/attachments/${record.attachments[0].id}`,
      ];
      await expunge(folder);
      for (const path of paths) {
        const { status, json } = await app.get(path);
        assert.deepEqual([status, json.error.code], [404, 'not_found']);
        assert.deepEqual(json.error.details, { resource: 'message', id });
      }
      const batch = { message_ids: [id], op: 'remove', flags: ['deleted'] };
      const { json } = await app.post(`/v1/folders/${folder}/messages/flags`, batch);
      assert.deepEqual(json.error.details, { message_ids: [id] });
      await restore(id);
      for (const path of paths) assert.equal((await app.get(path)).status, 200);
      assert.equal((await app.get(paths[1] ?? '')).text, WITH_ATTACHMENT);
      assert.deepEqual(data(await app.get(`/v1/messages/${id}`)).attachments, record.attachments);
    });

    test('restoring puts it back where it was, without the deleted flag (MAIL-63)', async () => {
      const folder = await newFolder();
      const before = await append(app, folder, rfc822({ messageId: '<back@t.example>' }), {
        query: '?flag=deleted&flag=starred&label=z&label=a',
      });
      await expunge(folder);
      const answer = await restore(before.id);
      const expected = { ...before, flags: { ...before.flags, deleted: false } };
      assert.deepEqual(data(answer), expected);
      assert.deepEqual(await everyPage(app, `/v1/messages?folder_id=${folder}&label=z&label=a`, 50), [
        expected,
      ]);
      assert.deepEqual(await folderCounts(app, folder), [1, 1]);
    });

    test('messages of one date are in order of their ids, those that came back too (MAIL-29)', async () => {
      const folder = await newFolder();
      const made: string[] = [];
      for (const query of ['', '?flag=deleted', '', '?flag=deleted']) {
        made.push((await append(app, folder, rfc822(), { query })).id);
      }
      await expunge(folder);
      const late = (await append(app, folder, rfc822())).id;
      for (const i of [3, 1]) data(await restore(made[i] ?? ''));
      const listed = await everyPage(app, `/v1/messages?folder_id=${folder}`, 2);
      const newestFirst = [...made, late].sort().reverse();
      assert.deepEqual(
        listed.map(({ id }) => id),
        newestFirst,
      );
    });

    test('a message whose folder is gone comes back to the inbox (MAIL-63)', async () => {
      const folder = await newFolder();
      const { id } = await append(app, folder, rfc822(), { query: '?flag=deleted&label=homeless' });
      await expunge(folder);
      await app.services.database.write((tx) =>
        tx.deleteFrom('mail_folders').where('id', '=', folder).execute(),
      );
      const inbox = await folderOf(app, 'inbox');
      const before = await folderCounts(app, inbox);
      assert.equal(data(await restore(id)).folder_id, inbox);
      assert.deepEqual(
        await folderCounts(app, inbox),
        before.map((count) => count + 1),
      );
      assert.deepEqual(await idsOf(`folder_id=${inbox}&label=homeless`), [id]);
    });

    test('restoring what was not expunged changes nothing and answers as usual (MAIL-63)', async () => {
      const folder = await newFolder();
      const active = await append(app, folder, rfc822(), { query: '?flag=deleted&label=x' });
      assert.deepEqual(data(await restore(active.id)), active);
      assert.deepEqual(await folderCounts(app, folder), [1, 1]);
      await expunge(folder);
      const restored = data(await restore(active.id));
      assert.deepEqual(data(await restore(active.id)), restored);
      assert.deepEqual(await folderCounts(app, folder), [1, 1]);
    });

    test('a conversation stays one over an expunged message', async () => {
      const folder = await newFolder();
      const raw = (id: string, refs: string[] = []) =>
        rfc822({ messageId: `<${id}@thread.example>`, references: refs.map((r) => `<${r}@thread.example>`) });
      const first = await append(app, folder, raw('1'), { query: '?flag=deleted' });
      const apart = await append(app, folder, raw('2'));
      await append(app, folder, raw('3', ['2']));
      assert.notEqual(apart.thread_id, first.thread_id);
      await expunge(folder);
      const joining = await append(app, folder, raw('4', ['1', '3']));
      assert.equal(data(await restore(first.id)).thread_id, joining.thread_id);
      assert.equal(data(await app.get(`/v1/messages/${apart.id}`)).thread_id, joining.thread_id);
    });

    test('many messages, of every set of flags, go at once and exactly', async () => {
      const folder = await newFolder();
      const [sample] = [await append(app, folder, rfc822(), { query: '?flag=deleted&label=many' })];
      await app.services.database.write((tx) => multiply(tx, sample.id, 2_600));
      const before = await folderCounts(app, folder);
      assert.equal(before[0], 2_601);
      const { expunged } = await expunge(folder);
      const left = await everyPage(app, `/v1/messages?folder_id=${folder}`, 200);
      assert.equal(expunged + left.length, 2_601);
      assert.ok(left.every(({ flags }) => !flags.deleted));
      assert.deepEqual(await folderCounts(app, folder), [
        left.length,
        left.filter(({ flags }) => !flags.read).length,
      ]);
      assert.deepEqual(await idsOf(`label=many`), left.map(({ id }) => id).sort());
    });

    test('a repeat with the same Idempotency-Key is answered as before and expunges nothing more', async () => {
      const folder = await newFolder();
      await append(app, folder, rfc822(), { query: '?flag=deleted' });
      const options = { idempotencyKey: randomUUID() };
      const first = await app.post(`/v1/folders/${folder}/expunge`, undefined, options);
      assert.deepEqual(data(first), { expunged: 1 });
      await append(app, folder, rfc822(), { query: '?flag=deleted' });
      const again = await app.post(`/v1/folders/${folder}/expunge`, undefined, options);
      assert.equal(again.text, first.text);
      assert.deepEqual(await folderCounts(app, folder), [1, 1]);
    });
  });
});

/** Puts copies of a message, of all sets of flags in turn, straight into the tables. */
async function multiply(tx: WriteTransaction, messageId: string, copies: number): Promise<void> {
  const message = await tx
    .selectFrom('messages')
    .innerJoin('message_states as s', 's.number', 'messages.number')
    .innerJoin('mail_folders as f', 'f.number', 'folder_number')
    .select(['f.id as folder_id', 'folder_number', 'thread_id', 'date', 'labels', 'summary'])
    .select(['messages.workspace_id', 'messages.user_id'])
    .where('messages.id', '=', messageId)
    .executeTakeFirstOrThrow();
  const { folder_id, ...row } = message;
  const { workspace_id, user_id } = row;
  const rows = Array.from({ length: copies }, (_, i) => ({
    ...row,
    id: `${messageId.slice(0, -6)}${String(i).padStart(6, '0')}`,
    flags: i % 32,
  }));
  for (let i = 0; i < rows.length; i += 500) {
    const portion = rows.slice(i, i + 500);
    const stored = await insertMessages(tx, portion);
    await tx
      .insertInto('message_labels')
      .values(
        stored.map(({ number, folder_number, flags, date }) => ({
          workspace_id,
          user_id,
          label: 'many',
          message_number: number,
          folder_number,
          flags,
          date,
        })),
      )
      .execute();
  }
  for (let flags = 0; flags < 32; flags++) {
    const messages = rows.filter((row) => row.flags === flags).length;
    await tx
      .insertInto('mail_folder_counts')
      .values({ workspace_id, user_id, folder_id, flags, messages })
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'folder_id', 'flags']).doUpdateSet(({ eb, ref }) => ({
          messages: eb(ref('mail_folder_counts.messages'), '+', messages),
        })),
      )
      .execute();
  }
}

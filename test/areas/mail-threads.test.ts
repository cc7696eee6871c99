import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { directoryOf, importMail, mbox, messagesIn } from './mail-import-world.ts';
import { append, type Draft, folderOf, rfc822 } from './mail-world.ts';

const CORPUS = '../shared/corpus/mail/THREADS.tsv';

forEachEngine((engine) => {
  describe('threads', () => {
    let app: TestApp;
    let inbox: string;
    let round = 0;

    before(async () => {
      app = await startApp(engine);
      inbox = await folderOf(app, 'inbox');
    });
    after(() => app.stop());

    /** Appends messages in order; answers which of them share a thread, as groups of their subjects. */
    const groups = async (drafts: readonly Draft[]): Promise<string[][]> => {
      const ids = [];
      for (const draft of drafts) ids.push((await append(app, inbox, rfc822(draft))).id);
      const byThread = new Map<string, string[]>();
      for (const id of ids) {
        const { json } = await app.get(`/v1/messages/${id}`);
        assert.ok(json.data.thread_id, 'mail that is threaded names its thread');
        byThread.set(json.data.thread_id, [...(byThread.get(json.data.thread_id) ?? []), json.data.subject]);
      }
      return [...byThread.values()].map((group) => group.sort()).sort();
    };

    test('an id that looks encoded is kept and answered as it is written (MAIL-27, MAIL-71, MAIL-116)', async () => {
      const id = `<=?utf-8?q?a=2E${engine}?=@t.example>`;
      assert.deepEqual(
        await groups([
          { subject: 'encoded', messageId: id },
          { subject: 'decoded', messageId: `<a.${engine}@t.example>` },
        ]),
        [['decoded'], ['encoded']],
      );
      const listed = (await app.get('/v1/messages?folder_id=inbox')).json.data;
      const [encoded] = listed.filter(({ subject }: { subject: string }) => subject === 'encoded');
      assert.equal(encoded.message_id, id);
      const reply = { to: ['owner@localhost'], reply_to_message_id: encoded.id, text: 'x' };
      const sent = (await app.post('/v1/messages', reply)).json.data;
      const { in_reply_to, references, thread_id } = (await app.get(`/v1/messages/${sent.id}`)).json.data;
      assert.deepEqual([in_reply_to, references, thread_id], [id, [id], encoded.thread_id]);
    });

    test('any order of arrival gives the same threads (MAIL-21, MAIL-77, MAIL-78)', async () => {
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }), async (order) => {
          const id = (name: string) => `<${name}.${engine}.${++round && round}@t.example>`;
          const [root, reply, deep, lost, late, other] = ['a', 'b', 'c', 'x', 'e', 'o'].map(id);
          const drafts: Draft[] = [
            { subject: 'root', messageId: root },
            { subject: 'reply', messageId: reply, inReplyTo: root },
            { subject: 'deep', messageId: deep, references: [root ?? '', reply ?? ''] },
            // Two that name a message which never comes.
            { subject: 'orphan 1', messageId: id('f'), inReplyTo: lost },
            { subject: 'orphan 2', messageId: id('g'), references: [lost ?? ''] },
            // One that connects the orphans with the conversation.
            { subject: 'bridge', messageId: late, references: [lost ?? '', deep ?? ''] },
            { subject: 'other', messageId: other },
          ];
          const arrived = order.map((i) => drafts[i] ?? {});
          assert.deepEqual(await groups(arrived), [
            ['bridge', 'deep', 'orphan 1', 'orphan 2', 'reply', 'root'],
            ['other'],
          ]);
        }),
        { numRuns: 12 },
      );
    });

    test('equal subjects, placeholder ids and missing ids join nothing (MAIL-79)', async () => {
      const drafts = [
        { subject: 'same', inReplyTo: '<no-at-sign>' },
        { subject: 'same', references: ['<no-at-sign>'] },
        { subject: 'same', messageId: '<no-at-sign>' },
        { subject: 'same' },
      ];
      assert.equal((await groups(drafts)).length, 4);
    });

    test('another mailbox has threads of its own', async () => {
      const user = (await app.post('/v1/users', { email: `second@${engine}.example`, name: 'Second' })).json
        .data;
      const permissions = ['mail.messages.read', 'mail.messages.write'];
      const { key } = (await app.post('/v1/api-keys', { name: 'k', permissions, user_id: user.id })).json
        .data;
      const mine = await append(app, inbox, rfc822({ messageId: '<shared@t.example>' }));
      const folder = await folderOf(app, 'inbox', key);
      const theirs = await append(app, folder, rfc822({ messageId: '<shared@t.example>' }), { key });
      assert.notEqual(mine.thread_id, theirs.thread_id);
    });

    test('thousands of references are followed (MAIL-78)', async () => {
      const references = Array.from({ length: 5_000 }, (_, i) => `<many.${i}@t.example>`);
      const big = await append(app, inbox, rfc822({ references }));
      const one = await append(app, inbox, rfc822({ messageId: references[4_321] ?? '' }));
      assert.equal(one.thread_id, big.thread_id);
    });

    test('of more than 5,000 references the nearest 5,000 count (MAIL-78)', async () => {
      const references = Array.from({ length: 5_050 }, (_, i) => `<beyond.${i}@t.example>`);
      const big = await append(app, inbox, rfc822({ references }));
      const threadOf = async (i: number) =>
        (await append(app, inbox, rfc822({ messageId: references[i] ?? '' }))).thread_id;
      assert.notEqual(await threadOf(20), big.thread_id);
      assert.equal(await threadOf(100), big.thread_id);
    });

    test('a message connects a hundred threads and no more: those of its last references (MAIL-78)', async (t) => {
      const ids = Array.from({ length: 1_200 }, (_, i) => `<apart.${i}@t.example>`);
      const mailbox = mbox(ids.map((id, i) => `Message-ID: ${id}\nSubject: apart ${i}\n\n`));
      const directory = await directoryOf(t, { 'apart.mbox': mailbox });
      const report = await importMail(app, '--folder', 'Apart', directory);
      assert.equal(report.added, ids.length);
      const big = await append(app, inbox, rfc822({ references: ids }));
      const joined = (await messagesIn(app, 'Apart')).filter(({ thread_id }) => thread_id === big.thread_id);
      assert.deepEqual(
        joined.map(({ subject }) => subject).sort(),
        ids
          .map((_, i) => `apart ${i}`)
          .slice(-100)
          .sort(),
      );
    });

    test('the real threads of the corpus come together', {
      skip: !existsSync(CORPUS) && 'no corpus here',
    }, async () => {
      const rows = readFileSync(CORPUS, 'utf8').trim().split('\n').slice(1);
      const subjects = rows.map((row) => row.split('\t'));
      const appended = new Map<string, string>();
      for (const [, path = ''] of subjects) {
        appended.set(path, (await append(app, inbox, readFileSync(`../shared/corpus/${path}`))).id);
      }
      const actual = new Map<string, string>();
      for (const [path, id] of appended)
        actual.set(path, (await app.get(`/v1/messages/${id}`)).json.data.thread_id);
      const expected = connectedBy(
        subjects.map(([, path = '', id = '', parents = '']) => ({ path, ids: idsIn(`${id} ${parents}`) })),
      );
      assert.deepEqual(partition(actual), partition(expected));
    });

    test('of an In-Reply-To with words the last id in brackets counts (MAIL-108)', async () => {
      const first = await append(app, inbox, rfc822({ messageId: '<words-1@x.test>' }));
      const other = await append(app, inbox, rfc822({ messageId: '<words-2@x.test>' }));
      for (const inReplyTo of [
        'Message from Bob <words-2@x.test> of Monday <words-1@x.test>',
        'Bob <words-2@x.test> wrote <words-1@x.test> on Tuesday',
        'Your message <words-1@x.test>',
      ]) {
        const { thread_id } = await append(app, inbox, rfc822({ inReplyTo }));
        assert.equal(thread_id, first.thread_id, inReplyTo);
        assert.notEqual(thread_id, other.thread_id, inReplyTo);
      }
    });
  });
});

function idsIn(text: string): string[] {
  return text.split(' ').filter((id) => id.includes('@'));
}

/** Names for each path the group of those that share ids, directly or through others: the plain way, as an oracle. */
function connectedBy(messages: { path: string; ids: string[] }[]): Map<string, string> {
  const groupOf = new Map<string, string>(messages.map(({ path }) => [path, path]));
  const ofId = new Map<string, string>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const { path, ids } of messages) {
      const group = [groupOf.get(path) ?? path, ...ids.flatMap((id) => ofId.get(id) ?? [])].sort()[0] ?? path;
      changed ||= group !== groupOf.get(path) || ids.some((id) => (ofId.get(id) ?? group) !== group);
      groupOf.set(path, group);
      for (const id of ids) ofId.set(id, group);
    }
  }
  return groupOf;
}

/** The groups themselves, without what names them. */
function partition(groupOf: Map<string, string>): string[][] {
  const groups = Map.groupBy(groupOf.keys(), (path) => groupOf.get(path));
  return [...groups.values()].map((paths) => paths.sort()).sort();
}

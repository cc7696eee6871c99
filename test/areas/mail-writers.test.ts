/** Fifty writers at once on the same messages; every answer is held against a plain model, in the order of the commits. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { FLAGS, READ } from '../../src/areas/mail/changes/flags.ts';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { ModelMailbox, summaryOf } from './mail-model.ts';
import { everyPage, folderOf } from './mail-world.ts';
import { LABELS, Mailbox, programs, type Sent } from './mail-writers.ts';

const ROLES = ['inbox', 'archive', 'junk'];

/** An answer is kept under the lock of its mailbox: numbered as they are kept, they are in order. SQLite numbers all rows. */
async function numberAnswers(tx: WriteTransaction): Promise<void> {
  await sql`alter table idempotency_records add column position bigserial`.execute(tx);
}

forEachEngine((engine) => {
  describe('fifty writers on one mailbox', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      if (engine === 'postgres') await app.services.database.write(numberAnswers);
    });
    after(() => app.stop());

    const newMailbox = async (): Promise<Mailbox> => {
      const { id } = await makeUser(app);
      const permissions = ['mail.messages.read', 'mail.messages.write'] as const;
      const { key } = await makeKey(app, permissions, { user_id: id });
      return new Mailbox(app, { id, key }, await Promise.all(ROLES.map((role) => folderOf(app, role, key))));
    };

    /** The kept answers in the order in which their transactions had the mailbox. */
    const inOrder = async ({ sent }: Mailbox): Promise<Sent[]> => {
      const byKey = new Map(sent.map((one) => [one.idempotencyKey, one]));
      const order = engine === 'sqlite' ? sql`rowid` : sql`position`;
      const rows = await app.services.database.read((tx) =>
        tx.selectFrom('idempotency_records').select('idempotency_key').orderBy(order).execute(),
      );
      return rows.flatMap(({ idempotency_key: key }) => byKey.get(key) ?? []);
    };

    test('every answer, and what is there in the end, is that of one after the other', async () => {
      const run = async (seed: number) => {
        const [program = []] = fc.sample(programs, { seed, numRuns: 1 });
        const mailbox = await newMailbox();
        for (let i = 0; i < 30; i++)
          await mailbox.run({ kind: 'append', picks: [i, i, i], op: 'add', flags: [], labels: [] });
        await Promise.all(
          program.map(async (writes) => {
            for (const plan of writes) await mailbox.run(plan);
          }),
        );
        const model = new ModelMailbox();
        const kept = await inOrder(mailbox);
        assert.equal(kept.length, mailbox.sent.filter(({ answer }) => answer.status < 300).length);
        for (const { write, answer } of kept) {
          const expected = model.apply(write, answer.json.data.id);
          assert.deepEqual(told(answer.json.data), expected, JSON.stringify(write));
        }
        await assertSame(mailbox, model);
      };
      await fc.assert(fc.asyncProperty(fc.nat(), run), { numRuns: 3, endOnFailure: true });
    });

    const assertSame = async ({ userId, key, folders, believed }: Mailbox, model: ModelMailbox) => {
      const listed = (query: string) => listing(key, query);
      const expected = model.active;
      const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id).sort();
      const all = await listed('unread=false');
      assert.deepEqual(all.map(told).sort(byId), expected.map(summaryOf).sort(byId));
      for (const flag of FLAGS) {
        const carrying = expected.filter(({ flags }) => flags.has(flag));
        assert.deepEqual(idsOf(await listed(`flag=${flag}`)), idsOf(carrying), flag);
      }
      for (const label of LABELS) {
        const carrying = expected.filter(({ labels }) => labels.includes(label));
        const query = `label=${encodeURIComponent(label)}`;
        assert.deepEqual(idsOf(await listed(query)), idsOf(carrying), label);
        const unread = carrying.filter(({ flags }) => !flags.has('read'));
        assert.deepEqual(idsOf(await listed(`${query}&unread=true`)), idsOf(unread), label);
      }
      const counted = data(await app.get('/v1/folders', { key }));
      for (const folder of folders) {
        const inside = expected.filter((message) => message.folder === folder);
        const unread = inside.filter(({ flags }) => !flags.has('read'));
        assert.deepEqual(idsOf(await listed(`folder_id=${folder}`)), idsOf(inside));
        assert.deepEqual(idsOf(await listed(`folder_id=${folder}&unread=true`)), idsOf(unread));
        const { message_count, unread_count } = counted.find(({ id }: { id: string }) => id === folder);
        assert.deepEqual([message_count, unread_count], [inside.length, unread.length]);
      }
      const threads = Map.groupBy(all, ({ thread_id }) => thread_id);
      assert.deepEqual([...threads.values()].map(idsOf).sort(), model.threads.sort());
      for (const id of believed.keys()) {
        const { status } = await app.get(`/v1/messages/${id}`, { key });
        assert.equal(status, model.messages.get(id)?.expunged ? 404 : 200);
      }
      await assertExactRows(userId);
    };

    const listing = (key: string, query: string) => everyPage(keyed(key), `/v1/messages?${query}`, 50);
    const keyed = (key: string): TestApp => ({ ...app, get: (path) => app.get(path, { key }) });

    /** What only the tables show: no label without its message, no count that listings do not need. */
    const assertExactRows = async (userId: string) => {
      await app.services.database.read(async (tx) => {
        const messages = await tx
          .selectFrom('messages')
          .innerJoin('message_states as s', 's.number', 'messages.number')
          .innerJoin('mail_folders as f', 'f.number', 's.folder_number')
          .select(['s.number', 'f.id as folder_id', 'folder_number', 'flags', 'date', 'labels'])
          .where('messages.user_id', '=', userId)
          .execute();
        const labels = await tx
          .selectFrom('message_labels')
          .select(['message_number', 'label', 'folder_number', 'flags', 'date'])
          .where('user_id', '=', userId)
          .execute();
        const expected = messages.flatMap(({ number, folder_number, flags, date, labels }) =>
          JSON.parse(labels).map((label: string) => ({
            message_number: number,
            label,
            folder_number,
            flags,
            date,
          })),
        );
        assert.deepEqual(asTexts(labels), asTexts(expected));
        const labelCounts = await tx
          .selectFrom('mail_label_counts')
          .select(['label', 'messages', 'unread'])
          .where('user_id', '=', userId)
          .execute();
        const carried = [...Map.groupBy(expected, ({ label }) => label)].map(([label, rows]) => ({
          label,
          messages: rows.length,
          unread: rows.filter(({ flags }) => (flags & READ) === 0).length,
        }));
        assert.deepEqual(asTexts(labelCounts), asTexts(carried));
        const counts = await tx
          .selectFrom('mail_folder_counts')
          .select(['folder_id', 'flags', 'messages'])
          .where('user_id', '=', userId)
          .where('messages', '!=', 0)
          .execute();
        const counted = Map.groupBy(messages, ({ folder_id, flags }) => `${folder_id} ${flags}`);
        const told = counts.map(({ folder_id, flags, messages }) => [`${folder_id} ${flags}`, messages]);
        assert.deepEqual(told.sort(), [...counted].map(([place, { length }]) => [place, length]).sort());
      });
    };
  });
});

/** What the model tells of an answer too. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
function told(answer: any): unknown {
  if (Array.isArray(answer)) return answer;
  if (!answer.flags) return answer;
  const { id, folder_id: folder, flags, labels } = answer;
  return { id, folder, flags, labels };
}

function byId(a: unknown, b: unknown): number {
  return (a as { id: string }).id < (b as { id: string }).id ? -1 : 1;
}

function asTexts(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
}

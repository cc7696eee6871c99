import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FLAGS, flagSet } from '../../src/areas/mail/flags.ts';
import { type MessageFilter, pageOfMessages } from '../../src/areas/mail/listing.ts';
import type { MailboxOwner } from '../../src/areas/mail/owner.ts';
import type { Engine, WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from './plans.ts';

const OWNER: MailboxOwner = { workspaceId: 'wsp_1', userId: 'usr_1' };
const NEIGHBOUR: MailboxOwner = { workspaceId: 'wsp_1', userId: 'usr_2' };
const NEIGHBOURS = 300;
/** Enough for PostgreSQL to know that reading all of them is dear. */
const MESSAGES = 8_000;
const AT_ONCE = 500;
const FOLDERS = ['a', 'b', 'c', 'd'];
const FLAG_SETS = [['read'], [], ['read', 'answered'], ['starred'], ['read', 'starred', 'answered']] as const;
const OTHER_SETS = [
  ['read', 'draft'],
  ['deleted', 'answered'],
  ['read', 'starred'],
] as const;
const SETS = [...FLAG_SETS, ...OTHER_SETS].map((flags) => flagSet(flags));
/** A label of every second message, of every fifth, and so on. */
const LABELS = { work: 2, todo: 5, travel: 40 } as const;
const MIDDLE = { date: dateOf(MESSAGES / 2), id: 'msg_' };

/** Every kind of listing with the index that its messages are found by. */
const LISTINGS: [string, Partial<MessageFilter>, string][] = [
  ['a folder', { folderIds: ['usr_1 a'] }, 'messages_by_folder'],
  ['several folders', { folderIds: ['usr_1 a', 'usr_1 b', 'usr_1 c'] }, 'messages_by_folder'],
  ...FLAGS.map((flag): [string, Partial<MessageFilter>, string] => [
    `the flag ${flag}`,
    { flags: flagSet([flag]) },
    'messages_by_flags',
  ]),
  ['two flags', { flags: flagSet(['starred', 'answered']) }, 'messages_by_flags'],
  ['unread', { unread: true }, 'messages_by_flags'],
  ['a flag and unread', { flags: flagSet(['starred']), unread: true }, 'messages_by_flags'],
  ['everything', {}, 'messages_by_flags'],
  ['a folder and a flag', byFolderFlags({ flags: flagSet(['answered']) }), 'messages_by_folder_flags'],
  ['a folder and unread', byFolderFlags({ unread: true }), 'messages_by_folder_flags'],
  ['a label', { labels: ['work'] }, 'message_labels_by_label'],
  ['two labels', { labels: ['work', 'todo'] }, 'message_labels_by_label'],
  ['a label and a folder', byFolderFlags({ labels: ['work'] }), 'message_labels_by_folder_flags'],
  ['a label and a flag', { labels: ['work'], flags: flagSet(['starred']) }, 'message_labels_by_folder_flags'],
  ['a label and unread', { labels: ['work'], unread: true }, 'message_labels_by_folder_flags'],
  [
    'all of it',
    byFolderFlags({ labels: ['work', 'todo'], flags: flagSet(['starred']), unread: true }),
    'message_labels_by_folder_flags',
  ],
];

forEachEngine((engine) => {
  describe('how listings are found', () => {
    let app: TestApp;

    before(async () => {
      app = await startApp(engine);
      await app.product.database.write(fill);
      await analyze(app.product.database);
    });
    after(() => app.stop());

    for (const [name, filter, index] of LISTINGS) {
      for (const [where, after] of [
        ['from the newest', undefined],
        ['after a place', [MIDDLE.date, MIDDLE.id]],
      ] as const) {
        test(`${name}, ${where}: along ${index}, in its order`, async () => {
          const plans = await app.product.database.read((tx) =>
            plansOf(tx, (recorded) =>
              pageOfMessages(recorded, OWNER, { ...EVERYTHING, ...filter }, { limit: 50, after }),
            ),
          );
          const listing = plans.at(-1) ?? [];
          assert.ok(
            listing.some((line) => readsAlong(index).test(line)),
            listing.join('\n'),
          );
          for (const plan of plans) assertNoDetour(engine, plan);
        });
      }
    }
  });
});

const EVERYTHING: MessageFilter = { folderIds: [], flags: 0, labels: [], unread: false };

function byFolderFlags(filter: Partial<MessageFilter>): Partial<MessageFilter> {
  return { folderIds: ['usr_1 a'], ...filter };
}

/** One pattern for both: "SEARCH m USING COVERING INDEX i (…)" and "Index Scan Backward using i on messages m". */
function readsAlong(index: string): RegExp {
  return new RegExp(`(SEARCH \\w+ USING (COVERING )?INDEX|Index (Only )?Scan Backward using) ${index}\\b`);
}

/** What reads more than the page, or puts it in order only after reading: sorting, scanning a table, hashing it. */
const DETOURS: Record<Engine, RegExp> = {
  // What a subquery has cut to a limit (the places of a page, some carriers of a label) is read whole.
  sqlite: /TEMP B-TREE|SCAN (?!(p|carriers)$)/,
  postgres: /(^|-> +)(Incremental )?Sort|Seq Scan|Hash/,
};

function assertNoDetour(engine: Engine, plan: string[]): void {
  const detours = plan.filter((line) => DETOURS[engine].test(line));
  assert.deepEqual(detours, [], plan.join('\n'));
}

/** Two mailboxes, and the folder counts of many more. */
async function fill(tx: WriteTransaction): Promise<void> {
  for (const owner of [OWNER, NEIGHBOUR]) await fillMailbox(tx, owner);
  for (let i = 0; i < NEIGHBOURS; i++) {
    await fillCounts(tx, { ...OWNER, userId: `usr_neighbour_${i}` });
  }
}

async function fillMailbox(tx: WriteTransaction, owner: MailboxOwner): Promise<void> {
  const messages = Array.from({ length: MESSAGES }, (_, i) => messageOf(owner, i));
  const labels = messages.flatMap((message, i) => labelsOf(message, i));
  for (const rows of portions(messages)) await tx.insertInto('messages').values(rows).execute();
  for (const rows of portions(labels)) await tx.insertInto('message_labels').values(rows).execute();
  await fillCounts(tx, owner);
}

function messageOf({ workspaceId, userId }: MailboxOwner, i: number) {
  return {
    workspace_id: workspaceId,
    user_id: userId,
    id: `msg_${userId}_${String(i).padStart(6, '0')}`,
    folder_id: `${userId} ${FOLDERS[i % FOLDERS.length]}`,
    thread_id: null,
    date: dateOf(i),
    // Not in step with the folders, so that every folder has messages of every set.
    flags: SETS[Math.floor(i / FOLDERS.length) % SETS.length] ?? 0,
    labels: '[]',
    summary: `"subject":"${'the subject of a message '.repeat(8)}"`,
  };
}

function labelsOf(message: ReturnType<typeof messageOf>, i: number) {
  const { workspace_id, user_id, folder_id, flags, date, id } = message;
  return Object.entries(LABELS)
    .filter(([, every]) => Math.floor(i / SETS.length) % every === 0)
    .map(([label]) => ({ workspace_id, user_id, label, message_id: id, folder_id, flags, date }));
}

async function fillCounts(tx: WriteTransaction, { workspaceId, userId }: MailboxOwner): Promise<void> {
  const counts = FOLDERS.flatMap((folder) =>
    SETS.map((flags) => ({
      workspace_id: workspaceId,
      user_id: userId,
      folder_id: `${userId} ${folder}`,
      flags,
      messages: MESSAGES / FOLDERS.length / SETS.length,
    })),
  );
  await tx.insertInto('mail_folder_counts').values(counts).execute();
}

function dateOf(i: number): number {
  return Date.UTC(2020, 0, 1) + i * 60_000;
}

function* portions<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < rows.length; i += AT_ONCE) yield rows.slice(i, i + AT_ONCE);
}

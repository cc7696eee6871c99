import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { FLAGS, flagSet } from '../../src/areas/mail/changes/flags.ts';
import { type MessageFilter, pageOfMessages } from '../../src/areas/mail/listing/listing.ts';
import type { Engine } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import type { TestApp } from '../harness.ts';
import { plansOf } from '../plans.ts';
import { dateOf, filledApp, MESSAGES, OWNER } from './filled-mailboxes.ts';

const MIDDLE = { date: dateOf(MESSAGES / 2), number: 1 };

/** Every kind of listing with the index that its messages are found by. */
const LISTINGS: [string, Partial<MessageFilter>, string][] = [
  ['a folder', { folderIds: ['usr_1 a'] }, 'message_states_by_folder'],
  ['several folders', { folderIds: ['usr_1 a', 'usr_1 b', 'usr_1 c'] }, 'message_states_by_folder'],
  ...FLAGS.map((flag): [string, Partial<MessageFilter>, string] => [
    `the flag ${flag}`,
    { flags: flagSet([flag]) },
    'message_states_by_folder_flags',
  ]),
  ['two flags', { flags: flagSet(['starred', 'answered']) }, 'message_states_by_folder_flags'],
  ['unread', { unread: true }, 'message_states_by_folder_flags'],
  ['a flag and unread', { flags: flagSet(['starred']), unread: true }, 'message_states_by_folder_flags'],
  ['everything', {}, 'message_states_by_folder'],
  ['a folder and a flag', byFolderFlags({ flags: flagSet(['answered']) }), 'message_states_by_folder_flags'],
  ['a folder and unread', byFolderFlags({ unread: true }), 'message_states_by_folder_flags'],
  ['a label', { labels: ['work'] }, 'message_labels_by_label'],
  ['two labels', { labels: ['work', 'todo'] }, 'message_labels_by_label'],
  ['three labels', { labels: ['work', 'todo', 'travel'] }, 'message_labels_by_label'],
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
      app = await filledApp(engine);
    });
    after(() => app.stop());

    for (const [name, filter, index] of LISTINGS) {
      for (const [where, after] of [
        ['from the newest', undefined],
        ['after a place', [MIDDLE.date, MIDDLE.number]],
      ] as const) {
        test(`listing ${name} ${where} reads along ${index}, in its order`, async () => {
          const plans = await app.services.database.read((tx) =>
            plansOf(tx, (recorded) =>
              pageOfMessages(recorded, OWNER, { ...EVERYTHING, ...filter }, { limit: 50, after }),
            ),
          );
          const inPortions = (filter.labels?.length ?? 0) > 1;
          assert.ok(
            plans.flat().some((line) => readsAlong(index, inPortions).test(line)),
            plans.flat().join('\n'),
          );
          for (const plan of plans.filter((plan) => !isOfFolders(engine, plan)))
            assertNoDetour(engine, inPortions ? plan.filter((line) => !sortsPortion(line, plan)) : plan);
        });
      }
    }

    if (engine === 'postgres')
      test('the page of a folder is not planned again each time that it is listed', async () => {
        const filter = { ...EVERYTHING, folderIds: ['usr_1 a'] };
        await app.services.database.read(async (tx) => {
          // PostgreSQL plans a statement for the values of its first five times, and compares.
          for (let limit = 40; limit < 60; limit++)
            await pageOfMessages(tx, OWNER, filter, { limit, after: undefined });
          const { rows } = await sql`
            select custom_plans::integer as planned
            from pg_prepared_statements where statement like '%"m"."date"%"mail_folders"%'`.execute(tx);
          assert.deepEqual(rows, [{ planned: 5 }]);
        });
      });
  });
});

const EVERYTHING: MessageFilter = { folderIds: [], flags: 0, labels: [], unread: false };

function byFolderFlags(filter: Partial<MessageFilter>): Partial<MessageFilter> {
  return { folderIds: ['usr_1 a'], ...filter };
}

/** One pattern for both: "SEARCH m USING COVERING INDEX i (…)" and "Index Scan Backward using i on messages m". */
function readsAlong(index: string, inPortions: boolean): RegExp {
  const search = `SEARCH \\w+ USING (COVERING )?INDEX|Index (Only )?Scan Backward using`;
  return new RegExp(`(${inPortions ? `${search}|Bitmap Index Scan on` : search}) ${index}\\b`);
}

/** Of several labels, the messages of one are read in portions of so many. */
const PORTION = 500;

/**
 * PostgreSQL may sort what it has read of a label, where that is no more than a portion: it is told where the portion ends,
 * or the label has no more in that folder.
 */
function sortsPortion(line: string, plan: string[]): boolean {
  const sorted = /-> +Sort .* rows=(\d+) /.exec(line);
  if (!sorted) return false;
  return (
    Number(sorted[1]) <= PORTION || plan.some((other) => other.includes('(ROW(date, message_number) >= ROW('))
  );
}

/** What reads more than the page, or puts it in order only after reading: sorting, scanning a table, hashing it. */
const DETOURS: Record<Engine, RegExp> = {
  // What a subquery has cut to a limit (the places of a page) is read whole; so is a list.
  sqlite: /TEMP B-TREE|SCAN (?!p$|e VIRTUAL TABLE)/,
  postgres: /(^|-> +)(Incremental )?Sort|Seq Scan|Hash/,
};

/** The folders of all mailboxes here fit on a page, which PostgreSQL reads sooner than an index. */
function isOfFolders(engine: Engine, plan: string[]): boolean {
  const reads = (table: string) => plan.some((line) => line.includes(` on ${table}`));
  return engine === 'postgres' && reads('mail_folders') && !reads('message');
}

function assertNoDetour(engine: Engine, plan: string[]): void {
  const detours = plan.filter(
    (line) => DETOURS[engine].test(line) && !line.includes('Seq Scan on mail_folders'),
  );
  assert.deepEqual(detours, [], plan.join('\n'));
}

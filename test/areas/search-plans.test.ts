/** How each statement of the search and of its index reads: along indexes, on both engines. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { findListed, findTexts, listKeysAfter } from '../../src/areas/mail/search/search-store.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import type { IndexBatch, IndexedObject, IndexQuery } from '../../src/storage/full-text/full-text-index.ts';
import { PostgresIndex } from '../../src/storage/full-text/postgres/postgres-index.ts';
import { IndexFile } from '../../src/storage/full-text/sqlite/index-file.ts';
import { forEachEngine } from '../engines.ts';
import type { TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';
import { filledApp } from './filled-mailboxes.ts';

/** Enough for PostgreSQL to know that reading all of them is dear. */
const OBJECTS = 3_000;
const FOLDERS = 60;
const AT_ONCE = 500;
const STATE = {
  era: 'e',
  position: { transaction: 0, number: 1 },
  readUntil: 1,
  building: undefined,
  built: 0,
  build: 1,
};

function object(i: number): IndexedObject {
  const digits = String(i).padStart(26, '0');
  return {
    workspaceId: `wsp_${i % 3}`,
    kind: 'file',
    id: `file_${digits}`,
    at: 1_000_000 + i,
    principals: [`usr_${i % 7}`],
    folder: { id: `fold_${i % FOLDERS}`, roots: i % 2 === 0 ? ['root_1'] : [] },
    texts: [{ field: 'body', text: `word${i} half${i % 2}` }],
    hasAttachment: false,
    excerpt: 'text',
  };
}

const BATCH: IndexBatch = {
  from: undefined,
  to: STATE,
  objects: Array.from({ length: OBJECTS }, (_, i) => object(i)),
  removed: [],
};
const QUERY: IndexQuery = {
  workspaceId: 'wsp_1',
  principals: ['usr_1', 'fold_1'],
  trees: [['root_1', 'fold_2']],
  kinds: ['file'],
  clauses: [[{ isNegated: false, alternatives: [[{ term: 'bhalf1', isPrefix: false }]] }]],
  from: 0,
  until: 9_000_000,
  behind: undefined,
  limit: 50,
};
const FOLDER = {
  workspaceId: 'wsp_1',
  folderId: 'fold_1',
  roots: ['root_2'],
  below: ['fold_2'],
  isGone: true,
};
/** Everything that the index is asked while it is used, beside what builds it or looks through all of it. */
const USES: readonly (readonly [string, (index: Used) => unknown])[] = [
  ['a search', (index) => index.search(QUERY)],
  ['excerpts', (index) => index.excerpts('wsp_1', [object(1).id])],
  ['digests', (index) => index.digests([object(1), object(2)])],
  ['a list', (index) => index.list(object(1), 10)],
  ['the folders that are due', (index) => index.dueFolders(10)],
  ['the folders under shared ones', (index) => index.foldersUnder('wsp_1', ['root_1'])],
  ['gathering a folder', (index) => index.gather([FOLDER], 10)],
  [
    'writing objects again',
    (index) => index.write({ ...BATCH, objects: [object(1), object(4)], removed: [object(7)] }),
  ],
];
type Used = Pick<
  IndexFile,
  'search' | 'excerpts' | 'digests' | 'list' | 'dueFolders' | 'foldersUnder' | 'gather' | 'write'
>;

/** Tables of one row, and lists that are parameters. */
const SMALL = /state|json_each|json_array_elements|folders_due\b/;

describe('the index of the search on SQLite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-plans-'));
  const path = join(directory, 'search.sqlite');
  let file: IndexFile;
  before(async () => {
    file = IndexFile.openToWrite(path);
    await file.write(BATCH);
  });
  after(async () => {
    file.close();
    await rm(directory, { recursive: true });
  });

  for (const [name, use] of USES)
    test(`${name}: every statement reads along an index`, async (t) => {
      const again = IndexFile.openToWrite(path);
      t.after(() => again.close());
      const explained = new DatabaseSync(path);
      t.after(() => explained.close());
      const prepare = DatabaseSync.prototype.prepare;
      const statements: string[] = [];
      t.mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, text: string) {
        statements.push(text);
        return prepare.call(this, text);
      });
      await use(again);
      t.mock.restoreAll();
      assert.ok(statements.length > 0);
      for (const text of statements) {
        const plan = explained
          .prepare(`explain query plan ${text}`)
          .all()
          .map(({ detail }) => String(detail));
        for (const line of plan)
          assert.ok(
            !/^SCAN /.test(line) || / VIRTUAL TABLE INDEX | INDEX /.test(line) || SMALL.test(line),
            `${text}\n${plan.join('\n')}`,
          );
      }
    });
});

forEachEngine((engine) => {
  describe('messages in a search', () => {
    let app: TestApp;
    before(async () => {
      app = await filledApp(engine);
      await app.services.indexer.stop();
      await app.services.database.write(fillContents);
      await analyze(app.services.database);
    });
    after(() => app.stop());

    const user = { workspaceId: 'wsp_1', userId: 'usr_1' };
    const ids = ['msg_1', 'msg_2'];
    const uses: [string, (tx: ReadTransaction) => Promise<unknown>][] = [
      ['the texts of messages', (tx) => findTexts(tx, 'wsp_1', ids)],
      ['messages that were found', (tx) => findListed(tx, user, ids)],
      ['messages for a build', (tx) => listKeysAfter(tx, { workspaceId: 'wsp_1', id: 'msg_1' }, 10)],
    ];
    for (const [name, use] of uses)
      test(`${name}: every statement reads along an index`, async () => {
        const plans = await app.services.database.read((tx) => plansOf(tx, use));
        assert.ok(plans.length > 0);
        for (const plan of plans) assertAlongIndexes(plan, /messages|message_/);
      });

    if (engine === 'postgres') {
      test('writing, gathering and searching the index reads along indexes', async () => {
        const { database } = app.services;
        await new PostgresIndex(database).write(BATCH);
        await analyze(database);
        for (const [name, use] of USES) {
          const plans: string[][] = [];
          await use(new PostgresIndex(explaining(database, plans)) as unknown as Used);
          assert.ok(plans.length > 0, name);
          for (const plan of plans)
            assertAlongIndexes(plan, /search_objects|search_terms|search_folder_roots/);
        }
      });
    }
  });
});

/**
 * A database that tells the plan of each statement on the index: along indexes wherever there is one, because a few thousand
 * rows are soon read.
 */
function explaining(database: Database, plans: string[][]): Database {
  const recorded =
    <Tx extends ReadTransaction>(run: (work: (tx: Tx) => Promise<unknown>) => Promise<unknown>) =>
    (work: (tx: Tx) => Promise<unknown>) =>
      run(async (tx) => {
        let result: unknown;
        for (const way of ['seqscan', 'hashjoin', 'mergejoin'])
          await tx.executeQuery(CompiledQuery.raw(`set local enable_${way} = off`));
        plans.push(...(await plansOf(tx, async (one) => (result = await work(one)))));
        return result;
      });
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'read') return recorded(target.read.bind(target));
      if (name === 'write') return recorded(target.write.bind(target));
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function assertAlongIndexes(plan: readonly string[], tables: RegExp): void {
  for (const line of plan) {
    const [, scanned] = /(?:Seq Scan on|^SCAN) (\S+)/.exec(line) ?? [];
    const isRead = scanned !== undefined && tables.test(scanned) && !/ USING .*INDEX /.test(line);
    assert.ok(!isRead, plan.join('\n'));
  }
}

/** The content of each message, as long as one is. */
async function fillContents(tx: WriteTransaction): Promise<void> {
  const record = JSON.stringify({ text: 'x'.repeat(1_000) }).slice(1, -1);
  const messages = await tx.selectFrom('messages').select(['number', 'workspace_id']).execute();
  for (let i = 0; i < messages.length; i += AT_ONCE)
    await tx
      .insertInto('message_contents')
      .values(
        messages.slice(i, i + AT_ONCE).map(({ number, workspace_id }) => ({
          number,
          workspace_id,
          size: 1_000,
          content_of: null,
          raw: null,
          blob_key: null,
          record,
          applied_filters: null,
          received: null,
        })),
      )
      .execute();
}

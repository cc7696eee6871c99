import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CompiledQuery } from 'kysely';
import {
  listEnabledFilters,
  listFilters,
  measureFilters,
} from '../../src/areas/mail/filters/filter-store.ts';
import { listRawLocations, listRecords, measureContents } from '../../src/areas/mail/filters/scan-store.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { plansOf } from '../plans.ts';

const OWNER = { workspaceId: 'wsp_1', userId: 'usr_7' };
const USERS = 300;
const FILTERS_EACH = 20;
/** Enough for PostgreSQL to know that reading all of them is dear. */
const MESSAGES = 8_000;
const AT_ONCE = 500;
const NUMBERS = Array.from({ length: 200 }, (_, i) => i * 7);

const QUERIES: Record<string, [index: string, ask: (tx: ReadTransaction) => Promise<unknown>]> = {
  'the filters that run': ['mail_filters_in_order', (tx) => listEnabledFilters(tx, OWNER)],
  'a first page': ['mail_filters_in_order', (tx) => listFilters(tx, OWNER, undefined, 25)],
  'a page after a place': [
    'mail_filters_in_order',
    (tx) => listFilters(tx, OWNER, { priority: 5, id: 'flt_' }, 25),
  ],
  'the size of them all': ['mail_filters_in_order', (tx) => measureFilters(tx, OWNER)],
  'the sizes of messages': [
    'message_contents_by_number',
    (tx) => measureContents(tx, OWNER, NUMBERS, { record: true, headers: true }),
  ],
  'records of messages': ['message_contents_by_number', (tx) => listRecords(tx, OWNER, NUMBERS)],
  'raw messages': ['message_contents_by_number', (tx) => listRawLocations(tx, OWNER, NUMBERS)],
};

forEachEngine((engine) => {
  describe('how mail filters are found', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      if (engine === 'postgres') {
        await app.services.database.write((tx) => tx.executeQuery(CompiledQuery.raw('analyze')));
      }
    });
    after(() => app.stop());

    for (const [name, [index, ask]] of Object.entries(QUERIES)) {
      it(`finding ${name} reads along ${index}`, async () => {
        const plan = (await app.services.database.read((tx) => plansOf(tx, ask))).flat().join('\n');
        // On SQLite the number is the rowid.
        const onSqlite = index.endsWith('_by_number') ? 'INTEGER PRIMARY KEY' : `INDEX ${index}`;
        assert.match(plan, new RegExp(`USING ${onSqlite}\\b|(Scan using|Scan on) ${index}\\b`));
        assert.doesNotMatch(plan, /TEMP B-TREE|SCAN (?!e )|Seq Scan/);
      });
    }
  });
});

async function fill(tx: WriteTransaction): Promise<void> {
  const scope = (user: number) => ({ workspace_id: OWNER.workspaceId, user_id: `usr_${user}` });
  const filters = Array.from({ length: USERS * FILTERS_EACH }, (_, i) => ({
    ...scope(i % USERS),
    id: `flt_${i}`,
    name: 'name',
    priority: i % 10,
    enabled: 1,
    rule: `{"conditions":"${'x'.repeat(200)}"}`,
    created_at: 0,
    updated_at: 0,
  }));
  const contents = Array.from({ length: MESSAGES }, (_, i) => ({
    number: i,
    workspace_id: OWNER.workspaceId,
    size: 10,
    raw: Buffer.from('raw'),
    blob_key: null,
    record: `"text":"${'x'.repeat(1_900)}"`,
    applied_filters: null,
  }));
  for (let i = 0; i < filters.length; i += AT_ONCE) {
    await tx
      .insertInto('mail_filters')
      .values(filters.slice(i, i + AT_ONCE))
      .execute();
  }
  for (let i = 0; i < contents.length; i += AT_ONCE) {
    await tx
      .insertInto('message_contents')
      .values(contents.slice(i, i + AT_ONCE))
      .execute();
  }
}

/** How documents and their revisions are found: along an index, whatever there is beside them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import {
  findRevision,
  getLatest,
  getLatestStored,
  listRevisions,
} from '../../src/areas/documents/revision-store.ts';
import { type Listing, listNodes } from '../../src/areas/drive/listing/listing-store.ts';
import { holdNode, touchNode } from '../../src/areas/drive/tree-store.ts';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';

const OWNER = { workspaceId: 'wsp_1', userId: 'usr_1' };
const DOCUMENT = { workspaceId: 'wsp_1', id: 'doc_000007' };
const DOCUMENTS = 20_000;
const REVISIONS = 3;

const EVERYTHING: Listing = {
  kinds: ['document', 'spreadsheet'],
  principalIds: ['usr_1', 'grp_1'],
  state: 'active',
  folderId: undefined,
  fragment: '',
  after: '',
  limit: 25,
};

/** Each thing that is asked, with the indexes that answer it: their names on SQLite and on PostgreSQL. */
const QUESTIONS: Record<string, { ask: (tx: WriteTransaction) => Promise<unknown>; along: string[] }> = {
  'both kinds': {
    ask: (tx) => listNodes(tx, OWNER, EVERYTHING),
    along: ['documents_by_owner|nodes_by_owner', 'node_grants_by_principal'],
  },
  'both kinds of somebody with whom nothing is shared': {
    ask: (tx) => listNodes(tx, OWNER, { ...EVERYTHING, principalIds: [] }),
    along: ['documents_by_owner|nodes_by_owner'],
  },
  'both kinds in a folder': {
    ask: (tx) => listNodes(tx, OWNER, { ...EVERYTHING, folderId: 'dir_1' }),
    along: ['documents_by_parent|nodes_by_parent', 'node_grants_by_parent'],
  },
  'one kind in a folder': {
    ask: (tx) => listNodes(tx, OWNER, { ...EVERYTHING, kinds: ['document'], folderId: 'dir_1' }),
    along: ['nodes_by_parent', 'node_grants_by_parent'],
  },
  'the present state': {
    ask: (tx) => getLatest(tx, DOCUMENT),
    along: ['sqlite_autoindex_document_revisions_1|document_revisions_key'],
  },
  'the present content': {
    ask: (tx) => getLatestStored(tx, DOCUMENT),
    along: ['sqlite_autoindex_document_revisions_1|document_revisions_key'],
  },
  'a revision': {
    ask: (tx) => findRevision(tx, DOCUMENT, 3),
    along: ['sqlite_autoindex_document_revisions_1|document_revisions_key'],
  },
  'a page of revisions': {
    ask: (tx) => listRevisions(tx, DOCUMENT, 3, 2),
    along: ['sqlite_autoindex_document_revisions_1|document_revisions_key'],
  },
  'the time of a change': {
    ask: (tx) => touchNode(tx, { ...DOCUMENT, now: Date.now() }),
    along: ['sqlite_autoindex_nodes_1|nodes_key'],
  },
  'who sees a change': {
    ask: (tx) => holdNode(tx, DOCUMENT.workspaceId, DOCUMENT.id),
    along: ['sqlite_autoindex_nodes_1|nodes_key'],
  },
};

forEachEngine((engine) => {
  describe('how documents are found', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      await analyze(app.services.database);
    });
    after(() => app.stop());

    for (const [name, { ask, along }] of Object.entries(QUESTIONS)) {
      test(`finding ${name} reads along ${along.join(' and ')}`, async () => {
        const [plan = []] = await app.services.database.write((tx) => plansOf(tx, ask));
        const lines = plan.join('\n');
        for (const index of along) assert.match(lines, new RegExp(`\\b(?:${index})\\b`), lines);
        assert.doesNotMatch(
          lines,
          /SCAN (?!p\b|places|stream|\()\w+|Seq Scan on|\bSort\b.*document_rev/,
          lines,
        );
        if (/revision|state|content/.test(name)) assert.doesNotMatch(lines, /TEMP B-TREE|\bSort\b/, lines);
      });
    }
  });
});

async function fill(tx: WriteTransaction): Promise<void> {
  const numbers = sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.lit(DOCUMENTS - 1)})`;
  const number = tx.engine === 'sqlite' ? sql`printf('%06d', i)` : sql`lpad(i::text, 6, '0')`;
  const text = (name: string) => sql`cast(${name} as text)`;
  await sql`insert into nodes (workspace_id, id, kind, owner_id, parent_id, title, search_text, state, facts, record,
    place, created_at, updated_at)
    ${numbers} select 'wsp_1', 'doc_' || ${number}, case when i % 3 = 0 then 'spreadsheet' else 'document' end,
      'usr_' || (i % 4), case when i % 2 = 0 then '' else 'dir_1' end, 'title', 'title', 'active', '"metadata":{}',
      ${text('"updated_at":"2026-01-01T00:00:00.000Z"')}, 'p' || ${number}, i, i from n`.execute(tx);
  await sql`insert into node_grants (workspace_id, id, node_id, principal_type, principal_id, role, created_by,
    created_at, node_kind, node_parent_id, node_state, node_place)
    select workspace_id, 'perm_' || id, id, 'user', case when created_at % 5 = 0 then 'grp_1' else 'usr_9' end,
      'viewer', owner_id, created_at, kind, parent_id, state, place from nodes`.execute(tx);
  await sql`insert into document_revisions (workspace_id, document_id, revision, state, created_by, created_at, size, digest)
    ${numbers} select 'wsp_1', 'doc_' || ${number}, r.revision, 's', 'usr_1', i, 0, '' from n,
      (${sql.raw(Array.from({ length: REVISIONS }, (_, r) => `select ${r + 1} as revision`).join(' union all '))}) as r
    `.execute(tx);
  // A revision has its content in its row or in a blob.
  await tx.updateTable('document_revisions').set({ blob_key: 'blob_x' }).execute();
}

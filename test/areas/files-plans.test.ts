import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CompiledQuery } from 'kysely';
import { type Listing, listNodes } from '../../src/areas/drive/listing/listing-store.ts';
import { listInFolders } from '../../src/areas/drive/listing/reached-store.ts';
import { INDEX, searchNodes } from '../../src/areas/drive/listing/search-store.ts';
import type { NodeRow } from '../../src/areas/drive/node-store.ts';
import type { DriveOwner } from '../../src/areas/drive/owner.ts';
import { listingSortKey } from '../../src/areas/drive/record.ts';
import {
  foldersOfSearch,
  foundNodes,
  indexedNodes,
  searchedFolders,
} from '../../src/areas/drive/search/searched-nodes.ts';
import { grantedPrincipals, listReaders } from '../../src/areas/drive/sharing/grant-store.ts';
import { holdNode, isWithin, listBelow } from '../../src/areas/drive/tree-store.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import type { GroupMembers, NodeGrants } from '../../src/storage/schema/tables.ts';
import { gramEntries } from '../../src/storage/search/gram-entries.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { plansOf } from '../plans.ts';

const OWNER: DriveOwner = { workspaceId: 'wsp_1', userId: 'usr_1' };
/** With whom nothing is shared. */
const UNSHARED: DriveOwner = { workspaceId: 'wsp_1', userId: 'usr_3' };
const NEIGHBOURS = 4;
const addGrams = gramEntries(INDEX);
/** Enough for PostgreSQL to know that reading all of them is dear. */
const FILES = 5_000;
const FOLDERS = 50;
const AT_ONCE = 500;
/** What the nodes that were found are looked up in. */
const NUMBERS = '(nodes_by_number|SEARCH k USING INTEGER PRIMARY KEY)';
const MEMBERS = 200;
/** Groups that nothing is shared with. */
const OTHER_GROUPS = Array.from({ length: 200 }, (_, i) => `grp_other_${i}`);
const GROUPS = ['grp_1', 'grp_2', 'grp_3'];

const EVERYTHING: Listing = {
  kinds: ['file'],
  principalIds: [OWNER.userId, ...GROUPS],
  state: 'active',
  folderId: undefined,
  fragment: '',
  after: '',
  limit: 50,
};
const MIDDLE = listingSortKey({ created_at: timeOf(FILES / 2), id: 'file_' });

/** Every kind of listing with the indexes that it is found by. */
const LISTINGS: [string, Partial<Listing>, string[]][] = [
  ['everything', {}, ['nodes_by_owner', 'node_grants_by_principal', 'nodes_by_place']],
  ['what is owned', { principalIds: [] }, ['nodes_by_owner']],
  [
    'a folder',
    { folderId: folderOf('usr_1', 1) },
    ['nodes_by_parent', 'node_grants_by_parent', 'nodes_by_place'],
  ],
  ['the root', { folderId: '' }, ['nodes_by_parent', 'node_grants_by_parent', 'nodes_by_place']],
  ['the trash', { state: 'trashed', principalIds: [] }, ['nodes_by_owner']],
  ['what has a letter', { fragment: 'e' }, ['nodes_by_owner', 'node_grants_by_principal', 'nodes_by_place']],
];

forEachEngine((engine) => {
  describe('how the drive is found', () => {
    let app: TestApp;

    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      if (engine === 'postgres') await app.services.database.write((tx) => run(tx, 'analyze'));
    });
    after(() => app.stop());

    for (const [name, part, indexes] of LISTINGS) {
      for (const [where, place] of [
        ['from the newest', ''],
        ['after a place', MIDDLE],
      ] as const) {
        test(`listing ${name} ${where} reads along ${indexes.join(' and ')}`, async () => {
          const [plan = []] = await app.services.database.read((tx) =>
            plansOf(tx, (recorded) => listNodes(recorded, OWNER, { ...EVERYTHING, ...part, after: place })),
          );
          assertReadsAlong(plan, indexes);
        });
      }
    }

    for (const fragment of ['title 17', 'of something', 'nothing of it', 'tle', '99'])
      test(`a search for "${fragment}" reads along the grams, by number, then by place`, async () => {
        const listing = { ...EVERYTHING, fragment };
        const plans = await app.services.database.read((tx) =>
          plansOf(tx, (recorded) => searchNodes(recorded, OWNER, listing)),
        );
        // What a subquery has cut to a limit is read whole.
        const lines = plans.flat().filter((line) => line !== 'SCAN g');
        const grams = '(node_grams_key|SEARCH (e|g|n) USING PRIMARY KEY)';
        assertReadsAlong(lines, [grams, NUMBERS, 'nodes_by_place']);
      });

    for (const fragment of ['e', '9', '99', '49', '777', 'title 17', 'of something', 'le 4', 'zz'])
      test(`a search for "${fragment}" finds what looking at every title finds`, async () => {
        for (const [owner, part] of [
          [OWNER, {}],
          [OWNER, { limit: 7 }],
          [UNSHARED, { principalIds: [] }],
        ] as const)
          for (const after of ['', MIDDLE]) {
            const listing = { ...EVERYTHING, ...part, fragment, after };
            const [found, expected] = await app.services.database.read(async (tx) => [
              await searchNodes(tx, owner, listing),
              await listNodes(tx, owner, listing),
            ]);
            assert.deepEqual(found, expected);
          }
      });

    test('who has grants is found by principal', async () => {
      const [plan = []] = await app.services.database.read((tx) =>
        plansOf(tx, (recorded) => grantedPrincipals(recorded, OWNER)),
      );
      assertReadsAlong(plan, ['group_members_by_user', 'node_grants_by_p[a-z]*']);
    });

    for (const [what, count] of [
      ['a node', 1],
      ['many nodes', 500],
    ] as const)
      test(`who reaches ${what} is found by node, then by group`, async () => {
        const ids = Array.from({ length: count }, (_, i) => fileOf('usr_1', i * 10));
        const [plan = []] = await app.services.database.read((tx) =>
          plansOf(tx, (recorded) => listReaders(recorded, OWNER.workspaceId, ids)),
        );
        assertReadsAlong(plan, [
          'node_grants_by_node',
          engine === 'sqlite' ? 'SEARCH m USING PRIMARY KEY' : 'group_members_key',
        ]);
      });

    test('who sees a changed node takes a query only where it is shared or in a folder', async () => {
      const statements = (i: number) =>
        app.services.database.write((tx) =>
          plansOf(tx, (recorded) => holdNode(recorded, OWNER.workspaceId, fileOf('usr_1', i))),
        );
      assert.equal((await statements(4)).length, 1);
      assert.equal((await statements(1)).length, 2);
      assert.equal((await statements(10)).length, 2);
    });

    const ids = [fileOf('usr_1', 1), fileOf('usr_2', 10), folderOf('usr_1', 1)];
    for (const [what, ask, indexes] of [
      [
        'files to be indexed',
        (tx: ReadTransaction) => indexedNodes(tx, OWNER.workspaceId, ids),
        ['node_grants_by_node'],
      ],
      [
        'files that a search has found',
        (tx: ReadTransaction) => foundNodes(tx, app.services.files.rights, OWNER, ids),
        ['node_grants_by_node'],
      ],
      [
        'folders that a user reaches',
        (tx: ReadTransaction) => searchedFolders(tx, app.services.files.rights, OWNER),
        ['node_grants_by_p[a-z]*', 'nodes_by_parent'],
      ],
      [
        'folders that the index gathers',
        (tx: ReadTransaction) => foldersOfSearch(tx, OWNER.workspaceId, ids),
        ['nodes_by_parent', 'node_grants_by_node'],
      ],
    ] as const)
      test(`${what} are found by keys, up and down the tree`, async () => {
        const plans = await app.services.database.read(async (tx) => {
          // A few thousand rows are soon read: along indexes wherever there is one.
          for (const way of engine === 'postgres' ? ['seqscan', 'hashjoin', 'mergejoin'] : [])
            await run(tx, `set local enable_${way} = off`);
          return plansOf(tx, ask);
        });
        assertReadsAlong(
          plans.flat().filter((line) => !line.startsWith('SCAN e ')),
          [...indexes],
        );
      });

    test('what lies in folders of others is found by folder, never among all that their owner has', async () => {
      const folders = Array.from({ length: FOLDERS }, (_, i) => ({
        id: folderOf('usr_1', i),
        owner_id: 'usr_1',
      }));
      const page = { kinds: ['file'], after: MIDDLE, limit: 50 } as const;
      const plans = await app.services.database.read((tx) =>
        plansOf(tx, (recorded) => listInFolders(recorded, OWNER.workspaceId, folders, page)),
      );
      assert.ok(plans.length >= 3);
      for (const plan of plans) assertReadsAlong(plan, ['nodes_by_parent']);
      assert.doesNotMatch(plans.flat().join('\n'), /nodes_by_owner/);
    });

    test('whether a folder is within another: up the tree, by key', async () => {
      const [plan = []] = await app.services.database.read((tx) =>
        plansOf(tx, (recorded) => isWithin(recorded, OWNER, folderOf('usr_1', 2), folderOf('usr_1', 1))),
      );
      assertReadsAlong(plan, [engine === 'sqlite' ? 'sqlite_autoindex_nodes_1' : 'nodes_key']);
    });

    test('what is below a folder: down the tree, by parent', async () => {
      const [plan = []] = await app.services.database.read((tx) =>
        plansOf(tx, (recorded) => listBelow(recorded, OWNER, folderOf('usr_1', 1), 'active')),
      );
      assertReadsAlong(plan, ['nodes_by_parent']);
    });
  });
});

/** Each index is used, and no table is read as a whole. */
function assertReadsAlong(plan: string[], indexes: string[]): void {
  const lines = plan.join('\n');
  for (const index of indexes) assert.match(lines, new RegExp(`\\b${index}\\b`), lines);
  assert.doesNotMatch(
    lines,
    /SCAN (nodes|node_grants|n|g|m)\b|Seq Scan on (nodes|node_grants|groups|group_members)/,
    lines,
  );
}

async function run(tx: ReadTransaction, statement: string): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(statement));
}

/** The files of several users, every tenth of each shared with somebody. */
async function fill(tx: WriteTransaction): Promise<void> {
  for (let user = 1; user <= NEIGHBOURS; user++) {
    const owner = `usr_${user}`;
    const first = user * (FOLDERS + FILES);
    const folders = Array.from({ length: FOLDERS }, (_, i) => nodeOf(owner, 'folder', i, first + i));
    const files = Array.from({ length: FILES }, (_, i) => nodeOf(owner, 'file', i, first + FOLDERS + i));
    for (const rows of portions([...folders, ...files])) await tx.insertInto('nodes').values(rows).execute();
    for (const rows of portions(files)) await indexed(tx, owner, rows);
    const shared = files.filter((_, i) => i % 10 === 0);
    const grants = shared.map(grantOf);
    for (const rows of portions(grants)) await tx.insertInto('node_grants').values(rows).execute();
    const byGrantee = Map.groupBy(shared, (_, i) => grants[i]?.principal_id ?? owner);
    byGrantee.delete(owner);
    for (const [grantee, rows] of byGrantee) await indexed(tx, grantee, rows);
  }
  for (const rows of portions([...GROUPS, ...OTHER_GROUPS].flatMap(membersOf)))
    await tx.insertInto('group_members').values(rows).execute();
}

function membersOf(group: string): GroupMembers[] {
  return Array.from({ length: MEMBERS }, (_, position) => ({
    workspace_id: OWNER.workspaceId,
    group_id: group,
    user_id: `usr_${position}`,
    position,
  }));
}

/** As the search index would have it. */
async function indexed(tx: WriteTransaction, principal_id: string, files: readonly NodeRow[]): Promise<void> {
  const shelf = { workspace_id: OWNER.workspaceId, principal_id, kind: 'file' };
  await addGrams(
    tx,
    shelf,
    files.map((after) => ({ after })),
  );
}

function nodeOf(owner: string, kind: 'file' | 'folder', i: number, number: number): NodeRow {
  const id = kind === 'folder' ? folderOf(owner, i) : fileOf(owner, i);
  const title = `title ${i} of something that is longer`;
  return {
    number,
    workspace_id: OWNER.workspaceId,
    id,
    kind,
    owner_id: owner,
    parent_id: kind === 'folder' || i % 4 === 0 ? '' : folderOf(owner, i % FOLDERS),
    title,
    search_text: title,
    state: i % 20 === 1 ? 'trashed' : 'active',
    facts: '"filename":"f","mime_type":"text/plain","size_bytes":1',
    record: '"id":"file"',
    place: listingSortKey({ id, created_at: timeOf(i) }),
    created_at: timeOf(i),
    updated_at: timeOf(i),
  };
}

function grantOf(node: NodeRow, i: number): NodeGrants {
  const principals = ['usr_1', 'usr_2', ...GROUPS];
  const principal = principals[i % principals.length] ?? '';
  return {
    workspace_id: node.workspace_id,
    id: `perm_${node.id}`,
    node_id: node.id,
    principal_type: principal.startsWith('grp_') ? 'group' : 'user',
    principal_id: principal,
    role: 'viewer',
    created_by: node.owner_id,
    created_at: node.created_at,
    node_kind: node.kind,
    node_parent_id: node.parent_id,
    node_state: node.state,
    node_place: node.place,
  };
}

function fileOf(owner: string, i: number): string {
  return `file_${owner}_${String(i).padStart(6, '0')}`;
}

function folderOf(owner: string, i: number): string {
  return `dir_${owner}_${i}`;
}

function timeOf(i: number): number {
  return Date.UTC(2020, 0, 1) + i * 60_000;
}

function* portions<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < rows.length; i += AT_ONCE) yield rows.slice(i, i + AT_ONCE);
}

/** How the folders above and below nodes are walked, and what lies in shared ones is listed: by indexes, within a workspace. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listFileFolders } from '../../src/areas/drive/file-folders.ts';
import { pageOfNodes } from '../../src/areas/drive/listing/listing.ts';
import { listInFolders } from '../../src/areas/drive/listing/reached-store.ts';
import type { NodeKind, NodeRow } from '../../src/areas/drive/node-store.ts';
import { listingSortKey } from '../../src/areas/drive/record.ts';
import { Rights } from '../../src/areas/drive/rights.ts';
import { findGrantees, findSearchedNodes } from '../../src/areas/drive/search/searched-store.ts';
import {
  findNodes,
  findRoles,
  listChain,
  listGrantsOn,
  listReachedFolders,
  listUsersWithGrants,
} from '../../src/areas/drive/sharing/chain-store.ts';
import { listBelow } from '../../src/areas/drive/tree-store.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import type { NodeGrants } from '../../src/storage/schema/tables.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf, statementsOf } from '../plans.ts';

const READER = { workspaceId: 'wsp_1', userId: 'usr_reader' };
const PRINCIPALS = [READER.userId, 'grp_1', 'grp_2'];
const OWNERS = ['usr_1', 'usr_2', 'usr_3', 'usr_4'];
const FOLDERS = 200;
const FILES = 5_000;
const AT_ONCE = 500;

const folderOf = (owner: string, i: number) => `dir_${owner}_${i}`;
const fileOf = (owner: string, i: number) => `file_${owner}_${i}`;

forEachEngine((engine) => {
  describe('how shared folders are found', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      await analyze(app.services.database);
    });
    after(() => app.stop());

    const nodesKey = engine === 'sqlite' ? 'sqlite_autoindex_nodes_1' : 'nodes_key';
    const members = engine === 'sqlite' ? 'SEARCH group_members USING PRIMARY KEY' : 'group_members_key';
    const { workspaceId } = READER;
    const deep = fileOf('usr_1', FOLDERS - 1);
    const many = Array.from({ length: 200 }, (_, i) => fileOf('usr_1', i));
    const folders = Array.from({ length: 100 }, (_, i) => ({ id: folderOf('usr_1', i), owner_id: 'usr_1' }));
    const page = { kinds: ['file'], after: '', limit: 50 } as const;

    const walks: [what: string, indexes: string[], work: (tx: ReadTransaction) => Promise<unknown>][] = [
      [
        'the roles on a node',
        [nodesKey, 'node_grants_by_node'],
        (tx) => findRoles(tx, workspaceId, [deep], PRINCIPALS),
      ],
      [
        'the roles on many nodes',
        [nodesKey, 'node_grants_by_node'],
        (tx) => findRoles(tx, workspaceId, many, PRINCIPALS),
      ],
      ['the folders above a node', [nodesKey], (tx) => listChain(tx, workspaceId, deep)],
      [
        'the grants on a chain',
        ['node_grants_by_node'],
        (tx) => listGrantsOn(tx, workspaceId, [deep, folderOf('usr_1', 3)]),
      ],
      [
        'who reaches a node',
        [nodesKey, 'node_grants_by_node', members],
        (tx) => listUsersWithGrants(tx, workspaceId, deep),
      ],
      [
        'the folders that a user reaches',
        ['node_grants_by_principal', 'nodes_by_parent'],
        (tx) => listReachedFolders(tx, READER, PRINCIPALS),
      ],
      ['nodes by their ids', [nodesKey], (tx) => findNodes(tx, workspaceId, many)],
      [
        'what lies in a folder',
        ['nodes_by_parent'],
        (tx) => listInFolders(tx, workspaceId, folders.slice(0, 1), page),
      ],
      [
        'what lies in many folders',
        ['nodes_by_parent'],
        (tx) => listInFolders(tx, workspaceId, folders, page),
      ],
      [
        'what is below a folder',
        ['nodes_by_parent'],
        (tx) => listBelow(tx, { workspaceId, userId: 'usr_1' }, folderOf('usr_1', 0), 'active'),
      ],
    ];
    for (const [what, indexes, work] of walks)
      test(`${what}: along ${indexes.join(' and ')}`, async () => {
        const plans = await app.services.database.read((tx) => plansOf(tx, work));
        assert.ok(plans.length > 0);
        const lines = plans.flat().join('\n');
        for (const index of indexes) assert.match(lines, new RegExp(`\\b${index}\\b`), lines);
        for (const plan of plans)
          assert.doesNotMatch(
            plan.join('\n'),
            /SCAN (nodes|node_grants|n|g|m)\b|Seq Scan on (nodes|node_grants|groups|group_members)/,
            plan.join('\n'),
          );
      });

    test('each statement about nodes and grants names its workspace as a value', async () => {
      const rights = new Rights(app.services.directory);
      const filter = { kinds: ['file'], folderId: undefined, q: '', trashed: false, shared: false } as const;
      const one = { limit: 50, after: undefined } as const;
      const pages = (tx: ReadTransaction) =>
        Promise.all(
          [
            filter,
            { ...filter, shared: true },
            { ...filter, folderId: folderOf('usr_1', 1) },
            { ...filter, folderId: '' },
            { ...filter, trashed: true },
            { ...filter, q: 'title 17' },
            { ...filter, q: 'e', shared: true },
          ].map((wanted) => pageOfNodes(tx, rights, READER, wanted, one as never)),
        );
      const statements = await app.services.database.read((tx) =>
        statementsOf(tx, async (recorded) => {
          await pages(recorded);
          await listFileFolders(recorded, rights, READER, { trashed: false, shared: false });
          await findSearchedNodes(recorded, workspaceId, many);
          await findGrantees(recorded, workspaceId, many);
          for (const [, , work] of walks) await work(recorded);
        }),
      );
      const about = statements.filter(({ sql }) => /from "(nodes|node_grants)"|join "nodes"/.test(sql));
      assert.ok(about.length > 20, `${about.length} statements`);
      for (const { sql, parameters } of about) {
        // Each mention of a table in a statement has a condition of its own, or is joined by a workspace that has one.
        assert.match(sql, /"workspace_id" = (\?|\$\d+)/, sql);
        assert.ok(parameters.includes(workspaceId), sql);
      }
    });

    test('the same ids in another workspace are not read', async () => {
      const elsewhere = { ...READER, workspaceId: 'wsp_2' };
      await app.services.database.read(async (tx) => {
        const here = await listReachedFolders(tx, READER, PRINCIPALS);
        assert.equal(here.length, OWNERS.length * (FOLDERS / 2));
        assert.deepEqual(await listReachedFolders(tx, elsewhere, PRINCIPALS), []);
        assert.deepEqual(await listInFolders(tx, 'wsp_2', folders, page), []);
        assert.equal((await listInFolders(tx, workspaceId, folders, page)).length, 50);
        assert.deepEqual(await findRoles(tx, 'wsp_2', many, PRINCIPALS), []);
        const rights = new Rights(app.services.directory);
        assert.deepEqual(await rights.grantedPrincipalIdsOf(tx, elsewhere), []);
        assert.deepEqual(await rights.grantedPrincipalIdsOf(tx, READER), [READER.userId]);
      });
    });
  });
});

/** Folders of several owners, in chains of ten; half of the chains are shared, by user or by group, at their top. */
async function fill(tx: WriteTransaction): Promise<void> {
  let number = 1_000_000;
  for (const owner of OWNERS) {
    const parentOf = (i: number) => (i % 10 === 0 ? '' : folderOf(owner, i - 1));
    const folders = Array.from({ length: FOLDERS }, (_, i) =>
      nodeOf(owner, 'folder', folderOf(owner, i), parentOf(i), number++),
    );
    const files = Array.from({ length: FILES }, (_, i) =>
      nodeOf(owner, 'file', fileOf(owner, i), folderOf(owner, i % FOLDERS), number++),
    );
    const nodes = [...folders, ...files];
    for (let i = 0; i < nodes.length; i += AT_ONCE)
      await tx
        .insertInto('nodes')
        .values(nodes.slice(i, i + AT_ONCE))
        .execute();
    const tops = folders.filter((_, i) => i % 20 === 0);
    const grants = [
      ...tops.map((node) => grantOf(node, READER.userId)),
      ...tops.map((node) => grantOf(node, 'grp_1')),
      ...files.map((node, i) => grantOf(node, `usr_other_${i % 50}`)),
      ...files.map((node) => grantOf(node, 'grp_2')),
    ];
    for (let i = 0; i < grants.length; i += AT_ONCE)
      await tx
        .insertInto('node_grants')
        .values(grants.slice(i, i + AT_ONCE))
        .execute();
  }
  for (let group = 0; group < 100; group++)
    await tx
      .insertInto('group_members')
      .values(
        Array.from({ length: 100 }, (_, position) => ({
          workspace_id: READER.workspaceId,
          group_id: `grp_${group}`,
          user_id: `usr_other_${position}`,
          position,
        })),
      )
      .execute();
}

function nodeOf(owner: string, kind: NodeKind, id: string, parent: string, number: number): NodeRow {
  const created_at = Date.UTC(2020, 0, 1) + number * 1000;
  const title = `title ${number}`;
  return {
    number,
    workspace_id: READER.workspaceId,
    id,
    kind,
    owner_id: owner,
    parent_id: parent,
    title,
    search_text: title,
    state: 'active',
    facts: '"filename":"f","mime_type":"text/plain","size_bytes":1',
    record: `"id":"${id}","owner_id":"${owner}","folder_id":"${parent}"`,
    place: listingSortKey({ id, created_at }),
    created_at,
    updated_at: created_at,
  };
}

function grantOf(node: NodeRow, principal: string): NodeGrants {
  return {
    workspace_id: node.workspace_id,
    id: `perm_${node.id}_${principal}`,
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

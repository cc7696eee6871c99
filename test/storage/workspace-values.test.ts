/** That each statement on rows of workspaces says of which, so that a database spread over servers asks one of them. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { findUserAnywhere, findUserByAddress } from '../../src/areas/directory/user-store.ts';
import { startApp, type TestApp } from '../harness.ts';
import { requireNamedWorkspaces } from '../named-workspaces.ts';
import { unnamedWorkspaces } from './workspace-values.ts';

const NAMING = [
  'insert into "nodes" ("number", "workspace_id") select cast($1 as bigint) as "number", "workspace_id" from "files" where "workspace_id" = $2',
  'select "n"."id" from "nodes" as "n" where "n"."workspace_id" = $1',
  'select id from nodes where workspace_id = $1 and id = any(array(select e.value from jsonb_array_elements_text($2::jsonb) as e))',
  'select 1 from "api_keys" as "k" inner join "users" as "u" on "u"."workspace_id" = "k"."workspace_id" where "k"."workspace_id" = $1',
  'select 1 from user_addresses a join users u on u.workspace_id = a.workspace_id where a.workspace_id = $1',
  'with recursive "up"("id") as (select "id" from "nodes" where "workspace_id" = $1 union select "f"."id" from "up" inner join "nodes" as "f" on "f"."id" = "up"."id" where "f"."workspace_id" = $2) select "id" from "up"',
  'insert into "nodes" ("id", "workspace_id") values ($1, $2), ($3, $4) on conflict ("workspace_id", "id") do update set "id" = "excluded"."id"',
  'insert into "nodes" ("workspace_id", "id") select "f"."workspace_id", e.value ->> 0 from jsonb_array_elements($1::jsonb) as e join "files" as "f" on "f"."workspace_id" = $2',
  'insert into "nodes" ("id", "workspace_id") select cast($1 as bigint), "f"."workspace_id" from "files" as "f" where "f"."workspace_id" = $2',
  'update "nodes" set "state" = $1 where "workspace_id" = $2 returning (select 1 from files as f where f.workspace_id = $3)',
  'delete from nodes where workspace_id = $1',
  'select name from migrations',
  'savepoint attempt_1',
];

const UNNAMED: [string, string[]][] = [
  ['select id from nodes where owner_id = $1', ['nodes']],
  ['select id from nodes where workspace_id = owner_id', ['nodes']],
  ['select id from nodes n, files f where n.workspace_id = $1 and f.id = n.id', ['files']],
  [
    'select id from nodes as n where n.workspace_id = $1 and exists (select 1 from files f where f.workspace_id = n.workspace_id)',
    ['files'],
  ],
  [
    'select 1 from user_addresses a join users u on u.workspace_id = a.workspace_id where a.address = $1',
    ['users'],
  ],
  [
    'select 1 from (select * from nodes where workspace_id = $1 limit 5) as n left join files f on f.workspace_id = n.workspace_id',
    ['files'],
  ],
  [
    'with recursive up(w, id) as (select workspace_id, id from nodes where workspace_id = $1 union select f.workspace_id, f.id from up join nodes f on f.workspace_id = up.w) select id from up',
    ['nodes'],
  ],
  ['select 1 from nodes where workspace_id = $1 union all select 1 from files', ['files']],
  [
    "insert into nodes (workspace_id, id) select e.value ->> 'w', e.value ->> 'id' from json_array_elements($1) as e",
    ['nodes'],
  ],
  [
    "insert into nodes (workspace_id, id) select cast($1 as text), e.value ->> 'id' from json_array_elements($2) as e",
    ['nodes'],
  ],
  ['insert into nodes (workspace_id, id) select f.workspace_id, f.id from files f', ['files', 'nodes']],
  ['insert into nodes (id) values ($1)', ['nodes']],
  ['update nodes set state = $1 where id = $2', ['nodes']],
  ['delete from nodes using files f where f.workspace_id = $1', ['nodes']],
];

describe('the workspace of a statement', () => {
  it('is named where each table has a value, or the workspace of one of the same query that has (OPS-68)', () => {
    for (const sql of NAMING) assert.deepEqual(unnamedWorkspaces(sql), [], sql);
  });

  it('is not named by another column, by an outer query or by what a subquery returns (OPS-68)', () => {
    for (const [sql, tables] of UNNAMED) assert.deepEqual(unnamedWorkspaces(sql), tables, sql);
  });
});

describe('statements that the tests run on PostgreSQL', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp('postgres');
  });
  after(() => app.stop());

  it('name their workspace, or the test fails that runs them (OPS-68)', async (t) => {
    const { database } = app.services;
    const folder = await mkdtemp(join(tmpdir(), 'atrium-unnamed-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'src', 'areas', 'unnamed-store.mjs');
    await mkdir(join(folder, 'src', 'areas'), { recursive: true });
    await writeFile(
      file,
      `export const listAll = async (tx) => tx.selectFrom('users').select('id').execute();`,
    );
    const { listAll } = await import(pathToFileURL(file).href);
    await database.read(listAll);
    assert.throws(requireNamedWorkspaces, /unnamed-store\.mjs listAll names no workspace for users: select/);
    requireNamedWorkspaces();
  });

  it('may leave it out where all workspaces are meant, and in a test itself (OPS-68)', async () => {
    const { database } = app.services;
    await database.read((tx) => findUserAnywhere(tx, 'usr_none'));
    await database.read((tx) => findUserByAddress(tx, 'nobody@example.com'));
    await database.read((tx) => tx.selectFrom('users').select('name').execute());
    requireNamedWorkspaces();
  });
});

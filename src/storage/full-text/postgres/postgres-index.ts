import { sql } from 'kysely';
import { Thread } from '../../../turns/thread.ts';
import type { Database, ReadTransaction, WriteTransaction } from '../../database.ts';
import { integerMember, jsonRows, textMember } from '../../query/json-rows.ts';
import { principalsOfTrees, rootsOf } from '../folder-trees.ts';
import type {
  FolderKey,
  FolderToGather,
  FullTextIndex,
  GatheredFolder,
  Hit,
  IndexBatch,
  IndexedDigest,
  IndexedObject,
  IndexPosition,
  IndexQuery,
  IndexState,
  ObjectKey,
  SearchedKind,
} from '../full-text-index.ts';
import { inOrderOfIds, kindClauses, scopeOf, TERMS_VERSION } from '../terms.ts';
import {
  addDueFolders,
  dueFolders,
  FOLDER_TABLES,
  foldersUnder,
  gatherFolder,
  lookAtAllFolders,
  noteFolders,
  wronglyGathered,
} from './folder-rows.ts';
import { freePlaces } from './free-places.ts';
import { beginMarks, MARKS_TABLE, putMarks, readMarks } from './marks.ts';
import { findPlaces, rangeOf } from './places.ts';
import { putTerms } from './put-terms.ts';
import { listed, rowsOf as run } from './rows.ts';
import type { ObjectTerms } from './term-worker.ts';

const LOCK = 'full-text index';

/** A large file has millions of terms. */
const TIMEOUT_MS = 120_000;
const HEAP_MEGABYTES = 512;

/** The terms of objects are gathered in a thread. */
const thread = new Thread<readonly IndexedObject[], ObjectTerms[]>({
  module: new URL('./term-worker.ts', import.meta.url),
  timeoutMs: TIMEOUT_MS,
  heapMegabytes: HEAP_MEGABYTES,
});

/**
 * Derived rows, in tables that belong to no migration: a backup leaves them out. The terms of an object stand in a row
 * for each scope, and in several where they are too many for a tsvector.
 */
const TABLES = [
  'search_states',
  'search_objects',
  'search_terms',
  'search_folder_roots',
  'search_folders_due',
  'search_marks',
] as const;

const SCHEMA = [
  sql`create table search_states (version bigint not null, value text not null)`,
  sql`create table search_objects (
    workspace_id text collate "C" not null,
    kind text collate "C" not null,
    id text collate "C" not null,
    place bigint not null,
    build bigint not null,
    digest text not null,
    excerpt text,
    folder text collate "C" not null,
    roots text collate "C" not null,
    primary key (workspace_id, kind, id))`,
  sql`create index search_objects_by_folder on search_objects (workspace_id, folder, roots) where folder <> ''`,
  sql`create unique index search_objects_by_place on search_objects (workspace_id, place)`,
  sql`create index search_objects_by_build on search_objects (build)`,
  sql`create table search_terms (
    workspace_id text collate "C" not null,
    scope text collate "C" not null,
    place bigint not null,
    part integer not null,
    parts integer not null,
    terms tsvector not null,
    primary key (workspace_id, scope, place, part))`,
  sql`create index search_terms_by_place on search_terms (workspace_id, place)`,
  sql`create index search_terms_of_many on search_terms (workspace_id, scope, place) where parts > 1`,
  sql`create index search_terms_by_term on search_terms using gin (terms)`,
  ...FOLDER_TABLES,
  MARKS_TABLE,
];

/** The index in the database of PostgreSQL, in tables of its own. */
export class PostgresIndex implements FullTextIndex {
  readonly engine = 'postgres';
  readonly #database: Database;
  #isMade = false;

  constructor(database: Database) {
    this.#database = database;
  }

  async state(): Promise<IndexState | undefined> {
    await this.#make();
    return this.#database.read(readState);
  }

  async marks(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, IndexPosition>> {
    await this.#make();
    return this.#database.read((tx) => readMarks(tx, workspaceIds));
  }

  async write({ from, to, objects: given, removed, due, isAnew, marks }: IndexBatch): Promise<boolean> {
    await this.#make();
    const objects = inOrderOfIds(given);
    const terms = objects.length > 0 ? await thread.ask(objects) : [];
    return this.#database.write(async (tx) => {
      await tx.lockInstallation(LOCK);
      if (from !== undefined && JSON.stringify(await readState(tx)) !== JSON.stringify(from)) return false;
      await remove(tx, [...removed, ...objects]);
      await put(tx, objects, terms, to.build);
      if (isAnew) await lookAtAllFolders(tx);
      if (isAnew) await beginMarks(tx, to.position);
      if (marks) await putMarks(tx, marks);
      if (due) await addDueFolders(tx, due, true);
      await run(tx, sql`delete from search_states`);
      await run(tx, sql`insert into search_states values (${TERMS_VERSION}, ${JSON.stringify(to)})`);
      return true;
    });
  }

  async removeOlder(build: number, limit: number): Promise<number> {
    return this.#database.write(async (tx) => {
      await tx.lockInstallation(LOCK);
      const rows = await run<KeyRow>(
        tx,
        sql`select workspace_id, kind, id from search_objects where build < ${build} limit ${limit}`,
      );
      await remove(tx, rows.map(keyOf));
      return rows.length;
    });
  }

  async dueFolders(limit: number): Promise<FolderKey[]> {
    await this.#make();
    return this.#database.read((tx) => dueFolders(tx, limit));
  }

  /** See FullTextIndex. The terms are those that were indexed: no text is read again. */
  async gather(folders: readonly FolderToGather[], limit: number): Promise<void> {
    await this.#database.write(async (tx) => {
      await tx.lockInstallation(LOCK);
      let left = limit;
      for (const folder of folders) {
        left -= await gatherFolder(tx, folder, left);
        if (left <= 0) return;
      }
    });
  }

  async foldersUnder(workspaceId: string, roots: readonly string[]): Promise<GatheredFolder[]> {
    await this.#make();
    return this.#database.read((tx) => foldersUnder(tx, workspaceId, roots));
  }

  async search(query: IndexQuery): Promise<Hit[]> {
    await this.#make();
    const { workspaceId, trees, limit } = query;
    const clauses = [...kindClauses(query), ...query.clauses];
    const range = rangeOf(query);
    return this.#database.read(async (tx) => {
      const gathered = await foldersUnder(tx, workspaceId, rootsOf(trees));
      const places: bigint[] = [];
      for (const principal of [...query.principals, ...principalsOfTrees(trees, gathered)]) {
        const scope = scopeOf(workspaceId, principal);
        places.push(...(await findPlaces(tx, workspaceId, scope, clauses, range, limit)));
      }
      const newest = [...new Set(places)].sort((a, b) => (a > b ? -1 : 1)).slice(0, limit);
      return hitsAt(tx, workspaceId, newest);
    });
  }

  async excerpts(workspaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
    await this.#make();
    const rows = await this.#database.read((tx) =>
      run<{ id: string; excerpt: string }>(
        tx,
        sql`select id, excerpt from search_objects
          where workspace_id = ${workspaceId} and kind in ('file', 'document', 'spreadsheet')
            and id = any(array(select ${textMember(0)} from ${jsonRows(tx, listed(ids))})) and excerpt is not null`,
      ),
    );
    return new Map(rows.map(({ id, excerpt }) => [id, excerpt]));
  }

  async digests(keys: readonly ObjectKey[]): Promise<IndexedDigest[]> {
    await this.#make();
    const wanted = JSON.stringify(keys.map(({ workspaceId, kind, id }) => [workspaceId, kind, id]));
    const rows = await this.#database.read((tx) =>
      run<KeyRow & { digest: string }>(
        tx,
        sql`select o.workspace_id, o.kind, o.id, o.digest from ${jsonRows(tx, wanted)}
          join search_objects as o on o.workspace_id = ${textMember(0)} and o.kind = ${textMember(1)}
            and o.id = ${textMember(2)}`,
      ),
    );
    return rows.map((row) => ({ ...keyOf(row), digest: row.digest }));
  }

  async count(): Promise<number> {
    await this.#make();
    const [row] = await this.#database.read((tx) =>
      run<{ count: number }>(tx, sql`select count(*)::integer as count from search_objects`),
    );
    return row?.count ?? 0;
  }

  async list(after: ObjectKey | undefined, limit: number): Promise<IndexedDigest[]> {
    await this.#make();
    const { workspaceId = '', kind = '', id = '' } = after ?? {};
    const rows = await this.#database.read((tx) =>
      run<KeyRow & { digest: string }>(
        tx,
        sql`select workspace_id, kind, id, digest from search_objects
          where (workspace_id, kind, id) > (${workspaceId}, ${kind}, ${id})
          order by workspace_id, kind, id limit ${limit}`,
      ),
    );
    return rows.map((row) => ({ ...keyOf(row), digest: row.digest }));
  }

  /** Each object has all parts of its terms. */
  async check(): Promise<string[]> {
    await this.#make();
    const [row] = await this.#database.read((tx) =>
      run<{ id: string }>(
        tx,
        sql`select o.id from search_objects as o left join search_terms as t
            on t.workspace_id = o.workspace_id and t.place = o.place
          group by o.workspace_id, o.kind, o.id
          having count(t.part) = 0 or count(t.part) <> count(distinct t.scope) * max(t.parts) limit 1`,
      ),
    );
    if (row) return [`The full-text index lacks terms of ${row.id}.`];
    return this.#database.read(wronglyGathered);
  }

  async close(): Promise<void> {}

  /** Makes the tables where they are missing or of another version. */
  async #make(): Promise<void> {
    if (this.#isMade) return;
    await this.#database.write(async (tx) => {
      await tx.lockInstallation(LOCK);
      if (await isOfThisVersion(tx)) return;
      for (const table of TABLES) await run(tx, sql`drop table if exists ${sql.table(table)}`);
      for (const statement of SCHEMA) await run(tx, statement);
    });
    this.#isMade = true;
  }
}

async function isOfThisVersion(tx: WriteTransaction): Promise<boolean> {
  const [made] = await run<{ tables: number }>(
    tx,
    sql`select count(*)::integer as tables from information_schema.tables
      where table_schema = current_schema() and table_name in (${sql.join(TABLES)})`,
  );
  if (made?.tables !== TABLES.length) return false;
  const [state] = await run<{ version: number }>(tx, sql`select version from search_states`);
  return state === undefined || Number(state.version) === TERMS_VERSION;
}

async function readState(tx: ReadTransaction): Promise<IndexState | undefined> {
  const [row] = await run<{ value: string }>(tx, sql`select value from search_states`);
  return row && JSON.parse(row.value);
}

async function remove(tx: WriteTransaction, keys: readonly ObjectKey[]): Promise<void> {
  if (keys.length === 0) return;
  const rows = JSON.stringify(keys.map(({ workspaceId, kind, id }) => [workspaceId, kind, id]));
  await run(
    tx,
    sql`with gone as (
        delete from search_objects as o using ${jsonRows(tx, rows)}
        where o.workspace_id = ${textMember(0)} and o.kind = ${textMember(1)} and o.id = ${textMember(2)}
        returning o.workspace_id, o.place)
      delete from search_terms as t using gone
      where t.workspace_id = gone.workspace_id and t.place = gone.place`,
  );
}

async function put(
  tx: WriteTransaction,
  objects: readonly IndexedObject[],
  terms: readonly ObjectTerms[],
  build: number,
): Promise<void> {
  if (objects.length === 0) return;
  const places = await freePlaces(tx, objects);
  const rows = objects.map(({ workspaceId, kind, id, excerpt, folder }, i) => [
    workspaceId,
    kind,
    id,
    places[i]?.toString(),
    build,
    terms[i]?.digest,
    excerpt?.replaceAll('\0', ' ') ?? null,
    folder?.id ?? '',
    folder?.roots.join(' ') ?? '',
  ]);
  await run(
    tx,
    sql`insert into search_objects (workspace_id, kind, id, place, build, digest, excerpt, folder, roots)
      select ${textMember(0)}, ${textMember(1)}, ${textMember(2)}, ${integerMember(3)}, ${integerMember(4)},
        ${textMember(5)}, ${textMember(6)}, ${textMember(7)}, ${textMember(8)}
      from ${jsonRows(tx, JSON.stringify(rows))}`,
  );
  await putTerms(
    tx,
    objects.map((object, i) => ({ object, place: places[i] ?? 0n, parts: terms[i]?.parts ?? [] })),
  );
  await noteFolders(tx, objects);
}

async function hitsAt(tx: ReadTransaction, workspaceId: string, places: readonly bigint[]): Promise<Hit[]> {
  if (places.length === 0) return [];
  const rows = await run<{ kind: SearchedKind; id: string; place: string }>(
    tx,
    sql`select kind, id, place::text as place from search_objects
      where workspace_id = ${workspaceId}
        and place = any(array(select ${integerMember(0)} from ${jsonRows(tx, listed(places.map(String)))}))
      order by search_objects.place desc`,
  );
  return rows.map(({ kind, id, place }) => ({ kind, id, place }));
}

interface KeyRow {
  workspace_id: string;
  kind: SearchedKind;
  id: string;
}

function keyOf({ workspace_id: workspaceId, kind, id }: KeyRow): ObjectKey {
  return { workspaceId, kind, id };
}

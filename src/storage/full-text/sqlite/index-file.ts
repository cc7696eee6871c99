import { rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { principalsOfTrees, rootsOf } from '../folder-trees.ts';
import type {
  FolderKey,
  FolderToGather,
  GatheredFolder,
  Hit,
  IndexBatch,
  IndexedDigest,
  IndexedObject,
  IndexQuery,
  IndexState,
  ObjectKey,
  SearchedKind,
} from '../full-text-index.ts';
import {
  below,
  digestUnder,
  firstPlaceOf,
  indexDigest,
  inOrderOfIds,
  ownPrincipalsOf,
  scopeOf,
  TERMS_VERSION,
  termsOf,
} from '../terms.ts';
import { identityOf, isDamage, makePrivate } from './file-state.ts';
import {
  addDueFolders,
  dueFolders,
  foldersUnder,
  gatherFolder,
  type IndexRows,
  lookAtAllFolders,
  noteFolder,
  type SqlValue,
  wronglyGathered,
} from './folder-rows.ts';
import { freePlaceOf } from './free-places.ts';
import { matchExpression } from './match-expression.ts';
import { SCHEMA, TABLES } from './tables.ts';

const CACHE_KIB = 16_384;
/** How long it waits for another process that writes. */
const BUSY_MS = 10_000;

/** The index in a file of SQLite. Its calls block: it belongs into a thread. */
export class IndexFile {
  /** Names the file that is open: its path may name another one later. */
  readonly identity: string | undefined;
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #rows: IndexRows = {
    all: (text, ...values) => this.#all(text, ...values),
    run: (text, ...values) => this.#run(text, ...values),
  };

  private constructor(path: string, options: { readOnly?: boolean } = {}) {
    this.#path = path;
    this.identity = identityOf(path);
    this.#db = new DatabaseSync(path, { ...options, timeout: BUSY_MS });
  }

  /** Opens the file for writing; makes it anew if it is missing, damaged or of another version. */
  static openToWrite(path: string): IndexFile {
    try {
      return IndexFile.#opened(path);
    } catch (error) {
      if (!isDamage(error)) throw error;
      IndexFile.remove(path);
      return IndexFile.#opened(path);
    }
  }

  static #opened(path: string): IndexFile {
    makePrivate(path);
    const file = new IndexFile(path);
    try {
      file.#db.exec(
        `pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -${CACHE_KIB}`,
      );
      file.#makeTables();
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Removes the file: it is made anew by whoever writes next. */
  static remove(path: string): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  }

  /** Whether the path still names the file that is open. */
  isInPlace(): boolean {
    return this.identity === identityOf(this.#path);
  }

  /** Opens the file for reading; undefined if it is missing, damaged or of another version. */
  static openToRead(path: string): IndexFile | undefined {
    if (identityOf(path) === undefined) return undefined;
    const file = new IndexFile(path, { readOnly: true });
    try {
      if (file.#version() === TERMS_VERSION) return file;
    } catch (error) {
      file.close();
      if (isDamage(error)) return undefined;
      throw error;
    }
    file.close();
    return undefined;
  }

  /** The state in a file, which is closed again; undefined where it is to be built. A read of one row: no thread is worth it. */
  static stateIn(path: string): IndexState | undefined {
    const file = IndexFile.openToRead(path);
    try {
      return file?.state();
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    } finally {
      file?.close();
    }
  }

  #version(): number | undefined {
    const exists = this.#all(`select name from sqlite_schema where name = 'state'`).length > 0;
    if (!exists) return undefined;
    return Number(this.#all('select version from state')[0]?.version ?? TERMS_VERSION);
  }

  #makeTables(): void {
    this.#atomically(() => {
      const found = this.#all(
        `select name from sqlite_schema where name in (${TABLES.map((name) => `'${name}'`).join()})`,
      );
      if (found.length === TABLES.length && this.#version() === TERMS_VERSION) return;
      for (const { name } of found) this.#db.exec(`drop table ${name}`);
      this.#db.exec(SCHEMA);
    });
  }

  state(): IndexState | undefined {
    const [row] = this.#all('select value from state');
    return row && JSON.parse(String(row.value));
  }

  /** Writes all of a batch or nothing. Returns false if the index has moved on since. */
  async write({ from, to, objects, removed, due, isAnew }: IndexBatch): Promise<boolean> {
    const prepared: [IndexedObject, string][] = [];
    for (const object of inOrderOfIds(objects))
      prepared.push([object, [...(await termsOf(object))].join(' ')]);
    return this.#atomically(() => {
      if (from !== undefined && JSON.stringify(this.state()) !== JSON.stringify(from)) return false;
      for (const key of removed) this.#remove(key);
      for (const [object, terms] of prepared) this.#put(object, terms, to.build);
      if (isAnew) lookAtAllFolders(this.#rows);
      if (due) addDueFolders(this.#rows, due, true);
      this.#db.exec('delete from state');
      this.#run('insert into state (version, value) values (?, ?)', TERMS_VERSION, JSON.stringify(to));
      return true;
    });
  }

  #put(object: IndexedObject, terms: string, build: number): void {
    const { workspaceId, kind, id, excerpt, folder } = object;
    this.#remove(object);
    const place = freePlaceOf(this.#rows, object);
    const scopes = ownPrincipalsOf(object).map((principal) => scopeOf(workspaceId, principal));
    this.#run(
      `insert into objects (place, workspace_id, kind, id, build, digest, excerpt, folder, roots, scopes, packed_terms)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      place,
      workspaceId,
      kind,
      id,
      build,
      indexDigest(object),
      excerpt === undefined ? null : zstdCompressSync(excerpt),
      folder?.id ?? '',
      folder?.roots.join(' ') ?? '',
      folder ? scopes.join(' ') : '',
      folder ? zstdCompressSync(terms) : null,
    );
    this.#putTerms(place, [...scopes, ...this.#scopesBelow(workspaceId, folder?.roots ?? [])], terms);
    if (folder) noteFolder(this.#rows, { workspaceId, folderId: folder.id }, folder.roots);
  }

  #putTerms(place: bigint, scopes: readonly string[], terms: string): void {
    const each = terms.split(' ');
    const scoped = scopes.map((scope) => each.map((term) => scope + term).join(' '));
    this.#run('insert into terms (rowid, value) values (?, ?)', place, scoped.join(' '));
  }

  #scopesBelow(workspaceId: string, roots: readonly string[]): string[] {
    return roots.map((root) => scopeOf(workspaceId, below(root)));
  }

  dueFolders(limit: number): FolderKey[] {
    return dueFolders(this.#rows, limit);
  }

  /** See FullTextIndex. The terms are those that were indexed: no text is read again. */
  gather(folders: readonly FolderToGather[], limit: number): void {
    this.#atomically(() => {
      let left = limit;
      for (const folder of folders) {
        left -= gatherFolder(this.#rows, folder, left, (place) => this.#putUnder(place, folder.roots));
        if (left <= 0) return;
      }
    });
  }

  #putUnder(place: bigint, roots: readonly string[]): void {
    const [row] = this.#all(
      'select workspace_id, digest, scopes, packed_terms from objects where place = ?',
      place,
    );
    const { workspace_id: workspaceId, digest, scopes, packed_terms: packed } = row ?? {};
    const under = this.#scopesBelow(String(workspaceId), roots);
    this.#run('delete from terms where rowid = ?', place);
    this.#putTerms(
      place,
      [...String(scopes).split(' '), ...under],
      zstdDecompressSync(packed as Uint8Array).toString(),
    );
    this.#run(
      'update objects set roots = ?, digest = ? where place = ?',
      roots.join(' '),
      digestUnder(String(digest), roots),
      place,
    );
  }

  foldersUnder(workspaceId: string, roots: readonly string[]): GatheredFolder[] {
    return foldersUnder(this.#rows, workspaceId, roots);
  }

  #remove({ workspaceId, kind, id }: ObjectKey): void {
    const [row] = this.#all(
      'delete from objects where workspace_id = ? and kind = ? and id = ? returning place',
      workspaceId,
      kind,
      id,
    );
    if (row) this.#run('delete from terms where rowid = ?', row.place as bigint);
  }

  removeOlder(build: number, limit: number): number {
    return this.#atomically(() => {
      const rows = this.#all(
        'select workspace_id, kind, id from objects where build < ? limit ?',
        build,
        limit,
      );
      for (const row of rows) this.#remove(keyOf(row));
      return rows.length;
    });
  }

  search(query: IndexQuery): Hit[] {
    return this.#inTransaction('begin', () => this.#search(query));
  }

  #search(query: IndexQuery): Hit[] {
    const { workspaceId, trees } = query;
    const gathered = this.foldersUnder(workspaceId, rootsOf(trees));
    const principals = [...query.principals, ...principalsOfTrees(trees, gathered)];
    const scopes = principals.map((principal) => scopeOf(workspaceId, principal));
    const before = query.behind === undefined ? firstPlaceOf(query.until) : BigInt(query.behind);
    const rows = this.#all(
      `select o.kind, o.id, o.place from terms as t cross join objects as o on o.place = t.rowid
       where terms match ? and t.rowid < ? and t.rowid >= ? order by t.rowid desc limit ?`,
      matchExpression(query, scopes),
      before,
      firstPlaceOf(query.from),
      query.limit,
    );
    return rows.map(({ kind, id, place }) => ({
      kind: kind as SearchedKind,
      id: String(id),
      place: String(place),
    }));
  }

  excerpts(workspaceId: string, ids: readonly string[]): Map<string, string> {
    const rows = this.#all(
      `select o.id, o.excerpt from json_each(?) as wanted
       join objects as o on o.workspace_id = ? and o.kind in ('file', 'document', 'spreadsheet') and o.id = wanted.value
       where o.excerpt is not null`,
      JSON.stringify(ids),
      workspaceId,
    );
    return new Map(
      rows.map(({ id, excerpt }) => [String(id), zstdDecompressSync(excerpt as Uint8Array).toString()]),
    );
  }

  digests(keys: readonly ObjectKey[]): IndexedDigest[] {
    return keys.flatMap(({ workspaceId, kind, id }) => {
      const [row] = this.#all(
        'select digest from objects where workspace_id = ? and kind = ? and id = ?',
        workspaceId,
        kind,
        id,
      );
      return row ? [{ workspaceId, kind, id, digest: String(row.digest) }] : [];
    });
  }

  count(): number {
    return Number(this.#all('select count(*) as count from objects')[0]?.count ?? 0);
  }

  list(after: ObjectKey | undefined, limit: number): IndexedDigest[] {
    const rows = this.#all(
      `select workspace_id, kind, id, digest from objects where (workspace_id, kind, id) > (?, ?, ?)
       order by workspace_id, kind, id limit ?`,
      after?.workspaceId ?? '',
      after?.kind ?? '',
      after?.id ?? '',
      limit,
    );
    return rows.map((row) => ({ ...keyOf(row), digest: String(row.digest) }));
  }

  /** Sentences about damage of the file. */
  check(): string[] {
    try {
      this.#db.exec(`insert into terms (terms) values ('integrity-check')`);
      const [row] = this.#all('pragma quick_check');
      const result = String(Object.values(row ?? {})[0]);
      if (result !== 'ok') return [`The full-text index is damaged: ${result}.`];
      return wronglyGathered(this.#rows);
    } catch (error) {
      return [`The full-text index is damaged: ${(error as Error).message}.`];
    }
  }

  close(): void {
    this.#db.close();
  }

  #atomically<T>(work: () => T): T {
    return this.#inTransaction('begin immediate', work);
  }

  #inTransaction<T>(begin: string, work: () => T): T {
    this.#db.exec(begin);
    try {
      const result = work();
      this.#db.exec('commit');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw error;
    }
  }

  #all(sql: string, ...values: SqlValue[]): Record<string, unknown>[] {
    return this.#prepare(sql).all(...values);
  }

  #run(sql: string, ...values: SqlValue[]): void {
    this.#prepare(sql).run(...values);
  }

  /** Places have 63 bits. */
  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function keyOf(row: Record<string, unknown>): ObjectKey {
  return { workspaceId: String(row.workspace_id), kind: row.kind as SearchedKind, id: String(row.id) };
}

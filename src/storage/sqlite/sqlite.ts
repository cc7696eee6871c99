import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { CompiledQuery } from 'kysely';
import { syncDirectory } from '../../platform/directories.ts';
import type { ReadTransaction, WriteTransaction } from '../database.ts';
import type { SchemaTransaction, StorageEngine } from '../schema/schema-transaction.ts';
import type { Tables } from '../schema/tables.ts';
import { retryLostRaces, type Transaction, TransactionRun } from '../transaction.ts';
import { Checkpointer } from './checkpointer.ts';
import { SqliteConnection } from './connection.ts';
import { Durability, openWalFile, type WalFile } from './durability.ts';
import { GroupCommit } from './group-commit.ts';
import { InFlightCalls } from './in-flight-calls.ts';
import { Readers, type SqliteSnapshot } from './readers.ts';
import { SqliteSession, sqliteDialect } from './session.ts';
import { TableVersions } from './table-versions.ts';

/** A log that grew during a long read is truncated to this size when it restarts. */
const LOG_FILE_BYTES = 64 * 1024 * 1024;

/**
 * Opens the SQLite database at `path`, or creates it; its directory must exist. Other processes may use the file at the
 * same time. `openWal` opens the log for syncing. Rejects with StorageUnavailable.
 */
export async function openSqlite(path: string, openWal = openWalFile): Promise<StorageEngine> {
  const writer = await retryLostRaces(() => openWriter(path));
  await syncDirectory(dirname(path));
  return new SqliteDatabase(path, writer, await openWal(path));
}

/**
 * Creates the file with mode 0600: SQLite would use the umask, and gives its log the same mode. An existing file is not
 * opened, because closing it would release the locks of this process on it (POSIX).
 */
function makeForOwnerOnly(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // The file exists or cannot be created: opening it reports the error.
  }
}

function openWriter(path: string): SqliteConnection {
  makeForOwnerOnly(path);
  const writer = new SqliteConnection(path, 'write');
  try {
    writer.exec('pragma journal_mode = wal');
    // COMMIT itself does not sync: group commit does, once for many.
    writer.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0');
    writer.exec(`pragma foreign_keys = on; pragma journal_size_limit = ${LOG_FILE_BYTES}`);
    keepSavepointsOnDisk(path, writer);
    // The first transaction creates the log file.
    writer.exec('begin immediate; commit');
    return writer;
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * A savepoint stores the original of each page changed after it: for a large import as much as the search index, too
 * much for memory. So savepoints go to an unnamed temporary file in the directory of the database.
 */
function keepSavepointsOnDisk(path: string, writer: SqliteConnection): void {
  const directory = dirname(path);
  writer.exec(`pragma temp_store_directory = '${directory.replaceAll("'", "''")}'`);
  // A SQLite built without this pragma would use the temporary directory of the system.
  const { temp_store_directory: taken } = writer.get('pragma temp_store_directory') ?? {};
  if (taken === directory) writer.exec('pragma temp_store = file');
}

class SqliteDatabase implements StorageEngine {
  readonly engine = 'sqlite';
  readonly #writer: SqliteConnection;
  readonly #wal: WalFile;
  readonly #readers: Readers;
  readonly #checkpointer: Checkpointer;
  readonly #durability: Durability;
  readonly #groupCommit: GroupCommit;
  readonly #versions = new TableVersions();
  readonly #calls = new InFlightCalls();

  constructor(path: string, writer: SqliteConnection, wal: WalFile) {
    this.#writer = writer;
    this.#wal = wal;
    this.#readers = new Readers(path);
    this.#checkpointer = new Checkpointer(path);
    this.#durability = new Durability(writer, wal, () => this.#checkpointer.emptyLog());
    this.#groupCommit = new GroupCommit(writer, this.#durability, this.#checkpointer, this.#versions, () =>
      this.#readers.startNewTransaction(),
    );
  }

  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    return this.#calls.serve(async () => {
      await this.#durability.repaired();
      return retryLostRaces(() => this.#read(work));
    });
  }

  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    return this.#calls.serveWrite(work, (work) => this.#groupCommit.write(work));
  }

  alter<T>(work: (tx: SchemaTransaction) => Promise<T>): Promise<T> {
    return this.write((tx) => work(tx as unknown as SchemaTransaction));
  }

  versionOf(tables: readonly (keyof Tables)[]): number {
    // The version includes commits of other processes, so later reads must not join an older transaction.
    this.#readers.startNewTransaction();
    return this.#versions.of(tables, this.#durability.versionOfOthers());
  }

  async check(): Promise<void> {
    await this.read((tx) => tx.executeQuery(CompiledQuery.raw('select count(*) from sqlite_schema')));
  }

  close(): Promise<void> {
    return this.#calls.close(() => this.#release());
  }

  async #read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let seen: SqliteSnapshot | undefined;
    try {
      return await this.#readers.lend((connection, snapshot) => {
        seen = snapshot;
        return new TransactionRun(
          sqliteDialect,
          new SqliteSession(connection, () => undefined, snapshot.number),
        ).run(work);
      });
    } finally {
      // An error can depend on data read as much as a result does: both wait.
      if (seen && !seen.isDurable) await this.#makeDurable(seen);
    }
  }

  /** Waits until everything that the read can have seen is durable; later reads of the snapshot need not wait. */
  async #makeDurable(snapshot: SqliteSnapshot): Promise<void> {
    await this.#durability.settledForReaders();
    snapshot.isDurable = true;
  }

  async #release(): Promise<void> {
    this.#readers.close();
    await this.#checkpointer.close();
    await this.#wal.close();
    this.#writer.close();
  }
}

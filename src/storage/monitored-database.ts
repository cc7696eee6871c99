import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { WriteMonitor } from '../platform/write-monitor.ts';
import {
  type Database,
  StorageFull,
  StorageUnavailable,
  WorkspaceUnreachable,
  type WriteTransaction,
} from './database.ts';

/** More than most writes need. The bytes are random, because PostgreSQL compresses repetitions. */
const TRIAL_BYTES = 1024 * 1024;

/**
 * The same database, whose `check` fails after a write that it refused, until a trial write succeeds. `isDoubtful` tells that
 * writes may be refused before one was, or rejects where they surely are. A read that finds no space, such as for sorting, is
 * refused as StorageUnavailable: the reader has sent nothing that is too much.
 */
export function monitoredDatabase(database: Database, isDoubtful?: () => Promise<boolean>): Database {
  const monitor = new WriteMonitor({
    // A server that is away says nothing of the room that the others have.
    isRefusal: (error) => error instanceof StorageUnavailable && !(error instanceof WorkspaceUnreachable),
    isDoubtful: isDoubtful ?? (() => isReadOnly(database)),
    tryWrite: () => tryWrite(database),
  });
  /** Errors of writes, also of those that are made while something is read. */
  const writeErrors = new WeakSet<object>();
  return {
    engine: database.engine,
    read: (work) =>
      monitor
        .watch(() => database.read(work))
        .catch((error) => {
          throw writeErrors.has(error) ? error : asRefusedRead(error);
        }),
    write: (work) =>
      monitor
        .watch(() => database.write(work))
        .catch((error) => {
          if (error instanceof StorageFull) writeErrors.add(error);
          throw error;
        }),
    versionOf: (tables) => database.versionOf(tables),
    check: async () => {
      await database.check();
      await monitor.check();
    },
    close: () => database.close(),
  };
}

function asRefusedRead(error: unknown): unknown {
  return error instanceof StorageFull ? new StorageUnavailable(error.message, { cause: error }) : error;
}

/** Whether new transactions of PostgreSQL can only read: on a standby, or where its operator says so. */
async function isReadOnly(database: Database): Promise<boolean> {
  if (database.engine === 'sqlite') return false;
  const { rows } = await database.read((tx) => tx.executeQuery(READ_ONLY.compile(tx)));
  return rows[0]?.is_read_only === true;
}

const READ_ONLY = sql<{ is_read_only: boolean }>`
  select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as is_read_only
`;

/** Thrown to roll a trial write back. */
class Undo extends Error {}

function tryWrite(database: Database): Promise<void> {
  return database.engine === 'sqlite' ? tryOnSqlite(database) : tryOnPostgres(database);
}

/** Commits and then removes the trial: SQLite writes only committed pages. */
async function tryOnSqlite(database: Database): Promise<void> {
  const name = 'room';
  const remove = (tx: WriteTransaction) => tx.deleteFrom('server_secrets').where('name', '=', name).execute();
  await database.write(async (tx) => {
    await remove(tx);
    await tx
      .insertInto('server_secrets')
      .values({ name, value: randomBytes(TRIAL_BYTES) })
      .execute();
  });
  await database.write(remove);
}

/** Creates a table, which needs new disk space; an existing table may have free space of deleted rows. */
async function tryOnPostgres(database: Database): Promise<void> {
  const table = sql.table(`room_${randomBytes(8).toString('hex')}`);
  try {
    await database.write(async (tx) => {
      await tx.executeQuery(sql`create table ${table} (content bytea)`.compile(tx));
      await tx.executeQuery(sql`insert into ${table} values (${randomBytes(TRIAL_BYTES)})`.compile(tx));
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
}

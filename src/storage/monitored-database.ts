import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { SpaceMonitor } from '../platform/space-monitor.ts';
import { type Database, StorageFull, StorageUnavailable, type WriteTransaction } from './database.ts';

/** More than most writes need. The bytes are random, because PostgreSQL compresses repetitions. */
const TRIAL_BYTES = 1024 * 1024;

/**
 * Wraps a database: after a write failed for lack of space, `check` fails until a trial write succeeds. A read without
 * space (for sorting, for example) rejects with StorageUnavailable, because its request has not sent too much data.
 */
export function monitoredDatabase(database: Database): Database {
  const monitor = new SpaceMonitor(
    (error) => error instanceof StorageFull,
    () => tryWrite(database),
  );
  /** Errors of writes, including writes made during a read. */
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

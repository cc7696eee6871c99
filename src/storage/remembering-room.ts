import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { RoomMemory } from '../room-memory.ts';
import { type Database, StorageFull, StorageUnavailable, type WriteTransaction } from './database.ts';

/** More than most writes need; random, for PostgreSQL packs what repeats itself. */
const TRIED_BYTES = 1024 * 1024;

/**
 * The database, which says that it does not serve from when a write found no room until there is some. A read that finds
 * none, such as to sort in, is one that cannot be served now: it has nothing that would be too much.
 */
export function rememberingRoom(database: Database): Database {
  const room = new RoomMemory(
    (error) => error instanceof StorageFull,
    () => tryRoom(database),
  );
  /** What writes have found, also those that are made while something is read. */
  const ofWrites = new WeakSet<object>();
  return {
    engine: database.engine,
    read: (work) =>
      room
        .watch(() => database.read(work))
        .catch((error) => {
          throw ofWrites.has(error) ? error : asRefusedRead(error);
        }),
    write: (work) =>
      room
        .watch(() => database.write(work))
        .catch((error) => {
          if (error instanceof StorageFull) ofWrites.add(error);
          throw error;
        }),
    unchanged: (tables) => database.unchanged(tables),
    check: async () => {
      await database.check();
      await room.check();
    },
    close: () => database.close(),
  };
}

function asRefusedRead(error: unknown): unknown {
  return error instanceof StorageFull ? new StorageUnavailable(error.message, { cause: error }) : error;
}

/** Undoes what a trial has written. */
class Undo extends Error {}

function tryRoom(database: Database): Promise<void> {
  return database.engine === 'sqlite' ? tryOnSqlite(database) : tryOnPostgres(database);
}

/** Only what is committed does SQLite write. */
async function tryOnSqlite(database: Database): Promise<void> {
  const name = 'room';
  const remove = (tx: WriteTransaction) => tx.deleteFrom('server_secrets').where('name', '=', name).execute();
  await database.write(async (tx) => {
    await remove(tx);
    await tx
      .insertInto('server_secrets')
      .values({ name, value: randomBytes(TRIED_BYTES) })
      .execute();
  });
  await database.write(remove);
}

/** A table of its own grows on the disk, where one that is there may have space of rows that are gone. */
async function tryOnPostgres(database: Database): Promise<void> {
  const table = sql.table(`room_${randomBytes(8).toString('hex')}`);
  try {
    await database.write(async (tx) => {
      await tx.executeQuery(sql`create table ${table} (content bytea)`.compile(tx));
      await tx.executeQuery(sql`insert into ${table} values (${randomBytes(TRIED_BYTES)})`.compile(tx));
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
}

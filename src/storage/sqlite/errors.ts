import { LostRace, StorageFull, StorageUnavailable } from '../database.ts';

// Result codes, https://www.sqlite.org/rescode.html
const BUSY = 5;
const FULL = 13;
/** SQLITE_IOERR_SHMSIZE: the index of the log could not grow. */
const NO_ROOM_FOR_INDEX = 4874;
const UNAVAILABLE = new Map([
  [7, 'The database is out of memory'],
  [8, 'The database file cannot be written to'],
  [10, 'The disk of the database fails'],
  [14, 'The database file cannot be opened'],
  [15, 'The database file is locked'],
]);

/** What an error of SQLite means to callers: LostRace, StorageUnavailable, or the error itself. */
export function sqliteError(error: unknown): unknown {
  const extended = extendedCode(error);
  if (extended === undefined) return error;
  const code = extended & 0xff;
  if (code === BUSY) return new LostRace('Another process is writing to the database', { cause: error });
  if (code === FULL || extended === NO_ROOM_FOR_INDEX)
    return new StorageFull('The disk of the database is full', { cause: error });
  const reason = UNAVAILABLE.get(code);
  return reason === undefined ? error : new StorageUnavailable(reason, { cause: error });
}

function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return error.errcode;
}

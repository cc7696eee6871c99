import { LostRace, StorageUnavailable } from './database.ts';

// Primary result codes, https://www.sqlite.org/rescode.html
const BUSY = 5;
const UNAVAILABLE = new Map([
  [7, 'The database is out of memory'],
  [10, 'The disk of the database fails'],
  [13, 'The disk of the database is full'],
  [14, 'The database file cannot be opened'],
  [15, 'The database file is locked'],
]);

/** What an error of SQLite means to callers: LostRace, StorageUnavailable, or the error itself. */
export function sqliteError(error: unknown): unknown {
  const code = primaryCode(error);
  if (code === undefined) return error;
  if (code === BUSY) return new LostRace('Another process is writing to the database', { cause: error });
  const reason = UNAVAILABLE.get(code);
  return reason === undefined ? error : new StorageUnavailable(reason, { cause: error });
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  return error.errcode & 0xff;
}

import { DatabaseError } from 'pg';
import { LostRace, StorageFull, StorageUnavailable } from '../database.ts';

// SQLSTATE codes and classes, https://www.postgresql.org/docs/current/errcodes-appendix.html
const LOST_RACE = /^(40001|40P01)$/;
const CONNECTION_ENDED = /^(08|57P0[1-5]|25P03)/;
const FULL = /^53100$/;
const UNAVAILABLE = /^(53|58|25006)/;

/** What an error of a statement means to callers: LostRace, StorageFull, StorageUnavailable, or the error itself. */
export function statementError(error: unknown, connectionIsLost: boolean): unknown {
  if (isTimeout(error)) return new StorageUnavailable('The database does not answer', { cause: error });
  const state = sqlState(error);
  if (LOST_RACE.test(state)) return new LostRace('Another transaction came between', { cause: error });
  if (FULL.test(state)) return new StorageFull('The disk of the database is full', { cause: error });
  if (UNAVAILABLE.test(state))
    return new StorageUnavailable('The database cannot serve now', { cause: error });
  if (connectionIsLost || CONNECTION_ENDED.test(state)) {
    return new LostRace('The connection to the database broke', { cause: error });
  }
  return withoutValues(error);
}

/** What PostgreSQL adds to an error quotes the values of rows, which are in no log. */
function withoutValues(error: unknown): unknown {
  if (error instanceof DatabaseError) Object.assign(error, { detail: undefined, where: undefined });
  return error;
}

/** What an error of COMMIT means. Only where the server itself says that it refused do we know that nothing was kept. */
export function commitError(error: unknown): unknown {
  if (error instanceof DatabaseError && error.severity === 'ERROR') return statementError(error, false);
  return new StorageUnavailable(
    'The connection broke during the commit: whether the write was kept is unknown',
    {
      cause: error,
    },
  );
}

/** pg tells a connection that was refused or took too long only in many different ways; all mean the same. */
export function connectError(cause: unknown): StorageUnavailable {
  return new StorageUnavailable('The database that ATRIUM_DATABASE_URL names cannot be reached', { cause });
}

function sqlState(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? '') : '';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

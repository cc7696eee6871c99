import type { CompiledQuery, QueryResult } from 'kysely';
import type { InstallationScope, WorkspaceLock } from '../src/storage/locks.ts';
import { TransactionRun } from '../src/storage/transaction.ts';

/** The locks that a transaction has taken, and whether PostgreSQL has given it a number: it does with the first row. */
interface Taken {
  /** With how many statements had been sent before each. */
  readonly locks: Map<string, number>;
  statements: number;
  hasNumber: boolean;
  /** Whether it has made a user: nobody else can hold a lock of one whom nobody else knows. */
  isFounding: boolean;
}

const transactions = new WeakMap<TransactionRun, Taken>();
const late: Error[] = [];

let isInsistedOn = false;

/**
 * Has every transaction of this process fail that takes another lock after its first row. The change feed reads in the
 * order of the numbers that PostgreSQL gives with the first row, so of two transactions that hold a lock one after the
 * other, the first must have the lower number. A lock that is sent before it is known that a statement has touched rows is
 * noted when that is known.
 */
export function insistOnLocksFirst(): void {
  if (isInsistedOn) return;
  isInsistedOn = true;
  const { executeQuery, lock, lockInstallation } = TransactionRun.prototype;
  TransactionRun.prototype.executeQuery = async function <R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const taken = takenBy(this);
    const place = ++taken.statements;
    if (query.sql.startsWith('insert into "users"')) taken.isFounding = true;
    const result = (await executeQuery.call(this, query)) as QueryResult<R>;
    if (hasTouchedRows(query.sql, result)) noteRow(taken, place);
    return result;
  };
  TransactionRun.prototype.lock = async function (given: WorkspaceLock) {
    noteLock(takenBy(this), given.scope);
    return lock.call(this, given);
  };
  TransactionRun.prototype.lockInstallation = async function (scope: InstallationScope) {
    noteLock(takenBy(this), scope);
    return lockInstallation.call(this, scope);
  };
}

function noteLock({ locks, statements, hasNumber, isFounding }: Taken, scope: string): void {
  if (locks.has(scope)) return;
  if (hasNumber && !isFounding) throw refuse(scope);
  locks.set(scope, statements);
}

function noteRow(taken: Taken, place: number): void {
  taken.hasNumber = true;
  if (taken.isFounding) return;
  for (const [scope, before] of taken.locks) if (before >= place) refuse(scope);
}

/** Throws the first lock that came late: whoever took it may have tried again, and told nobody. */
export function requireLocksFirst(): void {
  const [first] = late.splice(0);
  if (first) throw first;
}

function takenBy(transaction: TransactionRun): Taken {
  const known = transactions.get(transaction);
  if (known) return known;
  const taken = { locks: new Map<string, number>(), statements: 0, hasNumber: false, isFounding: false };
  transactions.set(transaction, taken);
  return taken;
}

function refuse(scope: string): Error {
  const error = new Error(`The lock "${scope}" is taken after a row was written`);
  late.push(error);
  return error;
}

/**
 * Rows that are locked count too, and so does a number that is taken: PostgreSQL may note it in the log. SQLite repeats the
 * number of the last change with statements that change nothing.
 */
function hasTouchedRows(sql: string, { numAffectedRows, rows }: QueryResult<unknown>): boolean {
  if (sql.includes('nextval(')) return true;
  if (/\bfor (?:no key )?(?:update|share)\b/.test(sql)) return rows.length > 0;
  if (!/\b(?:insert into|update|delete from)\b/.test(sql)) return false;
  return numAffectedRows === undefined || numAffectedRows > 0n;
}

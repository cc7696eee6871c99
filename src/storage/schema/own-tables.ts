import { CompiledQuery, sql } from 'kysely';
import type { Engine, ReadTransaction, WriteTransaction } from '../database.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { SqliteSession, sqliteDialect } from '../sqlite/session.ts';
import { type Transaction, TransactionRun } from '../transaction.ts';
import { MigrationError, migrate, refuseUnknown } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { SchemaTransaction } from './schema-transaction.ts';
import { describeTables, type TableShape } from './table-rows.ts';
import type { Tables } from './tables.ts';

/**
 * The tables that steps of the schema make, with their columns, found by making them in memory; so that of a file, or of
 * a database in which others have tables too, can be said what belongs there. `what` names what has the steps. Rejects
 * with MigrationError where one is not known here.
 */
export async function tablesMadeBy(steps: readonly string[], what: string): Promise<TableShape[]> {
  refuseUnknown(what, steps);
  const connection = new SqliteConnection(':memory:', 'write');
  try {
    const alter = <T>(work: (tx: SchemaTransaction) => Promise<T>) =>
      inTransaction(connection, (tx) => work(tx as unknown as SchemaTransaction));
    await migrate({ alter }, migrations.slice(0, steps.length));
    return await inTransaction(connection, describeTables);
  } finally {
    connection.close();
  }
}

async function inTransaction<T>(
  connection: SqliteConnection,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  connection.run('begin');
  const result = await new TransactionRun(sqliteDialect, new SqliteSession(connection, () => undefined)).run(
    work,
  );
  connection.run('commit');
  return result;
}

/** Which steps of the schema the database has. */
const STEPS_TABLE = { name: 'migrations', columns: ['position', 'name', 'applied_at'] };

/** Whether Atrium has made tables here, in this version or another: its list of steps is one of them. */
export async function hasOwnTables(tx: ReadTransaction): Promise<boolean> {
  return (await describeTables(tx)).some(isStepsTable);
}

function isStepsTable({ name, columns }: TableShape): boolean {
  return name === STEPS_TABLE.name && STEPS_TABLE.columns.every((column) => columns.includes(column));
}

/** The steps of the schema that were applied to tables that are there, in order. */
export async function appliedSteps(tx: ReadTransaction): Promise<string[]> {
  const query = CompiledQuery.raw('select name from migrations order by position');
  const { rows } = await tx.executeQuery(query as CompiledQuery<{ name: string }>);
  return rows.map(({ name }) => name);
}

/**
 * The tables that the steps of the schema have made, by name, with the columns that they gave them and the key as it is
 * here; none where nothing was made. What else is in the database (views, tables of extensions and of others, columns
 * that somebody has added) is not of this product. Rejects with MigrationError where one that belongs here is not there.
 */
export async function ownTables(tx: ReadTransaction): Promise<TableShape[]> {
  const found = new Map((await describeTables(tx)).map((shape) => [shape.name, shape]));
  const steps = found.get(STEPS_TABLE.name);
  if (!steps || !isStepsTable(steps)) return [];
  const made = await tablesMadeBy(await appliedSteps(tx), 'The database');
  return made.map((shape) => ({ ...shape, key: keyOf(shape, found.get(shape.name)) }));
}

function keyOf(made: TableShape, found: TableShape | undefined): readonly string[] {
  if (!found) throw new MigrationError(`The database has no table ${made.name}, which belongs there`);
  const missing = made.columns.find((column) => !found.columns.includes(column));
  if (missing === undefined) return found.key;
  throw new MigrationError(
    `The table ${made.name} of the database has no column ${missing}, which belongs there`,
  );
}

/** The tables whose rows get their `number` from the database. */
const NUMBERED: Record<Engine, string> = {
  sqlite: `select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'`,
  postgres: `
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`,
};

/** Where rows that are gone from a table keep their numbers, to come back with them. */
const KEPT: Partial<Record<string, keyof Tables>> = { messages: 'expunged_messages' };

/** Lets the numbers that the database gives from now on follow those of the rows that were added with theirs. */
export async function continueNumbers(tx: WriteTransaction): Promise<void> {
  const own = new Set((await ownTables(tx)).map(({ name }) => name));
  const numbered = CompiledQuery.raw(NUMBERED[tx.engine]) as CompiledQuery<{ name: string }>;
  for (const { name } of (await tx.executeQuery(numbered)).rows.filter(({ name }) => own.has(name))) {
    const last = Math.max(await lastIn(tx, name), await lastIn(tx, KEPT[name] ?? name));
    if (tx.engine === 'sqlite') await continueOnSqlite(tx, name, last);
    else await continueOnPostgres(tx, name, last);
  }
}

async function lastIn(tx: WriteTransaction, table: string): Promise<number> {
  const query = sql<{ last: number | null }>`select max(number) as last from ${sql.table(table)}`;
  const { rows } = await tx.executeQuery(query.compile(tx));
  return rows[0]?.last ?? 0;
}

/** By itself SQLite heeds the rows of the table alone. */
async function continueOnSqlite(tx: WriteTransaction, table: string, last: number): Promise<void> {
  await tx.executeQuery(sql`delete from sqlite_sequence where name = ${table}`.compile(tx));
  await tx.executeQuery(sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.compile(tx));
}

async function continueOnPostgres(tx: WriteTransaction, table: string, last: number): Promise<void> {
  await tx.executeQuery(
    sql`select setval(pg_get_serial_sequence(${table}, 'number'), ${last + 1}, false)`.compile(tx),
  );
}

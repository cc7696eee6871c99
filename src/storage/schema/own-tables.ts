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
 * The tables and columns that these migrations create, found by running them on an in-memory database. So the tables of
 * a backup, or those of Atrium in a shared database, can be identified. `what`: the subject of error messages. Rejects
 * with MigrationError for an unknown migration.
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

/** The table of the applied migrations. */
const STEPS_TABLE = { name: 'migrations', columns: ['position', 'name', 'applied_at'] };

/** Whether the database has tables of Atrium of any version: the table of migrations is one of them. */
export async function hasOwnTables(tx: ReadTransaction): Promise<boolean> {
  return (await describeTables(tx)).some(isStepsTable);
}

function isStepsTable({ name, columns }: TableShape): boolean {
  return name === STEPS_TABLE.name && STEPS_TABLE.columns.every((column) => columns.includes(column));
}

/** The names of the applied migrations in order. The table of migrations exists. */
export async function appliedSteps(tx: ReadTransaction): Promise<string[]> {
  const query = CompiledQuery.raw('select name from migrations order by position');
  const { rows } = await tx.executeQuery(query as CompiledQuery<{ name: string }>);
  return rows.map(({ name }) => name);
}

/**
 * The tables created by the applied migrations, by name, with the columns that the migrations created and the primary
 * key of this database; none if no migration was applied. Excludes other objects of the database (views, tables of
 * extensions or other programs, added columns). Rejects with MigrationError if a table or column is missing.
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

/** Queries of the tables whose rows get their `number` from the database. */
const NUMBERED: Record<Engine, string> = {
  sqlite: `select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'`,
  postgres: `
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`,
};

/** The table that retains rows removed from a table with their numbers, for a later restore. */
const RETAINED_IN: Partial<Record<string, keyof Tables>> = { messages: 'expunged_messages' };

/** Advances the number sequences beyond the numbers of rows that were inserted with explicit numbers. */
export async function continueNumbers(tx: WriteTransaction): Promise<void> {
  const own = new Set((await ownTables(tx)).map(({ name }) => name));
  const numbered = CompiledQuery.raw(NUMBERED[tx.engine]) as CompiledQuery<{ name: string }>;
  for (const { name } of (await tx.executeQuery(numbered)).rows.filter(({ name }) => own.has(name))) {
    const last = Math.max(await lastIn(tx, name), await lastIn(tx, RETAINED_IN[name] ?? name));
    if (tx.engine === 'sqlite') await continueOnSqlite(tx, name, last);
    else await continueOnPostgres(tx, name, last);
  }
}

async function lastIn(tx: WriteTransaction, table: string): Promise<number> {
  const query = sql<{ last: number | null }>`select max(number) as last from ${sql.table(table)}`;
  const { rows } = await tx.executeQuery(query.compile(tx));
  return rows[0]?.last ?? 0;
}

/** SQLite itself considers only the rows of the table, not those in RETAINED_IN. */
async function continueOnSqlite(tx: WriteTransaction, table: string, last: number): Promise<void> {
  await tx.executeQuery(sql`delete from sqlite_sequence where name = ${table}`.compile(tx));
  await tx.executeQuery(sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.compile(tx));
}

async function continueOnPostgres(tx: WriteTransaction, table: string, last: number): Promise<void> {
  await tx.executeQuery(
    sql`select setval(pg_get_serial_sequence(${table}, 'number'), ${last + 1}, false)`.compile(tx),
  );
}

import { CompiledQuery, sql } from 'kysely';
import type { Engine, WriteTransaction } from '../database.ts';
import { ownTables } from './own-tables.ts';
import type { Tables } from './tables.ts';

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

import { type Kysely, sql } from 'kysely';
import type { Engine, ReadTransaction } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { schemaOf } from '../../src/storage/schema/schema.ts';
import type { StorageEngine } from '../../src/storage/schema/schema-transaction.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';

/** The one table of the storage tests. A negative value breaks a constraint. */
export interface CounterTables {
  counters: { name: string; value: number };
}

/** A database with an empty table of counters. */
export interface CounterDatabase extends TestDatabase {
  readonly database: StorageEngine;
  close(): Promise<void>;
}

/** Opens a database of its own for one test. */
export async function openCounters(engine: Engine): Promise<CounterDatabase> {
  const settings = await freshDatabase(engine);
  const database = await openDatabase(settings);
  await createCounters(database);
  const close = async () => {
    await database.close();
    await settings.remove();
  };
  return { ...settings, database, close };
}

export async function createCounters(database: StorageEngine): Promise<void> {
  await database.alter(async (tx) => {
    const { table, text, integer } = schemaOf(tx);
    await table('counters')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('value', integer, (column) => column.notNull().check(sql`value >= 0`))
      .execute();
  });
}

/** The transaction as it sees the counters, which are no table of the product. */
export function counters(tx: ReadTransaction): Kysely<CounterTables> {
  return tx as unknown as Kysely<CounterTables>;
}

export async function add(tx: ReadTransaction, name: string, value = 0): Promise<void> {
  await counters(tx).insertInto('counters').values({ name, value }).execute();
}

export async function readValue(tx: ReadTransaction, name: string): Promise<number | undefined> {
  const row = await counters(tx)
    .selectFrom('counters')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

export async function setValue(tx: ReadTransaction, name: string, value: number): Promise<void> {
  await counters(tx).updateTable('counters').set({ value }).where('name', '=', name).execute();
}

/** The names of all counters, in the order of the database. */
export async function namesIn(database: StorageEngine): Promise<string[]> {
  const rows = await database.read((tx) =>
    counters(tx).selectFrom('counters').select('name').orderBy('name').execute(),
  );
  return rows.map((row) => row.name);
}

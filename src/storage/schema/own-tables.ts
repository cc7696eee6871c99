import { CompiledQuery } from 'kysely';
import type { ReadTransaction } from '../database.ts';
import { tablesMadeBy } from './made-tables.ts';
import { MigrationError } from './migrate.ts';
import { describeTables, type TableShape } from './table-rows.ts';

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

import { tablesMadeBy } from '../storage/made-tables.ts';
import type { TableShape } from '../storage/table-rows.ts';
import { ArchiveError } from './archive-error.ts';
import type { ArchivedTable, Manifest } from './manifest.ts';

/**
 * Left out of backups: the steps of the schema, which the manifest names, and what is on its way in. Whoever was uploading
 * begins again; everything that was answered with a yes is there.
 */
export const LEFT_OUT = ['migrations', 'pending_blobs', 'upload_sessions', 'upload_parts'];

/** A table of a backup, with what its columns take. */
export type ShapedTable = ArchivedTable & Pick<TableShape, 'types'>;

/**
 * Holds the tables of a backup against those that its steps of the schema make: a table that is gone from the manifest, or
 * columns under each other's names, would come back without a word. Answers each table of the backup with its shape.
 * Rejects with ArchiveError, and with MigrationError where a step is not known here.
 */
export async function shapedTables({ migrations, tables }: Manifest): Promise<ShapedTable[]> {
  const made = (await tablesMadeBy(migrations, 'The backup')).filter(({ name }) => !LEFT_OUT.includes(name));
  const found = new Map(tables.map((table) => [table.name, table]));
  if (found.size !== tables.length) throw damaged('it names a table twice');
  const shaped: ShapedTable[] = [];
  for (const shape of made) {
    const table = found.get(shape.name);
    if (!table) throw damaged(`the table ${shape.name} is missing`);
    if (!isAlike(table, shape))
      throw damaged(`the columns of ${shape.name} are not those that its migrations make`);
    found.delete(shape.name);
    shaped.push({ ...table, types: shape.types });
  }
  const [other] = found.keys();
  if (other !== undefined) throw damaged(`the table ${other} is none that its migrations make`);
  return shaped;
}

function isAlike({ columns, bytes }: ArchivedTable, made: TableShape): boolean {
  return same(columns, made.columns) && same([...bytes].sort(), [...made.bytes].sort());
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name, i) => name === others[i]);
}

function damaged(how: string): ArchiveError {
  return new ArchiveError(`The manifest of the backup is damaged: ${how}.`);
}

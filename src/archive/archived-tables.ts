import { isStorable } from '../contract/storable-text.ts';
import { tablesMadeBy } from '../storage/schema/own-tables.ts';
import type { Cell, ColumnType, TableShape } from '../storage/schema/table-rows.ts';
import { ArchiveError, tablePath } from './backup-directory.ts';
import { readLines } from './line-file.ts';
import type { ArchivedTable, Manifest } from './manifest.ts';

/**
 * Tables that backups leave out: the applied migrations, which the manifest lists, locks, unfinished uploads, what lets a browser
 * in for minutes, and the change feed, whose order means nothing in another database. A client has to start such an upload, and to follow the feed, again;
 * everything that was acknowledged is in the backup.
 */
export const UNARCHIVED_TABLES = [
  'migrations',
  'write_locks',
  'installation_locks',
  'pending_blobs',
  'upload_sessions',
  'upload_parts',
  'changes',
  'session_tokens',
  'sign_in_codes',
  'tickets',
];

/** A table of a backup with the types of its columns. */
export type ShapedTable = ArchivedTable & Pick<TableShape, 'types'>;

/**
 * Compares the tables of a backup with those that its migrations create. Otherwise a table missing in the manifest, or
 * swapped column names, would be restored silently. Returns the tables with their column types. Rejects with
 * ArchiveError, and with MigrationError for an unknown migration.
 */
export async function matchTables({ migrations, tables }: Manifest): Promise<ShapedTable[]> {
  const made = (await tablesMadeBy(migrations, 'The backup')).filter(
    ({ name }) => !UNARCHIVED_TABLES.includes(name),
  );
  const found = new Map(tables.map((table) => [table.name, table]));
  if (found.size !== tables.length) throw damagedManifest('it names a table twice');
  const shaped: ShapedTable[] = [];
  for (const shape of made) {
    const table = found.get(shape.name);
    if (!table) throw damagedManifest(`the table ${shape.name} is missing`);
    if (!isAlike(table, shape))
      throw damagedManifest(`the columns of ${shape.name} are not those that its migrations make`);
    found.delete(shape.name);
    shaped.push({ ...table, types: shape.types });
  }
  const [other] = found.keys();
  if (other !== undefined) throw damagedManifest(`the table ${other} is none that its migrations make`);
  return shaped;
}

function isAlike({ columns, bytes }: ArchivedTable, made: TableShape): boolean {
  return same(columns, made.columns) && same([...bytes].sort(), [...made.bytes].sort());
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name, i) => name === others[i]);
}

function damagedManifest(how: string): ArchiveError {
  return new ArchiveError(`The manifest of the backup is damaged: ${how}.`);
}

type Line = (string | number | null)[];

/** A row in the form of a line of a backup. */
export function lineOf(row: readonly Cell[]): Line {
  return row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value));
}

/** The rows of a table in a backup. Throws ArchiveError if its file is damaged. */
export async function* rowsIn(directory: string, table: ShapedTable): AsyncGenerator<Cell[]> {
  const types = table.columns.map((column) => table.types.get(column));
  let rows = 0;
  for await (const line of readLines(tablePath(directory, table.name), table.sha256)) {
    if (!Array.isArray(line) || line.length !== table.columns.length)
      throw new ArchiveError(
        `The backup is damaged: a row of ${table.name} has not the columns that it should.`,
      );
    rows++;
    yield line.map((value, i) => {
      const cell = cellOf(value, types[i]);
      if (cell !== undefined) return cell;
      throw new ArchiveError(
        `The backup is damaged: the column ${table.columns[i]} of ${table.name} does not take one of its values.`,
      );
    });
  }
  if (rows !== table.rows)
    throw new ArchiveError(`The backup is damaged: rows of ${table.name} are missing.`);
}

/** The value of a column; undefined if the column does not accept it. */
function cellOf(value: unknown, type: ColumnType | undefined): Cell | undefined {
  if (value === null) return type?.isNullable ? null : undefined;
  if (typeof value === 'number') {
    const isTaken = type?.kind === 'real' || (type?.kind === 'integer' && Number.isSafeInteger(value));
    return isTaken ? value : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (type?.kind === 'text') return isStorable(value) ? value : undefined;
  return type?.kind === 'bytes' ? bytesIn(value) : undefined;
}

/** Undefined for text that is not base64: the decoder ignores unknown characters. */
function bytesIn(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return Math.ceil(bytes.length / 3) * 4 === base64.length ? bytes : undefined;
}

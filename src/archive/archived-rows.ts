import { isStorable } from '../api/storable-text.ts';
import type { Cell, ColumnType } from '../storage/table-rows.ts';
import { ArchiveError } from './archive-error.ts';
import type { ShapedTable } from './archived-tables.ts';
import { tablePath } from './layout.ts';
import { readLines } from './line-file.ts';

type Line = (string | number | null)[];

/** A row as a line of a backup holds it. */
export function lineOf(row: readonly Cell[]): Line {
  return row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value));
}

/** The rows of a table in a backup. Throws ArchiveError where its file is damaged. */
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

/** The value of a column; undefined for what it does not take. */
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

/** undefined for what is not base64: the decoder leaves out what it does not know. */
function bytesIn(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return Math.ceil(bytes.length / 3) * 4 === base64.length ? bytes : undefined;
}

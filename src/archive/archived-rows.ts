import type { Cell } from '../storage/table-rows.ts';
import { ArchiveError } from './archive-error.ts';
import { tablePath } from './layout.ts';
import { readLines } from './line-file.ts';
import type { ArchivedTable } from './manifest.ts';

type Line = (string | number | null)[];

/** A row as a line of a backup holds it. */
export function lineOf(row: readonly Cell[]): Line {
  return row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value));
}

/** The rows of a table in a backup. Throws ArchiveError where its file is damaged. */
export async function* rowsIn(directory: string, table: ArchivedTable): AsyncGenerator<Cell[]> {
  const isBytes = table.columns.map((column) => table.bytes.includes(column));
  let rows = 0;
  for await (const line of readLines(tablePath(directory, table.name), table.sha256)) {
    if (!Array.isArray(line) || line.length !== table.columns.length)
      throw new ArchiveError(
        `The backup is damaged: a row of ${table.name} has not the columns that it should.`,
      );
    rows++;
    yield (line as Line).map((value, i) =>
      isBytes[i] && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
    );
  }
  if (rows !== table.rows)
    throw new ArchiveError(`The backup is damaged: rows of ${table.name} are missing.`);
}

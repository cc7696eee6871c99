import {
  type RangeA1,
  readTableRef,
  stringifyA1RefOfFile,
} from '../../../formulas/syntax/formula-library.ts';

/** A table of a sheet; formulas refer to its columns by name. */
export interface Table {
  readonly name: string;
  readonly sheet: string;
  /** Rows and columns count from 0; inclusive. */
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly columns: readonly string[];
  /** The numbers of header rows and of totals rows. */
  readonly headerRows: number;
  readonly totalsRows: number;
}

interface Rows {
  readonly top: number;
  readonly bottom: number;
  /** The row of the referring cell. */
  readonly isOwn?: boolean;
}

/** The tables of a workbook by name, case-insensitive. */
export class Tables {
  readonly #tables: ReadonlyMap<string, Table>;

  constructor(tables: readonly Table[]) {
    this.#tables = new Map(tables.map((table) => [table.name.toLowerCase(), table]));
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  /**
   * The range of a reference to a table, for a cell in a row of a sheet (or any sheet); undefined for an unknown
   * table.
   */
  at(reference: string, sheet: string | undefined, row: number): string | undefined {
    const parsed = readTableRef(reference.includes('[') ? reference : `${reference}[]`);
    const table = this.#tables.get(parsed?.table?.toLowerCase() ?? '');
    if (!parsed || !table) return undefined;
    const rows = rowsOf(table, parsed.sections ?? [], row);
    const columns = columnsOf(table, parsed.columns ?? []);
    if (!rows || !columns) return undefined;
    const { top, bottom, isOwn = false } = rows;
    const range: RangeA1 = {
      top,
      bottom,
      ...columns,
      $left: true,
      $right: true,
      $top: !isOwn,
      $bottom: !isOwn,
    };
    return stringifyA1RefOfFile(table.sheet === sheet ? { range } : { sheetName: table.sheet, range });
  }
}

/** The rows of the named sections, which are adjacent; undefined when there are none. */
function rowsOf(table: Table, sections: readonly string[], row: number): Rows | undefined {
  const { top, bottom, headerRows, totalsRows } = table;
  const names = sections.map((section) => section.replace(/^#/, '').toLowerCase());
  if (names.includes('this row')) return { top: row, bottom: row, isOwn: true };
  const parts: Record<string, Rows> = {
    all: { top, bottom },
    headers: { top, bottom: top + headerRows - 1 },
    data: { top: top + headerRows, bottom: bottom - totalsRows },
    totals: { top: bottom - totalsRows + 1, bottom },
  };
  const wanted = (names.length === 0 ? ['data'] : names).map((name) => parts[name]);
  const first = Math.min(...wanted.map((part) => part?.top ?? Number.POSITIVE_INFINITY));
  const last = Math.max(...wanted.map((part) => part?.bottom ?? Number.NEGATIVE_INFINITY));
  return first <= last ? { top: first, bottom: last } : undefined;
}

function columnsOf(
  { left, columns }: Table,
  names: readonly string[],
): { left: number; right: number } | undefined {
  if (names.length === 0) return { left, right: left + columns.length - 1 };
  const indexes = names.map((name) =>
    columns.findIndex((column) => column.toLowerCase() === name.toLowerCase()),
  );
  const [first = -1, last = first] = indexes;
  if (first < 0 || last < 0) return undefined;
  return { left: left + Math.min(first, last), right: left + Math.max(first, last) };
}

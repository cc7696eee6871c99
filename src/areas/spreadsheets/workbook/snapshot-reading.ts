import { decodeLooks, type ImportedName, type SheetLooks } from '../../../formats/workbooks/looks.ts';
import type { HiddenRows } from '../../../formats/workbooks/workbook.ts';
import type { Extent, ShownRun, ShownValue } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { throwIfCancelled } from '../../../turns/cancellation.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { COLUMNS, type Rectangle, ROWS } from '../cells/a1.ts';
import { BLOCK_ROWS, type CellValue, isFormula } from '../cells/block.ts';
import { hiddenRowsOf } from '../cells/hidden-rows.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { encodedLooksOf } from '../looks/looks.ts';
import { findNames } from '../looks/names-store.ts';
import { type UsedCell, usedCells } from '../reading/used-cells.ts';
import { type FormattedCell, formattedCells } from '../writing/format-cells.ts';
import type { CalculatedValues } from './calculated-values.ts';
import { whileHeld } from './held-workbooks.ts';
import { type OpenedSpreadsheet, openToRead } from './open-and-save.ts';
import { hasFormulas, type Sheet, sheetNamed, type Workbook } from './workbook.ts';

/** A cell that is used, shows a spilled value of another cell's formula, or has a number format. */
export interface SnapshotCell {
  readonly row: number;
  readonly column: number;
  /** Undefined for a spilled or an empty cell. */
  readonly input: CellValue | undefined;
  /** The shown value: that of the formula, or the input; "" for an empty cell. */
  readonly value: ShownValue;
  /** The code of its number format; absent means General. */
  readonly format?: string | undefined;
}

/** One version of a sheet; `rows` and `columns` are its used extent. */
export interface SheetSnapshot {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  /** The extent that is used or that formulas spill into. */
  readonly shown: Extent;
  readonly hidden?: Sheet['hidden'];
  readonly hiddenRows?: HiddenRows | undefined;
  looks(): Promise<SheetLooks | undefined>;
  /** The cells in portions of one row each, sorted by row and column. */
  cells(): AsyncIterable<readonly SnapshotCell[]>;
}

/** One version of a spreadsheet. */
export interface SpreadsheetSnapshot {
  readonly title: string;
  readonly state: string;
  readonly sheets: readonly SheetSnapshot[];
  names(): Promise<ImportedName[]>;
}

/**
 * Passes one version of a spreadsheet, inputs and values, to `use` in bounded memory. Its cells can be read until `use` has
 * ended; until then other requests on this node for values of its formulas wait. Rejects with ApiError not_found or forbidden.
 */
export function withSnapshot<T>(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  use: (snapshot: SpreadsheetSnapshot) => Promise<T>,
): Promise<T> {
  return withOpened(
    dependencies,
    user,
    id,
    { isCalculated: true },
    async (tx, { title, state, workbook }) => {
      const sheets: SheetSnapshot[] = [];
      for (const sheet of workbook.sheets)
        sheets.push(await sheetSnapshot(tx, dependencies.calculated, workbook, sheet));
      return use({ title, state, sheets, names: () => findNames(tx, workbook) });
    },
  );
}

/**
 * Opens a spreadsheet for work that reads much of it in one transaction; such work is limited overall and to one per
 * user. If values are wanted, the formulas are computed before.
 */
export async function withOpened<T>(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  wanted: { isCalculated: boolean },
  use: (tx: ReadTransaction, opened: OpenedSpreadsheet) => Promise<T>,
): Promise<T> {
  const { database, calculated } = dependencies;
  const isCalculated = wanted.isCalculated && (await computeValues(dependencies, user, id));
  const { access } = calculated;
  const work = () => database.read(async (tx) => use(tx, await openToRead(tx, dependencies, user, id)));
  const isLong = isCalculated && calculated.takesLong(id);
  return isLong ? access.inLongCalculation(id, work) : access.inSnapshot(id, work);
}

/**
 * Computes a spreadsheet outside of any transaction, so that a later read in a transaction finds the values. Returns
 * whether the spreadsheet has formulas.
 */
async function computeValues(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
): Promise<boolean> {
  const { calculated, database } = dependencies;
  const seen = await database.read((tx) => openToRead(tx, dependencies, user, id));
  if (!hasFormulas(seen.workbook)) return false;
  await whileHeld(dependencies, user, seen.workbook, ({ workbook }) =>
    calculated.compute(workbook, sheetNamed(workbook, undefined)),
  );
  return true;
}

async function sheetSnapshot(
  tx: ReadTransaction,
  calculated: CalculatedValues,
  workbook: Workbook,
  sheet: Sheet,
): Promise<SheetSnapshot> {
  const { name, rows, columns, hidden } = sheet;
  const hiddenRows = await hiddenRowsOf(tx, workbook, sheet);
  const shown = await calculated.shownExtentOf(tx, workbook, sheet);
  const cells = () => snapshotCells(tx, calculated, workbook, sheet, shown, WHOLE);
  const looks = async () => {
    const encoded = await encodedLooksOf(tx, workbook, sheet);
    return encoded === undefined ? undefined : decodeLooks(encoded);
  };
  return { name, rows, columns, shown, hidden, hiddenRows, looks, cells };
}

/** Rows of one portion: at least one row of blocks, and more up to this many cells. */
const MOST_ROWS_AT_ONCE = 512;
const CELLS_AT_ONCE = 32_768;

/** How many rows of a sheet are read at a time. */
export function rowsAtOnce(columns: number): number {
  const blocks = Math.floor(CELLS_AT_ONCE / Math.max(columns, 1) / BLOCK_ROWS);
  return Math.min(Math.max(blocks, 1) * BLOCK_ROWS, MOST_ROWS_AT_ONCE);
}

const WHOLE: Rectangle = { top: 0, left: 0, bottom: ROWS - 1, right: COLUMNS - 1 };

/**
 * Splits the rows of a rectangle into portions. All rows below the used and formatted ones are one portion: only
 * spilled cells are there.
 */
function* portionsOf(
  { rows: used, columns, formatted, formulas }: Sheet,
  shown: Extent,
  { top: first, bottom: last, left, right }: Rectangle,
): Generator<Rectangle> {
  const rows = Math.min(Math.max(used, formatted?.rows ?? 0), last + 1);
  const width = Math.min(Math.max(columns, formatted?.columns ?? 0, shown.columns), right + 1) - left;
  const atOnce = rowsAtOnce(width);
  for (let top = first; top < rows; top += atOnce) {
    yield { top, bottom: Math.min(top + atOnce, rows) - 1, left, right };
  }
  if (formulas > 0 && rows <= last) yield { top: Math.max(first, rows), bottom: last, left, right };
}

/**
 * The cells of a rectangle row by row, long rows in several portions; `shown` is the shown extent of the sheet. It yields
 * to the event loop in between.
 */
export async function* snapshotCells(
  tx: ReadTransaction,
  calculated: CalculatedValues,
  workbook: Workbook,
  sheet: Sheet,
  shown: Extent,
  wanted: Rectangle,
): AsyncGenerator<SnapshotCell[]> {
  const { workspaceId } = workbook;
  const read = sheet.formulas > 0 ? calculated.snapshotReader(tx, workbook, sheet) : undefined;
  for (const area of portionsOf(sheet, shown, wanted)) {
    const rows = new SnapshotRows();
    for await (const cells of usedCells(tx, workspaceId, sheet, area)) {
      rows.addUsed(cells);
      await giveWay();
    }
    for await (const cells of formattedCells(tx, workspaceId, sheet, area)) {
      rows.addFormatted(cells);
      await giveWay();
    }
    for await (const cells of rows.inOrder(area, read ? read(area) : [])) {
      throwIfCancelled();
      yield cells;
      await giveWay();
    }
  }
}

/** The used and the formatted cells of a row, in any order. */
interface RowCells {
  readonly used: UsedCell[];
  readonly formatted: FormattedCell[];
}

type Runs = AsyncIterable<readonly ShownRun[]> | Iterable<readonly ShownRun[]>;

/** Collects the cells of consecutive rows, then merges used, spilled and formatted cells in order. */
class SnapshotRows {
  readonly #rows = new Map<number, RowCells>();

  addUsed(cells: readonly UsedCell[]): void {
    for (const cell of cells) this.#cellsOf(cell.row).used.push(cell);
  }

  addFormatted(cells: readonly FormattedCell[]): void {
    for (const cell of cells) this.#cellsOf(cell.row).formatted.push(cell);
  }

  /**
   * The cells in order, some of one row at a time. To be called after all cells have been added. `runs` are the shown
   * values of formulas and spilled cells, in order; their rows and columns count from `top` and `left`.
   */
  async *inOrder({ top, left }: Pick<Rectangle, 'top' | 'left'>, runs: Runs): AsyncGenerator<SnapshotCell[]> {
    const numbers = [...this.#rows.keys()].sort((a, b) => b - a);
    let current: RowInOrder | undefined;
    for await (const some of runs) {
      for (const { row: at, column, values } of some) {
        const row = top + at;
        if (current?.row !== row) {
          if (current) yield* nonEmpty(current.take());
          yield* this.#rowsBefore(row, numbers);
          current = this.#takeRow(row);
        }
        yield* nonEmpty(current.take(left + column, values));
      }
    }
    if (current) yield* nonEmpty(current.take());
    yield* this.#rowsBefore(Number.POSITIVE_INFINITY, numbers);
  }

  /** The rows before `row` that have no runs. Removes them and `row` from the end of `numbers`. */
  *#rowsBefore(row: number, numbers: number[]): Generator<SnapshotCell[]> {
    for (let next = numbers.at(-1); next !== undefined && next <= row; next = numbers.at(-1)) {
      numbers.pop();
      if (next < row) yield* nonEmpty(this.#takeRow(next).take());
    }
  }

  #takeRow(row: number): RowInOrder {
    const taken = new RowInOrder(row, this.#rows.get(row) ?? { used: [], formatted: [] });
    this.#rows.delete(row);
    return taken;
  }

  #cellsOf(row: number): RowCells {
    return this.#rows.getOrInsertComputed(row, () => ({ used: [], formatted: [] }));
  }
}

function* nonEmpty(cells: SnapshotCell[]): Generator<SnapshotCell[]> {
  if (cells.length > 0) yield cells;
}

/** A row whose cells are taken from left to right. */
class RowInOrder {
  readonly row: number;
  readonly #used: readonly UsedCell[];
  readonly #formatted: readonly FormattedCell[];
  #nextUsed = 0;
  #nextFormatted = 0;

  constructor(row: number, { used, formatted }: RowCells) {
    this.row = row;
    this.#used = used.sort((a, b) => a.column - b.column);
    this.#formatted = formatted.sort((a, b) => a.column - b.column);
  }

  /** The next cells up to the end of a run of shown values; without a run, all remaining cells. */
  take(column = Number.POSITIVE_INFINITY, values: readonly ShownValue[] = []): SnapshotCell[] {
    const cells: SnapshotCell[] = [];
    for (let next = 0; ; ) {
      while (values[next] === '') next++;
      const used = this.#used[this.#nextUsed];
      const formatted = this.#formatted[this.#nextFormatted];
      const at = Math.min(columnOf(used), columnOf(formatted), next < values.length ? column + next : END);
      if (at >= column + values.length) return cells;
      const input = used?.column === at ? used.input : undefined;
      const isInput = input !== undefined && !isFormula(input);
      const format = formatted?.column === at ? formatted.format : undefined;
      cells.push({
        row: this.row,
        column: at,
        input,
        value: isInput ? input : (values[at - column] ?? ''),
        format,
      });
      if (used?.column === at) this.#nextUsed++;
      if (formatted?.column === at) this.#nextFormatted++;
      if (column + next === at) next++;
    }
  }
}

const END = Number.POSITIVE_INFINITY;

function columnOf(cell: { readonly column: number } | undefined): number {
  return cell?.column ?? END;
}

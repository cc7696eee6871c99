import type { HiddenRows } from '../../../formats/workbooks/workbook.ts';
import type { Extent, ShownRun, ShownValue } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { requireWanted } from '../../../turns/wanted.ts';
import { COLUMNS, type Rectangle, ROWS } from '../cells/a1.ts';
import { BLOCK_ROWS, type CellValue, isFormula } from '../cells/block.ts';
import { hiddenRowsOf } from '../cells/hidden-rows.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { type UsedCell, usedCells } from '../reading/cells-reading.ts';
import { type FormattedCell, formattedCells } from '../writing/formatting.ts';
import type { CalculatedValues } from './calculated-values.ts';
import { whileHeld } from './held-workbooks.ts';
import { type OpenedSpreadsheet, openToRead } from './saving.ts';
import { hasFormulas, type Sheet, sheetNamed, type Workbook } from './workbook.ts';

/** A cell that is used, shows what the formula of another one spills, or has a number format. */
export interface SnapshotCell {
  readonly row: number;
  readonly column: number;
  /** None where the formula of another cell spills, or nothing is. */
  readonly input: CellValue | undefined;
  /** What it shows: of a formula its value, else the input; "" where it is empty. */
  readonly value: ShownValue;
  /** The code of its number format; none is General. */
  readonly format?: string | undefined;
}

/** One sheet as it is at one moment; rows and columns are its used extent. */
export interface SheetSnapshot {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  /** What is used, or what formulas spill into. */
  readonly shown: Extent;
  readonly hidden?: Sheet['hidden'];
  readonly hiddenRows?: HiddenRows | undefined;
  /** Its cells in portions, each of one row: row after row, and along each. */
  cells(): AsyncIterable<readonly SnapshotCell[]>;
}

/** A spreadsheet as it is at one moment. */
export interface SpreadsheetSnapshot {
  readonly title: string;
  readonly state: string;
  readonly sheets: readonly SheetSnapshot[];
}

/** Hands a spreadsheet as it is at one moment to `use`, whose cells can be read until it has ended. */
export function withSnapshot<T>(
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  use: (snapshot: SpreadsheetSnapshot) => Promise<T>,
): Promise<T> {
  return withOpened(parts, user, id, { isCalculated: true }, async (tx, { title, state, workbook }) => {
    const sheets: SheetSnapshot[] = [];
    for (const sheet of workbook.sheets)
      sheets.push(await sheetSnapshot(tx, parts.calculated, workbook, sheet));
    return use({ title, state, sheets });
  });
}

/**
 * Opens a spreadsheet for what reads much of it in one transaction: few may at a time, and of one user one. Where values
 * are wanted, its formulas are computed before.
 */
export async function withOpened<T>(
  parts: SpreadsheetDependencies,
  user: DriveOwner,
  id: string,
  wanted: { isCalculated: boolean },
  use: (tx: ReadTransaction, opened: OpenedSpreadsheet) => Promise<T>,
): Promise<T> {
  const { database, calculated } = parts;
  const isCalculated = wanted.isCalculated && (await computeValues(parts, user, id));
  const { turns } = calculated;
  const inTurn = () => database.read(async (tx) => use(tx, await openToRead(tx, parts, user, id)));
  const isLong = isCalculated && calculated.takesLong(id);
  return isLong ? turns.inLongCalculation(id, inTurn) : turns.inSnapshot(id, inTurn);
}

/**
 * Computes a spreadsheet outside of any transaction, so that what then reads it within one finds it computed. Answers
 * whether it has formulas.
 */
async function computeValues(parts: SpreadsheetDependencies, user: DriveOwner, id: string): Promise<boolean> {
  const { calculated, database } = parts;
  const seen = await database.read((tx) => openToRead(tx, parts, user, id));
  if (!hasFormulas(seen.workbook)) return false;
  await whileHeld(parts, user, seen.workbook, ({ workbook }) =>
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
  const cells = () => snapshotCells(tx, calculated, workbook, sheet, shown);
  return { name, rows, columns, shown, hidden, hiddenRows, cells };
}

/** Rows of one portion: whole blocks of them, and as many more as make so many cells. */
const MOST_ROWS_AT_ONCE = 512;
const CELLS_AT_ONCE = 32_768;

/** How many rows of a sheet are read at a time. */
export function rowsAtOnce(columns: number): number {
  const blocks = Math.floor(CELLS_AT_ONCE / Math.max(columns, 1) / BLOCK_ROWS);
  return Math.min(Math.max(blocks, 1) * BLOCK_ROWS, MOST_ROWS_AT_ONCE);
}

/**
 * The rows of a sheet in portions; what lies below the used and the formatted ones is one, and holds at most what formulas
 * spill there.
 */
function* portionsOf(
  { rows: used, columns, formatted, formulas }: Sheet,
  shown: Extent,
): Generator<Rectangle> {
  const rows = Math.max(used, formatted?.rows ?? 0);
  const atOnce = rowsAtOnce(Math.max(columns, formatted?.columns ?? 0, shown.columns));
  const left = 0;
  const right = COLUMNS - 1;
  for (let top = 0; top < rows; top += atOnce) {
    yield { top, bottom: Math.min(top + atOnce, rows) - 1, left, right };
  }
  if (formulas > 0 && rows < ROWS) yield { top: rows, bottom: ROWS - 1, left, right };
}

/** Row by row, those with much in them in parts, with a turn for others in between. */
async function* snapshotCells(
  tx: ReadTransaction,
  calculated: CalculatedValues,
  workbook: Workbook,
  sheet: Sheet,
  shown: Extent,
): AsyncGenerator<SnapshotCell[]> {
  const { workspaceId } = workbook;
  const read = sheet.formulas > 0 ? calculated.readingOf(tx, workbook, sheet) : undefined;
  for (const area of portionsOf(sheet, shown)) {
    const rows = new SnapshotRows();
    for await (const cells of usedCells(tx, workspaceId, sheet, area)) {
      rows.addUsed(cells);
      await giveWay();
    }
    for await (const cells of formattedCells(tx, workspaceId, sheet, area)) {
      rows.addFormatted(cells);
      await giveWay();
    }
    for await (const cells of rows.inOrder(area.top, read ? read(area) : [])) {
      requireWanted();
      yield cells;
      await giveWay();
    }
  }
}

/** What is known of the cells of a row, in any order. */
interface PartsOfRow {
  readonly used: UsedCell[];
  readonly formatted: FormattedCell[];
}

type Runs = AsyncIterable<readonly ShownRun[]> | Iterable<readonly ShownRun[]>;

/** Gathers what is known of neighbouring rows, and makes rows of it: used cells, spilled ones, and those that have a format. */
class SnapshotRows {
  readonly #rows = new Map<number, PartsOfRow>();

  addUsed(cells: readonly UsedCell[]): void {
    for (const cell of cells) this.#partsOf(cell.row).used.push(cell);
  }

  addFormatted(cells: readonly FormattedCell[]): void {
    for (const cell of cells) this.#partsOf(cell.row).formatted.push(cell);
  }

  /**
   * The cells in order, each time some of one row; to be asked for when everything was added. What they show comes in runs,
   * in order, whose rows are counted from `top`: known of formulas, and where they spill.
   */
  async *inOrder(top: number, runs: Runs): AsyncGenerator<SnapshotCell[]> {
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
        yield* nonEmpty(current.take(column, values));
      }
    }
    if (current) yield* nonEmpty(current.take());
    yield* this.#rowsBefore(Number.POSITIVE_INFINITY, numbers);
  }

  /** Rows without runs before one, which are taken from the end of the list; that row is taken from it too. */
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

  #partsOf(row: number): PartsOfRow {
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

  constructor(row: number, { used, formatted }: PartsOfRow) {
    this.row = row;
    this.#used = used.sort((a, b) => a.column - b.column);
    this.#formatted = formatted.sort((a, b) => a.column - b.column);
  }

  /** The next cells, up to the last one of a run of what they show; all that are left where there is no such run. */
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

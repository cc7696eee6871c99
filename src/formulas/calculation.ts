/** The displayed value of a cell: an error is its code, an empty cell is "". */
export type ShownValue = number | string | boolean;

/** The stored input of a cell; a string that starts with "=" is a formula, null empties the cell. */
export interface CellInput {
  readonly row: number;
  readonly column: number;
  readonly input: number | string | boolean | null;
}

/** Some cells of one sheet, given by its index in the workbook. Rows and columns count from 0. */
export interface SheetCells {
  readonly sheet: number;
  readonly cells: readonly CellInput[];
}

/** A defined name of a workbook; its formula starts with "=". */
export interface DefinedName {
  readonly name: string;
  readonly formula: string;
  /** The sheet of its scope; absent for the whole workbook. */
  readonly sheet?: number;
}

/** Ascending, non-adjacent runs of rows, as pairs: the first row, from 0, and the number of rows. */
export type RowRuns = Uint32Array;

/** The hidden rows of a sheet, by reason. */
export interface HiddenRows {
  readonly byHand: RowRuns;
  readonly byFilter: RowRuns;
}

/** A sheet without its cells. */
export interface SheetHead {
  readonly name: string;
  /** Absent when all rows are shown. */
  readonly hiddenRows?: HiddenRows | undefined;
}

/** A rectangle of cells to read; inclusive. */
export interface Window {
  readonly sheet: number;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Adjacent values of a row. Row and column are relative to the corner of the window. */
export interface ShownRun {
  readonly row: number;
  readonly column: number;
  readonly values: readonly ShownValue[];
}

/** Limits of one read: cells (an empty row counts as one), and characters of texts. */
export interface MostShown {
  readonly cells: number;
  readonly characters: number;
}

/** The number of rows and of columns of a sheet, from the first on. */
export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

/** Columns of a sheet, from 0; inclusive. */
export interface ColumnSpan {
  readonly left: number;
  readonly right: number;
}

/** A function has failed because of a defect in this program. Contains no cell content. */
export interface FunctionFault {
  readonly function: string;
  /** The class of the error and its stack frames. */
  readonly kind: string;
  readonly frames: readonly string[];
  readonly times: number;
}

/** A window exceeds the read limits; nothing of it was returned. */
export class TooMuchShown extends Error {}

/** A workbook exceeds the time or memory limit, or its thread has ended. The caller may try again. */
export class CalculationStopped extends Error {}

/**
 * A workbook is no longer held in memory, for an external reason: others needed the memory, or the thread ended.
 * The caller may open it again at once.
 */
export class WorkbookNotHeld extends CalculationStopped {}

/**
 * Workbooks held in memory outside the event loop, each at one stored version. Everything can be rebuilt from
 * storage: on lack of memory the least recently used workbook is dropped.
 */
export interface Calculation {
  /** The version of a held workbook; undefined when it is not held. */
  version(workbook: string): number | undefined;
  /** Whether the workbook is known to calculate slowly: it then runs in the thread for long calculations. */
  takesLong(workbook: string): boolean;
  /** Loads a workbook and replaces one of the same name: its sheets in order, its cells in any order and portions. */
  open(
    workbook: string,
    version: number,
    sheets: readonly SheetHead[],
    cells: AsyncIterable<SheetCells>,
    names?: readonly DefinedName[],
  ): Promise<void>;
  /** Changes a workbook to its next version. */
  change(workbook: string, version: number, changes: readonly SheetCells[]): Promise<void>;
  /**
   * The values of a window, row by row, in portions of a megabyte at most; calculates stale values first.
   * Generates each portion on demand.
   * @throws CalculationStopped when the workbook exceeds the time or memory limit
   * @throws TooMuchShown before the first portion
   */
  portions(workbook: string, window: Window, most?: MostShown): AsyncGenerator<readonly ShownRun[]>;
  /**
   * All values of a window as rows without trailing empty rows and cells.
   * @throws CalculationStopped when the workbook exceeds the time or memory limit
   */
  read(workbook: string, window: Window): Promise<ShownValue[][]>;
  /**
   * The number of rows and columns with displayed values, including spilled ones, of a sheet or of some columns of it,
   * counted from its first row and the first of the columns; calculates stale values first.
   * @throws CalculationStopped when the workbook exceeds the time or memory limit
   */
  extent(workbook: string, sheet: number, columns?: ColumnSpan): Promise<Extent>;
  /**
   * Sets the listener for failing functions: called at the first, tenth, hundredth fault of a function and so on.
   * Their cells show #VALUE!.
   */
  onFault(listener: (fault: FunctionFault) => void): void;
  close(): Promise<void>;
}

/** A value of a cell as answers carry it: errors are their codes, an empty cell is "". */
export type ShownValue = number | string | boolean;

/** The input of one cell, as it is stored; a string beginning with "=" is a formula, null empties the cell. */
export interface CellInput {
  readonly row: number;
  readonly column: number;
  readonly input: number | string | boolean | null;
}

/** Some cells of one sheet, which is named by its place in the workbook. Rows and columns count from 0. */
export interface SheetCells {
  readonly sheet: number;
  readonly cells: readonly CellInput[];
}

/** A name that formulas of a workbook may use; its formula begins with "=". */
export interface DefinedName {
  readonly name: string;
  readonly formula: string;
  /** The sheet on which alone it holds; absent of one that holds on all. */
  readonly sheet?: number;
}

/** Rows in ascending runs that do not touch: by turns the first row of one, from 0, and how many it has. */
export type RowRuns = Uint32Array;

/** Which rows of a sheet are not shown, and why. */
export interface HiddenRows {
  readonly byHand: RowRuns;
  readonly byFilter: RowRuns;
}

/** A sheet without its cells. */
export interface SheetHead {
  readonly name: string;
  /** Absent where all its rows are shown. */
  readonly hiddenRows?: HiddenRows | undefined;
}

/** A rectangle that is asked for; both ends belong to it. */
export interface Window {
  readonly sheet: number;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Neighbouring values of a row. Row and column are counted from the corner of the window that is read. */
export interface ShownRun {
  readonly row: number;
  readonly column: number;
  readonly values: readonly ShownValue[];
}

/** How much may be read at once: cells, an empty row counted as one of them, and characters of texts. */
export interface MostShown {
  readonly cells: number;
  readonly characters: number;
}

/** How many rows and columns of a sheet, from the first on. */
export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

/** A function has failed by no fault of its formula but by one of ours. It holds nothing of any cell. */
export interface FunctionFault {
  readonly function: string;
  /** The class of what was thrown, and where. */
  readonly kind: string;
  readonly frames: readonly string[];
  readonly times: number;
}

/** A window holds more than may be read at once; nothing of it was given. */
export class TooMuchShown extends Error {}

/** A workbook needs more time or memory than one may have, or the thread that held it has ended; it may be asked again. */
export class CalculationStopped extends Error {}

/** A workbook is held no longer, by no doing of its own: others needed the room, or ended the thread. It may be opened again at once. */
export class WorkbookNotHeld extends CalculationStopped {}

/**
 * Workbooks held in memory beside the event loop, each at one version of what is stored. Nothing is kept but what can be
 * made again from storage: a workbook that was not used for long is dropped when memory runs short.
 */
export interface Calculation {
  /** At which version a workbook is held; undefined when it is not, or no longer. */
  version(workbook: string): number | undefined;
  /** Whether a workbook was found to take long: it is computed where long calculations wait for each other. */
  takesLong(workbook: string): boolean;
  /** Takes a workbook in, in place of one of the same name: its sheets in order, and their cells in any order and portions. */
  open(
    workbook: string,
    version: number,
    sheets: readonly SheetHead[],
    cells: AsyncIterable<SheetCells>,
    names?: readonly DefinedName[],
  ): Promise<void>;
  /** Brings a workbook to its next version. */
  change(workbook: string, version: number, changes: readonly SheetCells[]): Promise<void>;
  /**
   * The values of a window, computed where they are stale, row after row in portions of a megabyte at most. None is made
   * before it is asked for, nor where nobody asks for more.
   * @throws CalculationStopped when the workbook needs more time or memory than it may have
   * @throws TooMuchShown before anything else
   */
  portions(workbook: string, window: Window, most?: MostShown): AsyncGenerator<readonly ShownRun[]>;
  /**
   * The same as rows without trailing empty rows and cells.
   * @throws CalculationStopped when the workbook needs more time or memory than it may have
   */
  read(workbook: string, window: Window): Promise<ShownValue[][]>;
  /**
   * How many rows and columns of a sheet show something, spilled values among them, computed where they are stale.
   * @throws CalculationStopped when the workbook needs more time or memory than it may have
   */
  extent(workbook: string, sheet: number): Promise<Extent>;
  /** Whom to tell of functions that fail: of each at the first time, the tenth, the hundredth and so on. Cells show #VALUE!. */
  onFault(listener: (fault: FunctionFault) => void): void;
  close(): Promise<void>;
}

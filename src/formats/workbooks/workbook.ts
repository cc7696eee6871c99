import type { TextEncoding } from '../../text/decode.ts';
import type { LeftOut } from './left-out.ts';

/** What is put into a cell; a text that begins with "=" is a formula, but for "=" alone. */
export type CellInput = string | number | boolean;
/** What a cell shows: errors are their codes, an empty cell is "". */
export type ShownValue = string | number | boolean;

/** A cell with something in it. */
export interface WorkbookCell {
  /** Rows and columns count from 0. */
  readonly row: number;
  readonly column: number;
  /** None in a cell that only has a format. */
  readonly input: CellInput | undefined;
  /** The code of its number format; none is General. */
  readonly format?: string;
}

/** Rows in ascending runs that do not touch: by turns the first row of one, from 0, and how many it has. */
export type RowRuns = Uint32Array;

/** A filter of a sheet: its first row holds the headings. Rows and columns count from 0; both ends belong to it. */
export interface SheetFilter {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly columns: readonly FilterColumn[];
}

/** A column by which rows are filtered, counted from the first of the filter, and its criteria as .xlsx writes them. */
export interface FilterColumn {
  readonly offset: number;
  readonly criteria: string;
}

/** Which rows of a sheet are not shown, and why. */
export interface HiddenRows {
  readonly byHand: RowRuns;
  readonly byFilter: RowRuns;
  readonly filter?: SheetFilter | undefined;
}

/** What a sheet says of itself beside its cells. */
export interface SheetProperties {
  /** Absent where all its rows are shown. */
  readonly hiddenRows?: HiddenRows | undefined;
  /** Absent where the sheet is shown; a very hidden one is not offered to people either. */
  readonly hidden?: 'hidden' | 'veryHidden' | undefined;
}

/** Cells of one sheet, which is named by its place: in order of rows, then of columns, none twice. */
export interface SheetPortion {
  readonly sheet: number;
  readonly cells: readonly WorkbookCell[];
  /** Known when all its cells are: at most the last portion of a sheet has them. */
  readonly properties?: SheetProperties;
}

/** How a file was read, and what of it was not taken. */
export type ReadOutcome =
  | { readonly format: 'csv'; readonly encoding: TextEncoding; readonly separator: string }
  | { readonly format: 'xlsx'; readonly left_out: LeftOut[] };

/** A workbook as it is read from a file: its sheets in order, and their cells, sheet after sheet, in portions. */
export interface WorkbookContent {
  readonly sheets: readonly string[];
  /** What they end with is known when all of them were read. */
  readonly portions: AsyncGenerator<SheetPortion, ReadOutcome>;
}

/** A cell as it goes into a file: its input, none where the formula of another cell fills it, and what it shows. */
export interface ExportedCell {
  readonly column: number;
  readonly input: CellInput | undefined;
  readonly value: ShownValue;
  /** The code of its number format; none is General. */
  readonly format?: string | undefined;
}

/** A row with something in it, or a part of one: its parts follow each other from left to right. */
export interface ExportedRow {
  readonly row: number;
  /** In order. */
  readonly cells: readonly ExportedCell[];
}

/** A sheet as it goes into a file: read once, as the file is written. */
export interface ExportedSheet extends SheetProperties {
  readonly name: string;
  /** How many rows and columns there are up to the last ones that show something. */
  readonly extent: { readonly rows: number; readonly columns: number };
  /** In order. */
  readonly rows: AsyncIterable<ExportedRow>;
}

/** Bytes of which no workbook can be made; the message says to people what is wrong with them. */
export class UnreadableWorkbook extends Error {
  override readonly name = 'UnreadableWorkbook';
}

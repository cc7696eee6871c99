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

/** Cells of one sheet, which is named by its place: in order of rows, then of columns, none twice. */
export interface SheetPortion {
  readonly sheet: number;
  readonly cells: readonly WorkbookCell[];
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

/** A row with something in it. */
export interface ExportedRow {
  readonly row: number;
  /** In order. */
  readonly cells: readonly ExportedCell[];
}

/** A sheet as it goes into a file: read once, as the file is written. */
export interface ExportedSheet {
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

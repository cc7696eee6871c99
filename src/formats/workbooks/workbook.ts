import { columnNumber } from '../../text/column-letters.ts';
import type { TextEncoding } from '../../text/decode.ts';
import type { ImportNote, LeftOut } from './import-notes.ts';
import type { ImportedName, SheetLooks } from './looks.ts';

const MIB = 1024 * 1024;

/** Most bytes of a file, which is held in memory. */
export const MAX_FILE_SIZE = 100 * MIB;
/** Most rows and columns of a sheet, and characters of a cell, as specified by the interface. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
export const MAX_CELL_LENGTH = 50_000;
/** Most cells of all sheets together. */
export const MAX_CELLS = 10_000_000;
export const MAX_SHEETS = 1_000;
/** Most characters of all cells together: one text or formula of a few bytes may be repeated in any number of cells. */
export const MAX_TOTAL_LENGTH = 512 * MIB;
/** Most characters of all cells for each byte read; not checked below the allowance. */
export const MAX_REPETITION = 20;
export const LENGTH_ALLOWANCE = 16 * MIB;

/** Most inflated bytes of all entries read from an archive. */
export const MAX_INFLATED = 1024 * MIB;
/** Real workbooks inflate to ten to fifty times their size; not checked below the allowance. */
export const MAX_INFLATION = 250;
export const INFLATION_ALLOWANCE = 64 * MIB;
export const MAX_ENTRIES = 20_000;
/** Deepest nesting of elements; workbooks have about ten levels. */
export const MAX_DEPTH = 64;
/** Most characters of one tag, or of one text between tags. */
export const MAX_MARKUP_LENGTH = 4 * MIB;
/** Most characters of the shared strings, which are held in memory while the sheets are read. */
export const MAX_SHARED_LENGTH = 128 * MIB;
/** Most shared strings; even an empty one costs memory. */
export const MAX_SHARED_TEXTS = 5_000_000;
/** Most defined names and tables; all are held in memory. */
export const MAX_NAMES = 10_000;
/**
 * Most styles, custom number formats, and characters of one format (Excel has 65,490, 250 and 255); further ones
 * count as General.
 */
export const MAX_STYLES = 100_000;
export const MAX_FORMATS = 10_000;
export const MAX_FORMAT_LENGTH = 255;
/** Most empty cells with a number format; further ones are left out. */
export const MAX_FORMATTED_EMPTY_CELLS = 200_000;

/** Limits of a reading thread: time, without waiting for the consumer of the cells, and memory. */
export const READ_WITHIN_MS = 600_000;
export const READ_HEAP_MIB = 768;
/** A file of this size inflates to 64 MiB at most and needs less memory, so more of them are read concurrently. */
export const SMALL_FILE = 256 * 1024;
export const SMALL_READ_HEAP_MIB = 128;

/** The address of a cell; rows and columns count from 0. */
export interface CellAddress {
  readonly row: number;
  readonly column: number;
}

const ADDRESS = /^([A-Za-z]{1,3})([1-9][0-9]{0,6})$/;

/** Parses an address such as B5; undefined for an invalid one or one outside a sheet. */
export function parseAddress(text: string): CellAddress | undefined {
  const found = ADDRESS.exec(text);
  if (!found?.[1] || !found[2]) return undefined;
  const row = Number(found[2]) - 1;
  const column = columnNumber(found[1]);
  return row < MAX_ROWS && column < MAX_COLUMNS ? { row, column } : undefined;
}

/** The input of a cell; a text that starts with "=" is a formula, except "=" alone. */
export type CellInput = string | number | boolean;
/** The displayed value of a cell: an error is its code, an empty cell is "". */
export type ShownValue = string | number | boolean;

/** A cell with an input or a format. */
export interface WorkbookCell {
  /** Rows and columns count from 0. */
  readonly row: number;
  readonly column: number;
  /** Undefined for a cell with only a format. */
  readonly input: CellInput | undefined;
  /** The code of its number format; absent for General. */
  readonly format?: string;
}

/** Ascending, non-adjacent runs of rows, as pairs: the first row, from 0, and the number of rows. */
export type RowRuns = Uint32Array;

/** A filter of a sheet: its first row holds the headings. Rows and columns count from 0; inclusive. */
export interface SheetFilter {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly columns: readonly FilterColumn[];
}

/** A column with filter criteria: its offset in the filter, and the criteria in the XML of .xlsx. */
export interface FilterColumn {
  readonly offset: number;
  readonly criteria: string;
}

/** The hidden rows of a sheet, by reason. */
export interface HiddenRows {
  readonly byHand: RowRuns;
  readonly byFilter: RowRuns;
  readonly filter?: SheetFilter | undefined;
}

/** The properties of a sheet other than its cells. */
export interface SheetProperties {
  /** Absent when all rows are shown. */
  readonly hiddenRows?: HiddenRows | undefined;
  /** Absent when the sheet is shown; programs do not offer to show a very hidden sheet. */
  readonly hidden?: 'hidden' | 'veryHidden' | undefined;
}

/** The properties of a sheet that was read. */
export interface ReadProperties extends SheetProperties {
  /** The encoded looks, see looks.ts; absent when there are none. A text is what threads transfer best. */
  readonly looks?: string | undefined;
}

/** Cells of the sheet with this index, in order of rows, then columns, without duplicates. */
export interface SheetPortion {
  readonly sheet: number;
  readonly cells: readonly WorkbookCell[];
  /** Known after all cells: at most the last portion of a sheet has properties. */
  readonly properties?: ReadProperties;
}

/** The format of a file, and the kinds of contents that were left out. */
export type ReadFormat =
  | { readonly format: 'csv'; readonly encoding: TextEncoding; readonly separator: string }
  | { readonly format: 'xlsx'; readonly left_out: LeftOut[] };

/** The result of reading a file. */
export interface ReadResult {
  readonly read: ReadFormat;
  /** What was left out, with its places. */
  readonly notes: readonly ImportNote[];
  readonly names: readonly ImportedName[];
}

/** A workbook during reading: the sheets in order, and their cells in portions, sheet after sheet. */
export interface WorkbookContent {
  readonly sheets: readonly string[];
  /** The return value is the result after the last portion. */
  readonly portions: AsyncGenerator<SheetPortion, ReadResult>;
}

/** A cell for export: its input (undefined when another cell's formula fills it) and its displayed value. */
export interface ExportedCell {
  readonly column: number;
  readonly input: CellInput | undefined;
  readonly value: ShownValue;
  /** The code of its number format; absent for General. */
  readonly format?: string | undefined;
}

/** A non-empty row or a chunk of one; chunks follow each other from left to right. */
export interface ExportedRow {
  readonly row: number;
  /** In order of columns. */
  readonly cells: readonly ExportedCell[];
}

/** A sheet for export; the rows are read once, while the file is written. */
export interface ExportedSheet extends SheetProperties {
  readonly name: string;
  readonly looks?: SheetLooks | undefined;
  /** The numbers of rows and columns up to the last displayed values. */
  readonly extent: { readonly rows: number; readonly columns: number };
  /** In order. */
  readonly rows: AsyncIterable<ExportedRow>;
}

/** The bytes are no readable workbook; the message explains the reason to people. */
export class UnreadableWorkbook extends Error {
  override readonly name = 'UnreadableWorkbook';
}

import { columnNumber } from '../../text/column-letters.ts';
import type { TextEncoding } from '../../text/decode.ts';

const MIB = 1024 * 1024;

/** Bytes of a file that is read; it is held in memory as it is. */
export const MAX_FILE_SIZE = 100 * MIB;
/** Rows and columns of a sheet, and characters of a cell: those of the interface. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
export const MAX_CELL_LENGTH = 50_000;
/** Cells of all sheets together. */
export const MAX_CELLS = 10_000_000;
export const MAX_SHEETS = 1_000;
/** Characters of all cells together: one text, or one formula, of a few bytes may stand for any number of cells. */
export const MAX_TOTAL_LENGTH = 512 * MIB;
/** Characters of all cells together for each byte that was read; nobody asks below the allowance. */
export const MAX_REPETITION = 20;
export const LENGTH_ALLOWANCE = 16 * MIB;

/** Bytes that all that is read of an archive may inflate to. */
export const MAX_INFLATED = 1024 * MIB;
/** Real workbooks inflate to ten to fifty times their size; nobody asks below the allowance. */
export const MAX_INFLATION = 250;
export const INFLATION_ALLOWANCE = 64 * MIB;
export const MAX_ENTRIES = 20_000;
/** Elements within elements; workbooks have about ten. */
export const MAX_DEPTH = 64;
/** Characters of one piece of markup, or of one text between tags. */
export const MAX_MARKUP_LENGTH = 4 * MIB;
/** Characters of the texts that cells share, which are held in memory while the sheets are read. */
export const MAX_SHARED_LENGTH = 128 * MIB;
/** Texts that cells share, each of which costs memory though it be empty. */
export const MAX_SHARED_TEXTS = 5_000_000;
/** Defined names and tables; each is held in memory. */
export const MAX_NAMES = 10_000;
/** Styles, number formats of their own and characters of one (Excel has 65,490, 250 and 255); what is beyond counts as General. */
export const MAX_STYLES = 100_000;
export const MAX_FORMATS = 10_000;
export const MAX_FORMAT_LENGTH = 255;
/** Cells with a number format and nothing else in them; those beyond are left out. */
export const MAX_FORMATTED_EMPTY_CELLS = 200_000;

/** What a reading thread may take: time without that of waiting for who takes the cells, and memory. */
export const READ_WITHIN_MS = 600_000;
export const READ_HEAP_MIB = 768;
/** A file of so many bytes inflates to 64 MiB at most, and is read with less memory: more of them may be read at a time. */
export const SMALL_FILE = 256 * 1024;
export const SMALL_READ_HEAP_MIB = 128;

/** What a workbook may have that a spreadsheet does not keep of it; fonts, colours and widths aside, which none keeps. */
export const LEFT_OUT = [
  'charts',
  'comments',
  'conditional_formatting',
  'data_validation',
  'defined_names',
  'filters',
  'hyperlinks',
  'images',
  'macros',
  'merged_cells',
  'pivot_tables',
  'protection',
  'tables',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

/** Where a cell is; rows and columns count from 0. */
export interface CellAddress {
  readonly row: number;
  readonly column: number;
}

const ADDRESS = /^([A-Za-z]{1,3})([1-9][0-9]{0,6})$/;

/** What an address such as B5 names; undefined where it is none, or outside of a sheet. */
export function parseAddress(text: string): CellAddress | undefined {
  const found = ADDRESS.exec(text);
  if (!found?.[1] || !found[2]) return undefined;
  const row = Number(found[2]) - 1;
  const column = columnNumber(found[1]);
  return row < MAX_ROWS && column < MAX_COLUMNS ? { row, column } : undefined;
}

/**
 * The input that shows a text as it is. Only one that begins with "=" would be taken for a formula: it becomes the
 * formula of that text, ="=x". "=" alone is text in a cell too.
 */
export function inputOfText(text: string): string {
  if (!text.startsWith('=') || text === '=') return text;
  return `="${text.replaceAll('"', '""')}"`;
}

const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

/** The text that inputOfText made a formula of; undefined of any other input. */
export function textOfInput(input: string): string | undefined {
  if (!input.startsWith('=') || input === '=') return input;
  const text = TEXT_FORMULA.exec(input)?.[1]?.replaceAll('""', '"');
  return text !== undefined && inputOfText(text) === input ? text : undefined;
}

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

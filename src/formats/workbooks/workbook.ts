/** A cell with something in it, and its input: a text that begins with "=" is a formula, but for "=" alone. */
export interface WorkbookCell {
  /** Rows and columns count from 0. */
  readonly row: number;
  readonly column: number;
  readonly input: string | number | boolean;
}

/** Cells of one sheet, which is named by its place: in order of rows, then of columns, none twice. */
export interface SheetPortion {
  readonly sheet: number;
  readonly cells: readonly WorkbookCell[];
}

/** A workbook as it is read from a file: its sheets in order, and their cells, sheet after sheet, in portions. */
export interface WorkbookContent {
  readonly sheets: readonly string[];
  readonly portions: AsyncIterable<SheetPortion>;
}

/** Bytes of which no workbook can be made; the message says to people what is wrong with them. */
export class UnreadableWorkbook extends Error {
  override readonly name = 'UnreadableWorkbook';
}

/** What is true of a spreadsheet as a whole; its title and rights are those of its node. */
export interface Spreadsheets {
  workspace_id: string;
  node_id: string;
  /** Counts the writes that stored something. */
  version: number;
  /** The oldest version from which every change is in spreadsheet_changes, but for those dropped for their age. */
  followed_since: number;
  /** Random, and another one at each version. */
  revision: string;
  /** JSON: the sheets in order, see areas/spreadsheets/workbook.ts. */
  sheets: string;
}

/** The cells of a square of a sheet that has some, see areas/spreadsheets/block.ts. */
export interface SpreadsheetBlocks {
  workspace_id: string;
  /** The id of the sheet, which no node knows before a spreadsheet takes the sheet over. */
  sheet: string;
  row_block: number;
  column_block: number;
  /** How many of the cells are formulas. */
  formulas: number;
  /** Lines of JSON, see areas/spreadsheets/block.ts. */
  cells: string;
}

/** The number formats of a square of a sheet that has some; the square is named as that of its cells. */
export interface SpreadsheetFormats {
  workspace_id: string;
  sheet: string;
  row_block: number;
  column_block: number;
  /** JSON, see areas/spreadsheets/cells/format-store.ts. */
  formats: string;
}

/** How many cells of a column are used; the column is named by its place, see areas/spreadsheets/axis.ts. */
export interface SpreadsheetColumns {
  workspace_id: string;
  sheet: string;
  place: number;
  cells: number;
}

/** Which rows of a sheet are not shown; there is none of a sheet that shows all of them. */
export interface SpreadsheetHiddenRows {
  workspace_id: string;
  sheet: string;
  /** JSON, see areas/spreadsheets/hidden-rows-store.ts. */
  hidden: string;
}

/** Which blocks the write that led to a version has changed. */
export interface SpreadsheetChanges {
  workspace_id: string;
  node_id: string;
  version: number;
  /** JSON: triples of sheet, row_block and column_block. */
  blocks: string;
}

/** Sheets that no spreadsheet has, or none yet: housekeeping removes their cells from a time on. */
export interface SpreadsheetRemains {
  workspace_id: string;
  sheet: string;
  sweep_at: number;
}

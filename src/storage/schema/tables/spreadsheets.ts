/** A spreadsheet as a whole; its node has its title and grants. */
export interface Spreadsheets {
  workspace_id: string;
  node_id: string;
  /** The number of writes that stored a change. */
  version: number;
  /** The oldest version since which spreadsheet_changes has every change, except those dropped for their age. */
  followed_since: number;
  /** Random; new at each version. */
  revision: string;
  /** JSON: the sheets in order, see areas/spreadsheets/workbook/workbook.ts. */
  sheets: string;
}

/** The cells of a non-empty square of a sheet, see areas/spreadsheets/cells/block.ts. */
export interface SpreadsheetBlocks {
  workspace_id: string;
  /** The id of the sheet; it belongs to no node before a spreadsheet takes it over. */
  sheet: string;
  row_block: number;
  column_block: number;
  /** How many of the cells are formulas. */
  formulas: number;
  /** Lines of JSON, see areas/spreadsheets/cells/block.ts. */
  cells: string;
}

/** The number formats of a square of a sheet, with the same key as its cells. */
export interface SpreadsheetFormats {
  workspace_id: string;
  sheet: string;
  row_block: number;
  column_block: number;
  /** JSON, see areas/spreadsheets/cells/format-store.ts. */
  formats: string;
}

/**
 * The number of used cells of a column; the column `place` is its stable position, see
 * areas/spreadsheets/cells/axis.ts.
 */
export interface SpreadsheetColumns {
  workspace_id: string;
  sheet: string;
  place: number;
  cells: number;
  /** No row beyond the first `reach` ones is used; null if that is not known of a column from before this was kept. */
  reach: number | null;
}

/** The keys under which rows were appended to a sheet, once for ever. */
export interface SpreadsheetRowKeys {
  workspace_id: string;
  sheet: string;
  row_key: string;
  /** The stable position of the row; null if it was gone when the positions of its sheet were made anew. */
  place: number | null;
  /** JSON: the stable positions of its columns, as runs; see areas/spreadsheets/cells/axis.ts. */
  columns: string;
}

/** The hidden rows of a sheet; a sheet without hidden rows has no entry. */
export interface SpreadsheetHiddenRows {
  workspace_id: string;
  sheet: string;
  /** JSON, see areas/spreadsheets/cells/hidden-rows-store.ts. */
  hidden: string;
}

/** What people see of a sheet beside its cells and hidden rows; a sheet that is plain has no entry. */
export interface SpreadsheetLooks {
  workspace_id: string;
  sheet: string;
  /** Lines of JSON, see formats/workbooks/looks.ts. */
  looks: string;
}

/** The defined names of a spreadsheet. */
export interface SpreadsheetNames {
  workspace_id: string;
  node_id: string;
  /** JSON, see ImportedName in formats/workbooks/looks.ts. */
  names: string;
}

/** What the import of a spreadsheet has left out; written once. */
export interface SpreadsheetImportNotes {
  workspace_id: string;
  node_id: string;
  /** JSON, see formats/workbooks/import-notes.ts. */
  notes: string;
}

/** The blocks changed by the write that led to a version. */
export interface SpreadsheetChanges {
  workspace_id: string;
  node_id: string;
  version: number;
  /** JSON: triples of sheet, row_block and column_block. */
  blocks: string;
}

/** Sheets that belong to no spreadsheet (yet): housekeeping removes their cells after a time. */
export interface SpreadsheetRemains {
  workspace_id: string;
  sheet: string;
  sweep_at: number;
}

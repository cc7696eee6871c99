// Made from the OpenAPI document by `npm run golden`; changes belong into the declarations of the operations.
import type { Content } from '../content.ts';
import { path } from '../path.ts';
import type { RequestOptions, Requests } from '../requests.ts';

export interface SpreadsheetOutline {
  /** Names the spreadsheet. */
  id: string;
  /** The name that is shown. */
  title: string;
  /** The state token: it changes exactly when something stored changed. Send it as If-Match. */
  state: string;
  /** In order. */
  sheets: {
    /** The name of the sheet. */
    name: string;
    /** The last row that is used, or that formulas spill into; 0 when none is. */
    rows: number;
    /** The last column that is used; 0 when none is. */
    columns: number;
  }[];
  /** What an .xlsx had that the spreadsheet does not keep, with its place; at most 1,000 entries. Empty where nothing was lost. */
  import_notes: {
    /** What is not kept. */
    what: 'charts' | 'column_widths' | 'comments' | 'conditional_formatting' | 'custom_views' | 'data_validation' | 'defined_names' | 'embedded_objects' | 'external_links' | 'filters' | 'hyperlinks' | 'images' | 'macros' | 'merged_cells' | 'outlines' | 'pivot_tables' | 'print_settings' | 'protection' | 'row_heights' | 'scenarios' | 'shapes' | 'slicers' | 'sparklines' | 'split_panes' | 'styles' | 'tab_colors' | 'tables' | 'threaded_comments' | 'view_settings';
    /** The sheet; absent for the whole workbook. */
    sheet?: string;
    /** The cells, where it has some: A1, A1:C3, A:C or 2:5. */
    range?: string;
    /** The name of a table or of a defined name. */
    name?: string;
    /** How many further places are not listed one by one. */
    count?: number;
  }[];
}

export interface ReadRangeQuery {
  /** What formulas come to (the default), the formulas themselves, or what cells show: texts, numbers by their formats. */
  render?: 'value' | 'formula' | 'formatted';
}

export interface RangeValues {
  /** What was read, with the name of its sheet. */
  range: string;
  /** Without trailing empty rows and cells; empty cells inside are "". Errors are texts such as #REF!. */
  values: (string | number | boolean)[][];
  /** The state token: it changes exactly when something stored changed. Send it as If-Match. */
  state: string;
}

export interface WriteRangeBody {
  /** Rows of cells, at most 100000 in all. Rows may differ in length; what they do not reach stays. */
  values: (string | number | boolean | {
    /** Stored as this text, whatever it begins with; "" deletes the cell. */
    text: string;
  } | {
    /** A day from 1900-01-01 to 9999-12-31: stored as its serial number, in the format yyyy-mm-dd unless the cell has one for dates. */
    date: string;
  } | {
    /** A day and a time: stored as a serial number, in the format yyyy-mm-dd hh:mm:ss unless the cell has one for dates and times. Without an offset it is kept as it is; with one it becomes the time in UTC, because a cell has no time zone. */
    datetime: string;
  })[][];
  /** entered (the default): a text that begins with "=" and goes on is a formula. raw: every text is stored as text; send what others have written so, such as the subjects of messages. */
  input?: 'entered' | 'raw';
}

export interface WrittenRange {
  /** The block that was written, with the name of its sheet. */
  range: string;
  /** How many cells hold something else than before. */
  updated_cells: number;
  /** The state token: it changes exactly when something stored changed. Send it as If-Match. */
  state: string;
  /** False when the write stored nothing new. */
  changed: boolean;
}

export interface AppendRowsBody {
  /** The name of the sheet; the first one when absent. */
  sheet?: string;
  /** Rows of cells, at most 100000 in all. Rows may differ in length; what they do not reach stays. */
  values: (string | number | boolean | {
    /** Stored as this text, whatever it begins with; "" deletes the cell. */
    text: string;
  } | {
    /** A day from 1900-01-01 to 9999-12-31: stored as its serial number, in the format yyyy-mm-dd unless the cell has one for dates. */
    date: string;
  } | {
    /** A day and a time: stored as a serial number, in the format yyyy-mm-dd hh:mm:ss unless the cell has one for dates and times. Without an offset it is kept as it is; with one it becomes the time in UTC, because a cell has no time zone. */
    datetime: string;
  })[][];
  /** entered (the default): a text that begins with "=" and goes on is a formula. raw: every text is stored as text; send what others have written so, such as the subjects of messages. */
  input?: 'entered' | 'raw';
  /** Whole columns, as A:E: the rows go below the last one that shows something there, from the first of the columns on. All columns count when absent. */
  columns?: string;
  /** A text of at most 255 characters that is kept with the row for ever: a sheet takes one row for it, and an append with a key that it knows writes nothing and answers where that row is. */
  row_key?: string;
}

export interface AppendedRows {
  /** The block that was written, with the name of its sheet. Of a row_key that is known already: where its row is now; null when that row has been deleted. */
  range: string | null;
  /** How many cells hold something else than before. */
  updated_cells: number;
  /** The state token: it changes exactly when something stored changed. Send it as If-Match. */
  state: string;
  /** False when the write stored nothing new. */
  changed: boolean;
}

export interface WriteBatchBody {
  /** Written one after the other, all or none. */
  data: {
    /** A1, A1:C3, A:C, 2:5, Sheet!A1:B2 or 'My sheet'!A1; the first sheet where none is named. */
    range: string;
    /** Rows of cells, at most 100000 in all. Rows may differ in length; what they do not reach stays. */
    values: (string | number | boolean | {
      /** Stored as this text, whatever it begins with; "" deletes the cell. */
      text: string;
    } | {
      /** A day from 1900-01-01 to 9999-12-31: stored as its serial number, in the format yyyy-mm-dd unless the cell has one for dates. */
      date: string;
    } | {
      /** A day and a time: stored as a serial number, in the format yyyy-mm-dd hh:mm:ss unless the cell has one for dates and times. Without an offset it is kept as it is; with one it becomes the time in UTC, because a cell has no time zone. */
      datetime: string;
    })[][];
  }[];
  /** entered (the default): a text that begins with "=" and goes on is a formula. raw: every text is stored as text; send what others have written so, such as the subjects of messages. */
  input?: 'entered' | 'raw';
}

export interface WrittenRanges {
  /** One for each entry, in order. */
  results: {
    /** The block that was written, with the name of its sheet. */
    range: string;
    /** How many cells hold something else than before. */
    updated_cells: number;
  }[];
  /** The state token: it changes exactly when something stored changed. Send it as If-Match. */
  state: string;
  /** False when the write stored nothing new. */
  changed: boolean;
}

export interface RangeFormats {
  /** What was read, with the name of its sheet. */
  range: string;
  /** The code of each cell, null for none. Without trailing rows and cells that have none. */
  formats: (string | null)[][];
  /** The state token: it changes exactly when something stored changed. Send it as If-Match. */
  state: string;
}

export interface WriteFormatsBody {
  /** Rows of codes, one for each cell, at most 100000 in all. Rows may differ in length; what they do not reach stays. */
  formats: (string | null)[][];
}

export interface ChangeSpreadsheetStructureBody {
  /** Done one after the other, all or none. */
  operations: ({
    /** What is done. */
    type: 'insert_rows' | 'delete_rows';
    /** The name of the sheet. */
    sheet: string;
    /** The first of the rows, from 1. */
    start: number;
    /** How many rows. */
    count: number;
  } | {
    /** What is done. */
    type: 'insert_columns' | 'delete_columns';
    /** The name of the sheet. */
    sheet: string;
    /** The first of the columns, from 1. */
    start: number;
    /** How many columns. */
    count: number;
  } | {
    /** What is done. */
    type: 'add_sheet';
    /** 1 to 31 characters, none of [ ] : * ? / \; unique without regard to case. */
    sheet: string;
  } | {
    /** What is done. */
    type: 'rename_sheet';
    /** The name of the sheet. */
    sheet: string;
    /** 1 to 31 characters, none of [ ] : * ? / \; unique without regard to case. */
    name: string;
  } | {
    /** What is done. */
    type: 'delete_sheet';
    /** The name of the sheet. */
    sheet: string;
  })[];
}

export interface StructureState {
  /** The state token: it changes exactly when something stored changed. Send it as If-Match. */
  state: string;
}

export interface ExportSpreadsheetQuery {
  /** Default xlsx. */
  format?: 'xlsx' | 'csv';
  /** Only this sheet; formulas that refer to others become what they show. Default: all of them as .xlsx, the first as .csv. */
  sheet?: string;
}

/** Spreadsheets: one method for each operation. */
export class Spreadsheets {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /**
   * Get a spreadsheet
   *
   * Its title, its sheets with how far each shows something, what its import has left out, and the state token, which is the ETag too. What formulas spill counts, unless they take too long to compute.
   *
   * Permission: `sheets.values.read`.
   */
  getSpreadsheet(id: string, options: RequestOptions = {}): Promise<SpreadsheetOutline> {
    return this.requests.data({ path: path`/v1/spreadsheets/${id}` }, options);
  }

  /**
   * Read a range
   *
   * The values of its cells, with render=formula what was written into them, or with render=formatted what they show as texts, by their number formats and in English. The answer has at most 1,048,576 cells; read what is larger in parts. Where formulas ask for the time or for random numbers, values are always sent anew.
   *
   * Permission: `sheets.values.read`.
   */
  readRange(id: string, range: string, query: ReadRangeQuery = {}, options: RequestOptions = {}): Promise<RangeValues> {
    return this.requests.data({ path: path`/v1/spreadsheets/${id}/values/${range}`, query }, options);
  }

  /**
   * Write a range
   *
   * Overwrites cells from the top left corner of the range on; a single cell takes a block of any size. What the values do not reach stays. Writes merge: the last one of each cell counts, none is refused for another, unless If-Match names a state that is no longer the present one. A block of 32 rows by 8 columns holds at most as much as one write may send. The role editor is needed.
   *
   * Permission: `sheets.values.write`.
   */
  writeRange(id: string, range: string, body: WriteRangeBody, options: RequestOptions & { ifMatch?: string } = {}): Promise<WrittenRange> {
    return this.requests.data({ method: 'PUT', path: path`/v1/spreadsheets/${id}/values/${range}`, body, headers: { 'if-match': options.ifMatch } }, options);
  }

  /**
   * Append rows
   *
   * Writes rows below the last one that shows something, from column A on, or with columns below the last one that shows something there; into the first sheet where none is named. What formulas spill counts, unless they take too long to compute. An Idempotency-Key is known for a day; a row_key is kept with its row for ever. Send what others have written with input raw: a text of theirs that begins with "=" is a formula else. Writes merge: the last one of each cell counts, none is refused for another, unless If-Match names a state that is no longer the present one. A block of 32 rows by 8 columns holds at most as much as one write may send. The role editor is needed.
   *
   * Permission: `sheets.values.write`.
   */
  appendRows(id: string, body: AppendRowsBody, options: RequestOptions & { ifMatch?: string } = {}): Promise<AppendedRows> {
    return this.requests.data({ method: 'POST', path: path`/v1/spreadsheets/${id}/values/append`, body, headers: { 'if-match': options.ifMatch } }, options);
  }

  /**
   * Write several ranges
   *
   * One after the other, all or none. Writes merge: the last one of each cell counts, none is refused for another, unless If-Match names a state that is no longer the present one. A block of 32 rows by 8 columns holds at most as much as one write may send. The role editor is needed.
   *
   * Permission: `sheets.values.write`.
   */
  writeBatch(id: string, body: WriteBatchBody, options: RequestOptions & { ifMatch?: string } = {}): Promise<WrittenRanges> {
    return this.requests.data({ method: 'POST', path: path`/v1/spreadsheets/${id}/values/batch`, body, headers: { 'if-match': options.ifMatch } }, options);
  }

  /**
   * Read number formats
   *
   * The number format codes of the cells of a range, null for cells without one. The answer has at most 1,048,576 cells; read what is larger in parts.
   *
   * Permission: `sheets.values.read`.
   */
  readFormats(id: string, range: string, options: RequestOptions = {}): Promise<RangeFormats> {
    return this.requests.data({ path: path`/v1/spreadsheets/${id}/formats/${range}` }, options);
  }

  /**
   * Set number formats
   *
   * Sets the number formats of cells, empty ones too, from the top left corner of the range on; a single cell takes a block of any size. What the formats do not reach stays, null takes a format away. A format changes what a .csv and render=formatted show, and no value. It stays when its cell is written, and moves with rows and columns. Writes merge as those of values do. The role editor is needed.
   *
   * Permission: `sheets.values.write`.
   */
  writeFormats(id: string, range: string, body: WriteFormatsBody, options: RequestOptions & { ifMatch?: string } = {}): Promise<WrittenRange> {
    return this.requests.data({ method: 'PUT', path: path`/v1/spreadsheets/${id}/formats/${range}`, body, headers: { 'if-match': options.ifMatch } }, options);
  }

  /**
   * Insert and delete rows, columns and sheets
   *
   * One operation after the other, all or none; If-Match carries the state, bare or as the quoted ETag. References in formulas follow, on other sheets too; what they named and is gone becomes #REF!. The role editor is needed.
   *
   * Permission: `sheets.structure.write`.
   */
  changeSpreadsheetStructure(id: string, body: ChangeSpreadsheetStructureBody, options: RequestOptions & { ifMatch?: string } = {}): Promise<StructureState> {
    return this.requests.data({ method: 'POST', path: path`/v1/spreadsheets/${id}/structure`, body, headers: { 'if-match': options.ifMatch } }, options);
  }

  /**
   * Export a spreadsheet
   *
   * As an .xlsx workbook: values, formulas with what they show, number formats, sheets, and what an import has kept beside: hidden sheets, rows and columns, widths, merged cells, notes, links, filters, defined names and frozen panes. Or what one sheet shows as .csv: UTF-8, commas, CRLF, the same number of fields in each record; of a sheet with over 20 million fields up to its last used row and column, each record ends with its last value instead. Values are shown in the number formats of their cells, dates as dates; all else goes into it as it is. Spreadsheet programs may take a text that begins with "=", "+", "-" or "@" for a formula, so hand cells of people whom you do not trust on as .xlsx, where text is text.
   *
   * Permission: `sheets.values.read`.
   */
  exportSpreadsheet(id: string, query: ExportSpreadsheetQuery = {}, options: RequestOptions = {}): Promise<Content> {
    return this.requests.content({ path: path`/v1/spreadsheets/${id}/export`, query }, options);
  }
}

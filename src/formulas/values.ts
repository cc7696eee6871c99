/** The error codes of cells, as in Excel, plus `#CIRC!` for a cycle and `#ERROR!` for a formula that does not parse. */
export const ERROR_CODES = [
  '#NULL!',
  '#DIV/0!',
  '#VALUE!',
  '#REF!',
  '#NAME?',
  '#NUM!',
  '#N/A',
  '#SPILL!',
  '#CALC!',
  '#CIRC!',
  '#ERROR!',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error as a value: returned, never thrown. One object for each code, so that errors compare by identity. */
export class CellError {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    this.code = code;
  }
}

export const ERROR = Object.fromEntries(ERROR_CODES.map((code) => [code, new CellError(code)])) as Readonly<
  Record<ErrorCode, CellError>
>;

/** The value of one cell; null for an empty cell. Dates are serial numbers of the 1900 system. */
export type Scalar = number | string | boolean | CellError | null;

/** The result of a numeric function. */
export type NumericResult = number | CellError;

/** A rectangle of cells on one sheet; rows and columns count from 0, inclusive. */
export interface Area {
  /** The index of the sheet in its workbook. */
  readonly sheet: number;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Values in rows and columns: a computed array, or the cells of a reference. */
export interface Grid {
  readonly rows: number;
  readonly columns: number;
  /** All cells from this row or column on are empty; loops over whole columns stop here. */
  readonly usedRows: number;
  readonly usedColumns: number;
  /** The location of its cells; absent for a computed array. */
  readonly area?: Area;
  /**
   * The reference at a position in an array of references, such as INDIRECT makes from an array of texts; absent
   * for other grids.
   */
  reference?(row: number, column: number): Value;
  /** The value at a row and column of the grid, counted from 0; null outside the used range. */
  at(row: number, column: number): Scalar;
  /**
   * Fewer numbers with the same sum as those of the grid, if available without a visit to each cell; undefined
   * when the grid contains an error.
   */
  sums?(): readonly number[] | undefined;
  /**
   * The first or last row in which a column of the grid has a value, texts case-insensitive; -1 without one.
   * Undefined when only a scan can tell.
   */
  findRow?(column: number, value: number | string | boolean, fromEnd: boolean): number | undefined;
  /** Visits the non-empty cells row by row and checks the clock; empty cells cost nothing. */
  each(visit: (value: Exclude<Scalar, null>, row: number, column: number) => void): void;
}

/** Several references as one, as in `(A1:B2,D4)`; few functions accept it. */
export class Union {
  readonly grids: readonly Grid[];

  constructor(grids: readonly Grid[]) {
    this.grids = grids;
  }
}

/** The result of an expression. */
export type Value = Scalar | Grid | Union;

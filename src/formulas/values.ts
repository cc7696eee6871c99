/** What a cell shows in place of a value that cannot be computed, as in Excel; `#CIRC!` of a cycle, `#ERROR!` of a formula that does not parse. */
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

/** An error as a value: it is passed on, never thrown. One object a code, so that they compare by identity. */
export class CellError {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    this.code = code;
  }
}

export const ERROR = Object.fromEntries(ERROR_CODES.map((code) => [code, new CellError(code)])) as Readonly<
  Record<ErrorCode, CellError>
>;

/** The value of one cell; null is an empty one. Dates are serial numbers of the 1900 system. */
export type Scalar = number | string | boolean | CellError | null;

/** What a function of numbers comes to. */
export type NumericResult = number | CellError;

/** A rectangle of cells on one sheet; rows and columns count from 0, both ends belong to it. */
export interface Area {
  /** The sheet's place in its workbook. */
  readonly sheet: number;
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Values in rows and columns: an array that was computed, or the cells of a reference. */
export interface Grid {
  readonly rows: number;
  readonly columns: number;
  /** Every cell from this row, or this column, on is empty: what walks a whole column stops here. */
  readonly usedRows: number;
  readonly usedColumns: number;
  /** Where its cells are; absent of a computed array. */
  readonly area?: Area;
  /** The reference at a place of an array of references, as INDIRECT makes of an array of texts; absent of others. */
  reference?(row: number, column: number): Value;
  /** The value at a row and a column of the grid, counted from 0; null outside of what is used. */
  at(row: number, column: number): Scalar;
  /**
   * Numbers that have the same sum as those of the grid and are fewer, where they can be had without a visit to each;
   * undefined where there is an error among the cells.
   */
  sums?(): readonly number[] | undefined;
  /**
   * The first row, or the last one, in which a column of the grid has a value, texts without regard to case; -1 when none
   * has. Undefined where that is found by a walk only.
   */
  findRow?(column: number, value: number | string | boolean, fromEnd: boolean): number | undefined;
  /** Visits what is not empty, row by row, and looks at the clock; the cost does not grow with empty cells. */
  each(visit: (value: Exclude<Scalar, null>, row: number, column: number) => void): void;
}

/** Several references as one, as in `(A1:B2,D4)`; few functions take it. */
export class Union {
  readonly grids: readonly Grid[];

  constructor(grids: readonly Grid[]) {
    this.grids = grids;
  }
}

/** What an expression comes to. */
export type Value = Scalar | Grid | Union;

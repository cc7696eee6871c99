import type { ShownValue } from '../../formulas/calculation.ts';
import type { CellValue } from './block.ts';

/** A cell that is used. */
export interface SnapshotCell {
  readonly row: number;
  readonly column: number;
  readonly input: CellValue;
  /** What it shows: of a formula its value, else the input. */
  readonly value: ShownValue;
}

/** One sheet as it is at one moment; rows and columns are its used extent. */
export interface SheetSnapshot {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  /** Its used cells in portions: row after row, and along each. */
  cells(): AsyncIterable<readonly SnapshotCell[]>;
}

/** A spreadsheet as it is at one moment. */
export interface SpreadsheetSnapshot {
  readonly title: string;
  readonly state: string;
  readonly sheets: readonly SheetSnapshot[];
}

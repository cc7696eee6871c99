import type { HiddenRows } from '../../../formats/workbooks/workbook.ts';
import type { Extent, ShownValue } from '../../../formulas/calculation.ts';
import type { CellValue } from '../cells/block.ts';
import type { Sheet } from './workbook.ts';

/** A cell that is used, shows what the formula of another one spills, or has a number format. */
export interface SnapshotCell {
  readonly row: number;
  readonly column: number;
  /** None where the formula of another cell spills, or nothing is. */
  readonly input: CellValue | undefined;
  /** What it shows: of a formula its value, else the input; "" where it is empty. */
  readonly value: ShownValue;
  /** The code of its number format; none is General. */
  readonly format?: string | undefined;
}

/** One sheet as it is at one moment; rows and columns are its used extent. */
export interface SheetSnapshot {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  /** What is used, or what formulas spill into. */
  readonly shown: Extent;
  readonly hidden?: Sheet['hidden'];
  readonly hiddenRows?: HiddenRows | undefined;
  /** Its cells in portions, each of one row: row after row, and along each. */
  cells(): AsyncIterable<readonly SnapshotCell[]>;
}

/** A spreadsheet as it is at one moment. */
export interface SpreadsheetSnapshot {
  readonly title: string;
  readonly state: string;
  readonly sheets: readonly SheetSnapshot[];
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Content } from '../../contract/answers.ts';
import type { ApiError } from '../../contract/errors.ts';
import type { Calculation } from '../../formulas/calculation.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner, SpreadsheetDependencies } from './dependencies.ts';
import { HeldAnswers, RangeTexts } from './reading/large-answers.ts';
import { getSpreadsheet, type IsKnown, type ReadAnswer, type Render, readRange } from './reading/reading.ts';
import type { BatchResult, Spreadsheet, StructureOperation, StructureResult, WriteResult } from './schema.ts';
import { changeStructure } from './structure/structure.ts';
import { exportSheets, type WantedExport } from './transfer/exporting.ts';
import { emptySheets, type NewSheets, type SheetContents, stageSheets } from './transfer/filling.ts';
import { importSheets, type SourceFile } from './transfer/importing.ts';
import { CalculatedValues } from './workbook/calculated-values.ts';
import { sweepOrphanedSheets } from './workbook/orphaned-sheets.ts';
import { spreadsheetLock } from './workbook/saving.ts';
import { type SpreadsheetSnapshot, withSnapshot } from './workbook/snapshot-reading.ts';
import { type Appending, appendRows, type ShownRows } from './writing/appending.ts';
import { type RangeValues, type RangeWrite, writeBatch, writeRanges } from './writing/writing.ts';

/** The rules of spreadsheets and their cells. Every method with a transaction acts within the caller's. */
export class SpreadsheetsService {
  readonly #parts: SpreadsheetDependencies;

  constructor({
    calculation,
    ...parts
  }: Omit<SpreadsheetDependencies, 'calculated' | 'rangeTexts' | 'heldAnswers'> & {
    calculation: Calculation;
  }) {
    this.#parts = {
      ...parts,
      calculated: new CalculatedValues(calculation),
      rangeTexts: new RangeTexts(),
      heldAnswers: new HeldAnswers(),
    };
  }

  /**
   * The outline of a spreadsheet, in transactions of its own; nothing where `isKnown` says that the reader has this state.
   * Rejects with ApiError not_found or forbidden.
   */
  getSpreadsheet(user: DriveOwner, id: string, isKnown: IsKnown): Promise<ReadAnswer<Spreadsheet>> {
    return getSpreadsheet(this.#parts, user, id, isKnown);
  }

  /**
   * The cells of a range, in transactions of its own; nothing where `isKnown` says that the reader has this state.
   * Rejects with ApiError not_found for the spreadsheet or the sheet, forbidden, validation_failed for too many cells.
   */
  readRange(
    user: DriveOwner,
    id: string,
    wanted: { range: string; render: Render },
    isKnown: IsKnown,
  ): Promise<ReadAnswer> {
    return readRange(this.#parts, user, id, wanted, isKnown);
  }

  /** The lock under which a spreadsheet is written to. */
  lockOf(user: DriveOwner, id: string): string {
    return spreadsheetLock(user, id);
  }

  /**
   * Overwrites a range for each of several requests to one spreadsheet, one after the other. Answers the result of each,
   * or the ApiError that it is refused with: not_found for the spreadsheet or the sheet, forbidden or trashed.
   */
  writeRanges(tx: WriteTransaction, writes: readonly RangeWrite[]): Promise<(WriteResult | ApiError)[]> {
    return writeRanges(tx, this.#parts, writes);
  }

  /** Overwrites ranges, all or none. Throws ApiError not_found for the spreadsheet or a sheet, forbidden or trashed. */
  writeBatch(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    data: readonly RangeValues[],
  ): Promise<BatchResult> {
    return writeBatch(tx, this.#parts, user, id, data);
  }

  /**
   * Writes below the last row that shows something. Throws as `writeBatch`, ApiError values_exceed_range, and NotPrepared
   * where what formulas spill, `shown`, has to be computed first.
   */
  appendRows(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    given: Appending,
    shown: ShownRows | undefined,
  ): Promise<WriteResult> {
    return appendRows(tx, this.#parts, user, id, given, shown);
  }

  /**
   * Changes rows, columns and sheets, all or none. Throws ApiError not_found, forbidden, trashed, precondition_required,
   * state_mismatch, or validation_failed for what cannot be done.
   */
  changeStructure(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    headers: IncomingHttpHeaders,
    operations: readonly StructureOperation[],
  ): Promise<StructureResult> {
    return changeStructure(tx, this.#parts, user, id, headers, operations);
  }

  /**
   * What a new spreadsheet holds: one empty sheet, or what an uploaded .xlsx or .csv file does, which is read and stored
   * outside of any transaction and in bounded memory. Rejects with ApiError unreadable_file.
   */
  async prepare(source: SourceFile | undefined, { workspaceId }: DriveOwner): Promise<NewSheets> {
    return source ? importSheets(this.#parts.database, workspaceId, source) : emptySheets();
  }

  /**
   * Stores what a new spreadsheet is to hold, outside of any transaction and in bounded memory. Rejects as the contents
   * do; then nothing of them is kept.
   */
  stageSheets(workspaceId: string, contents: AsyncIterable<SheetContents>): Promise<NewSheets> {
    return stageSheets(this.#parts.database, workspaceId, contents);
  }

  /**
   * The spreadsheet as it is at one moment as an .xlsx file, or one sheet of it as .csv, to be sent. Rejects with
   * ApiError not_found for the spreadsheet or the sheet, forbidden or calculation_stopped.
   */
  exportSheets(user: DriveOwner, id: string, wanted: WantedExport): Promise<Content> {
    return exportSheets(this.#parts, user, id, wanted);
  }

  /**
   * Hands a spreadsheet as it is at one moment to `use`: inputs and values, in bounded memory. Until that has ended,
   * others wait who want values of its formulas from this node. Rejects with ApiError not_found or forbidden.
   */
  withSnapshot<T>(
    user: DriveOwner,
    id: string,
    use: (snapshot: SpreadsheetSnapshot) => Promise<T>,
  ): Promise<T> {
    return withSnapshot(this.#parts, user, id, use);
  }

  /** Removes the cells of sheets that were deleted, or staged and never taken over. */
  sweep(): Promise<void> {
    return sweepOrphanedSheets(this.#parts.database);
  }
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Content } from '../../contract/answers.ts';
import type { ApiError } from '../../contract/errors.ts';
import type { Calculation } from '../../formulas/calculation.ts';
import type { ReadTransaction, WorkspaceLock, WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner, SpreadsheetDependencies } from './dependencies.ts';
import { HeldAnswers, RangeTexts } from './reading/large-answers.ts';
import {
  getSpreadsheet,
  type IsKnown,
  type ReadAnswer,
  type Render,
  readFormats,
  readRange,
} from './reading/read-ranges.ts';
import { cellTexts } from './reading/used-cells.ts';
import type {
  AppendResult,
  BatchResult,
  Input,
  Spreadsheet,
  StructureOperation,
  StructureResult,
  WriteResult,
} from './schema.ts';
import { changeStructure } from './structure/structure.ts';
import { exportSheets, type WantedExport } from './transfer/export-sheets.ts';
import { importSheets, type SourceFile } from './transfer/import-sheets.ts';
import { emptySheets, type NewSheets, type SheetContents, stageSheets } from './transfer/stage-sheets.ts';
import { CalculatedValues } from './workbook/calculated-values.ts';
import { spreadsheetLock, stateToken } from './workbook/open-and-save.ts';
import { sweepOrphanedSheets } from './workbook/orphaned-sheets.ts';
import { type SpreadsheetSnapshot, withSnapshot } from './workbook/snapshot-reading.ts';
import type { SpreadsheetKey } from './workbook/workbook.ts';
import { getWorkbook } from './workbook/workbook-store.ts';
import { type Appending, appendRows, type ShownRows } from './writing/append-rows.ts';
import { checkFormats, type Formats, type RangeFormats, writeFormats } from './writing/write-formats.ts';
import { type RangeValues, type RangeWrite, writeBatch, writeRanges } from './writing/write-ranges.ts';

/** The rules of spreadsheets and their cells. Methods that take a transaction do all their work in it. */
export class SpreadsheetsService {
  readonly #dependencies: SpreadsheetDependencies;

  constructor({
    calculation,
    ...dependencies
  }: Omit<SpreadsheetDependencies, 'calculated' | 'rangeTexts' | 'heldAnswers'> & {
    calculation: Calculation;
  }) {
    this.#dependencies = {
      ...dependencies,
      calculated: new CalculatedValues(calculation),
      rangeTexts: new RangeTexts(),
      heldAnswers: new HeldAnswers(),
    };
  }

  /**
   * The outline of a spreadsheet, read in transactions of its own; without data if `isKnown` says that the client has
   * this state. Rejects with ApiError not_found or forbidden.
   */
  getSpreadsheet(user: DriveOwner, id: string, isKnown: IsKnown): Promise<ReadAnswer<Spreadsheet>> {
    return getSpreadsheet(this.#dependencies, user, id, isKnown);
  }

  /**
   * The cells of a range, read in transactions of their own; without data if `isKnown` says that the client has this
   * state. Rejects with ApiError not_found for the spreadsheet or the sheet, forbidden, validation_failed for too many
   * cells.
   */
  readRange(
    user: DriveOwner,
    id: string,
    wanted: { range: string; render: Render },
    isKnown: IsKnown,
  ): Promise<ReadAnswer> {
    return readRange(this.#dependencies, user, id, wanted, isKnown);
  }

  /** The number formats of a range, read as `readRange` reads cells. Rejects as that. */
  readFormats(user: DriveOwner, id: string, range: string, isKnown: IsKnown): Promise<ReadAnswer> {
    return readFormats(this.#dependencies, user, id, range, isKnown);
  }

  /** The state token of a spreadsheet with this title, whose node exists. */
  async stateOf(tx: ReadTransaction, { title, ...key }: SpreadsheetKey & { title: string }): Promise<string> {
    return stateToken(await getWorkbook(tx, key), title);
  }

  /** The texts in the cells of a spreadsheet of a workspace, sheet by sheet, for the full-text index. */
  cellTexts(tx: ReadTransaction, key: SpreadsheetKey): Promise<string[]> {
    return cellTexts(tx, key);
  }

  /** The lock that a write to a spreadsheet takes. */
  lockOf(user: DriveOwner, id: string): WorkspaceLock {
    return spreadsheetLock(user, id);
  }

  /**
   * Overwrites one range for each of several requests to one spreadsheet, in order. Returns for each request its
   * result, or the ApiError that refuses it: not_found for the spreadsheet or the sheet, forbidden, trashed or state_mismatch.
   */
  writeRanges(tx: WriteTransaction, writes: readonly RangeWrite[]): Promise<(WriteResult | ApiError)[]> {
    return writeRanges(tx, this.#dependencies, writes);
  }

  /**
   * Overwrites ranges, all or none. Throws ApiError not_found for the spreadsheet or a sheet, forbidden, trashed, or
   * state_mismatch if If-Match names another state.
   */
  writeBatch(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    data: readonly RangeValues[],
    options?: { input?: Input | undefined; headers?: IncomingHttpHeaders },
  ): Promise<BatchResult> {
    return writeBatch(tx, this.#dependencies, user, id, data, options);
  }

  /** Rejects with ApiError validation_failed if one of the texts is no number format code. */
  checkFormats(formats: Formats): Promise<void> {
    return checkFormats(formats);
  }

  /**
   * Sets number formats of a range; `checkFormats` has passed before. Throws ApiError not_found for the spreadsheet or the sheet, forbidden, trashed,
   * state_mismatch and values_exceed_range.
   */
  writeFormats(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    given: RangeFormats,
  ): Promise<WriteResult> {
    return writeFormats(tx, this.#dependencies, user, id, given);
  }

  /**
   * Writes rows below the last row that shows something, or nothing where their row_key is known. Throws as `writeBatch`, ApiError values_exceed_range, and
   * NotPrepared if `shown`, the extent with spilled cells, has to be computed first.
   */
  appendRows(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    given: Appending,
    shown: ShownRows | undefined,
  ): Promise<AppendResult> {
    return appendRows(tx, this.#dependencies, user, id, given, shown);
  }

  /**
   * Changes rows, columns and sheets, all or none. Throws ApiError not_found, forbidden, trashed,
   * precondition_required, state_mismatch, or validation_failed for an impossible change.
   */
  changeStructure(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    headers: IncomingHttpHeaders,
    operations: readonly StructureOperation[],
  ): Promise<StructureResult> {
    return changeStructure(tx, this.#dependencies, user, id, headers, operations);
  }

  /**
   * The sheets of a new spreadsheet: one empty sheet, or those of an uploaded .xlsx or .csv file, which is read and
   * stored outside of any transaction in bounded memory. Rejects with ApiError unreadable_file.
   */
  async prepare(source: SourceFile | undefined, { workspaceId }: DriveOwner): Promise<NewSheets> {
    return source ? importSheets(this.#dependencies.database, workspaceId, source) : emptySheets();
  }

  /**
   * Stores the sheets of a new spreadsheet outside of any transaction in bounded memory. If reading the contents fails,
   * it rejects with that error and discards the sheets.
   */
  stageSheets(workspaceId: string, contents: AsyncIterable<SheetContents>): Promise<NewSheets> {
    return stageSheets(this.#dependencies.database, workspaceId, contents);
  }

  /**
   * Exports one version of the spreadsheet as an .xlsx file, or one of its sheets as .csv. Rejects with ApiError
   * not_found for the spreadsheet or the sheet, forbidden or calculation_stopped.
   */
  exportSheets(user: DriveOwner, id: string, wanted: WantedExport): Promise<Content> {
    return exportSheets(this.#dependencies, user, id, wanted);
  }

  /**
   * Passes one version of a spreadsheet, inputs and values, to `use` in bounded memory. Until `use` has ended, other
   * requests on this node for values of its formulas wait. Rejects with ApiError not_found or forbidden.
   */
  withSnapshot<T>(
    user: DriveOwner,
    id: string,
    use: (snapshot: SpreadsheetSnapshot) => Promise<T>,
  ): Promise<T> {
    return withSnapshot(this.#dependencies, user, id, use);
  }

  /** Removes the cells of sheets that were deleted, or were staged but never used by a spreadsheet. */
  sweep(): Promise<void> {
    return sweepOrphanedSheets(this.#dependencies.database);
  }
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Content } from '../../contract/answers.ts';
import type { Calculation } from '../../formulas/calculation.ts';
import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import type { DriveOwner, SpreadsheetDependencies } from './dependencies.ts';
import { HeldAnswers, RangeTexts } from './reading/large-answers.ts';
import { cellTexts } from './reading/used-cells.ts';
import type { BatchResult, Input } from './schema.ts';
import { exportSheets, type WantedExport } from './transfer/export-sheets.ts';
import { importSheets, type SourceFile } from './transfer/import-sheets.ts';
import { emptySheets, type NewSheets } from './transfer/stage-sheets.ts';
import { CalculatedValues } from './workbook/calculated-values.ts';
import { stateToken } from './workbook/open-and-save.ts';
import { sweepOrphanedSheets } from './workbook/orphaned-sheets.ts';
import type { SpreadsheetKey } from './workbook/workbook.ts';
import { getWorkbook } from './workbook/workbook-store.ts';
import { type RangeValues, writeBatch } from './writing/write-ranges.ts';

/** What others ask of spreadsheets, and what the use cases of the area work with. */
export class SpreadsheetsService {
  readonly dependencies: SpreadsheetDependencies;

  constructor({
    calculation,
    ...dependencies
  }: Omit<SpreadsheetDependencies, 'calculated' | 'rangeTexts' | 'heldAnswers'> & {
    calculation: Calculation;
  }) {
    this.dependencies = {
      ...dependencies,
      calculated: new CalculatedValues(calculation),
      rangeTexts: new RangeTexts(),
      heldAnswers: new HeldAnswers(),
    };
  }

  /** The state token of a spreadsheet with this title, whose node exists. */
  async stateOf(tx: ReadTransaction, { title, ...key }: SpreadsheetKey & { title: string }): Promise<string> {
    return stateToken(await getWorkbook(tx, key), title);
  }

  cellTexts(tx: ReadTransaction, key: SpreadsheetKey): Promise<string[]> {
    return cellTexts(tx, key);
  }

  writeBatch(
    tx: WriteTransaction,
    user: DriveOwner,
    id: string,
    data: readonly RangeValues[],
    options?: { input?: Input | undefined; headers?: IncomingHttpHeaders },
  ): Promise<BatchResult> {
    return writeBatch(tx, this.dependencies, user, id, data, options);
  }

  /**
   * The sheets of a new spreadsheet: one empty sheet, or those of an uploaded .xlsx or .csv file, which is read and
   * stored outside of any transaction in bounded memory. Rejects with ApiError unreadable_file.
   */
  async prepare(source: SourceFile | undefined, { workspaceId }: DriveOwner): Promise<NewSheets> {
    return source ? importSheets(this.dependencies.database, workspaceId, source) : emptySheets();
  }

  exportSheets(user: DriveOwner, id: string, wanted: WantedExport): Promise<Content> {
    return exportSheets(this.dependencies, user, id, wanted);
  }

  sweep(): Promise<void> {
    return sweepOrphanedSheets(this.dependencies.database);
  }
}

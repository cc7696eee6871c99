import type { Staging } from '../../blobs/staging.ts';
import type { Database } from '../../storage/database.ts';
import type { DocumentsService, DriveOwner } from '../documents/service.ts';
import type { HeldAnswers, RangeTexts } from './reading/large-answers.ts';
import type { CalculatedValues } from './workbook/calculated-values.ts';

export type { DriveOwner };

/** What spreadsheets are built on. */
export interface SpreadsheetDependencies {
  readonly database: Database;
  /** Who may open which spreadsheet, and its title. */
  readonly documents: Pick<DocumentsService, 'openSpreadsheet' | 'touchSpreadsheet'>;
  readonly calculated: CalculatedValues;
  readonly rangeTexts: RangeTexts;
  readonly heldAnswers: HeldAnswers;
  /** Holds files that are exported until they have been sent. */
  readonly staging: Staging;
}

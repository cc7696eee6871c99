import type { Staging } from '../../blobs/staging.ts';
import type { Database } from '../../storage/database.ts';
import type { DocumentsService, DriveOwner } from '../documents/service.ts';
import type { HeldAnswers, RangeTexts } from './reading/large-answers.ts';
import type { CalculatedValues } from './workbook/calculated-values.ts';

export type { DriveOwner };

/** The services and state that the spreadsheets area uses. */
export interface SpreadsheetDependencies {
  readonly database: Database;
  /** Checks access to a spreadsheet, reads its title and keeps the time of its last change. */
  readonly documents: Pick<DocumentsService, 'openSpreadsheet' | 'holdSpreadsheet' | 'touchSpreadsheet'>;
  readonly calculated: CalculatedValues;
  readonly rangeTexts: RangeTexts;
  readonly heldAnswers: HeldAnswers;
  /** Holds an exported file until it has been sent. */
  readonly staging: Staging;
}

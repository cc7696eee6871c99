import type { Operation } from '../../contract/operation.ts';
import { readingOperations } from './reading/reading-operations.ts';
import type { SpreadsheetsService } from './service.ts';
import { structureOperations } from './structure/structure-operations.ts';
import { exportOperations } from './transfer/export-operations.ts';
import { writingOperations } from './writing/writing-operations.ts';

/** The cells and sheets of spreadsheets; creating and sharing them are operations of documents. */
export function spreadsheetsOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    ...readingOperations(spreadsheets),
    ...writingOperations(spreadsheets),
    ...structureOperations(spreadsheets),
    ...exportOperations(spreadsheets),
  ];
}

import type { Operation } from '../../api/operation.ts';
import { exportOperations } from './export-operations.ts';
import { readingOperations } from './reading-operations.ts';
import type { SpreadsheetsService } from './service.ts';
import { structureOperations } from './structure-operations.ts';
import { writingOperations } from './writing-operations.ts';

/** The cells and sheets of spreadsheets; creating and sharing them are operations of documents. */
export function spreadsheetsOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    ...readingOperations(spreadsheets),
    ...writingOperations(spreadsheets),
    ...structureOperations(spreadsheets),
    ...exportOperations(spreadsheets),
  ];
}

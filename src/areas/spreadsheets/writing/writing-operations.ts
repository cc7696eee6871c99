import { type Operation, writes, writesJointly } from '../../../contract/operation.ts';
import { batchProblems, tooManyCells, writeProblems } from '../reading/range-problems.ts';
import { ByRange, BySpreadsheet } from '../reading/reading-operations.ts';
import { AppendedValues, BatchResult, NewValues, ValuesBatch, WriteResult } from '../schema.ts';
import type { SpreadsheetsService } from '../service.ts';
import type { ShownRows } from './appending.ts';

const area = 'Spreadsheets';
const MERGING =
  'Writes merge: the last one of each cell counts, none is refused for another, and no precondition is looked at. A ' +
  'block of 32 rows by 8 columns holds at most as much as one write may send.';

export function writingOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    writesJointly({
      id: 'writeRange',
      area,
      method: 'PUT',
      path: '/v1/spreadsheets/:id/values/:range',
      summary: 'Write a range',
      description: `Overwrites cells from the top left corner of the range on; a single cell takes a block of any size. What the values do not reach stays. ${MERGING} The role editor is needed.`,
      permissions: ['sheets.values.write'],
      params: ByRange,
      body: NewValues,
      answer: WriteResult,
      errors: ['forbidden', 'trashed', 'values_exceed_range'],
      check: ({ params: { range }, body: { values } }) =>
        writeProblems([{ range, values, place: { parameter: 'range' } }], '/values'),
      lock: ({ principal, params }) => spreadsheets.lockOf(principal, params.id),
      handle: (tx, inputs) =>
        spreadsheets.writeRanges(
          tx,
          inputs.map(({ principal, params: { id, range }, body: { values } }) => ({
            user: principal,
            id,
            range,
            values,
          })),
        ),
    }),
    writes({
      id: 'appendRows',
      area,
      method: 'POST',
      path: '/v1/spreadsheets/:id/values/append',
      summary: 'Append rows',
      description: `Writes rows below the last one that shows something, from column A on; into the first sheet where none is named. What formulas spill counts, unless they take too long to compute. ${MERGING} The role editor is needed.`,
      permissions: ['sheets.values.write'],
      params: BySpreadsheet,
      body: AppendedValues,
      answer: WriteResult,
      errors: ['forbidden', 'trashed', 'values_exceed_range'],
      check: ({ body: { values = [] } }) => tooManyCells([values], '/values'),
      handle: (tx, { principal, params, body }, shown: ShownRows | undefined) =>
        spreadsheets.appendRows(tx, principal, params.id, { sheet: body.sheet, values: body.values }, shown),
    }),
    writes({
      id: 'writeBatch',
      area,
      method: 'POST',
      path: '/v1/spreadsheets/:id/values/batch',
      summary: 'Write several ranges',
      description: `One after the other, all or none. ${MERGING} The role editor is needed.`,
      permissions: ['sheets.values.write'],
      params: BySpreadsheet,
      body: ValuesBatch,
      answer: BatchResult,
      errors: ['forbidden', 'trashed', 'values_exceed_range'],
      check: ({ body }, sent) => batchProblems(body, sent),
      handle: (tx, { principal, params, body }) =>
        spreadsheets.writeBatch(tx, principal, params.id, body.data),
    }),
  ];
}

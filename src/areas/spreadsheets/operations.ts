import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { Tagged } from '../../contract/answers.ts';
import { ApiError } from '../../contract/errors.ts';
import { type Operation, reads, writes, writesJointly } from '../../contract/operation.ts';
import { IfMatch, weighTag } from '../../contract/preconditions.ts';
import {
  batchProblems,
  cellCountProblems,
  nameProblems,
  rangeProblems,
  writeProblems,
} from './reading/range-problems.ts';
import {
  AppendedValues,
  BatchResult,
  ExportQuery,
  NewValues,
  RangeInPath,
  RangeValues,
  ReadQuery,
  Spreadsheet,
  StructureChange,
  StructureResult,
  ValuesBatch,
  WriteResult,
} from './schema.ts';
import type { SpreadsheetsService } from './service.ts';
import type { ShownRows } from './writing/appending.ts';

/** Operations on the cells and sheets of spreadsheets. Creating and sharing spreadsheets are operations of documents. */
export function spreadsheetsOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    ...readingOperations(spreadsheets),
    ...writingOperations(spreadsheets),
    ...structureOperations(spreadsheets),
    ...exportOperations(spreadsheets),
  ];
}

const StateHeader = Type.Object({ 'If-Match': IfMatch });

function structureOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    writes({
      id: 'changeSpreadsheetStructure',
      area: 'Spreadsheets',
      method: 'POST',
      path: '/v1/spreadsheets/:id/structure',
      summary: 'Insert and delete rows, columns and sheets',
      description:
        'One operation after the other, all or none; If-Match carries the state, bare or as the quoted ETag. References in formulas follow, on other sheets too; what they named and is gone becomes #REF!. The role editor is needed.',
      permissions: ['sheets.structure.write'],
      emits: ['spreadsheet.changed'],
      params: BySpreadsheet,
      headers: StateHeader,
      body: StructureChange,
      answer: StructureResult,
      errors: ['forbidden', 'trashed', 'precondition_required', 'state_mismatch'],
      check: (_input, sent) => nameProblems(sent),
      handle: (tx, { principal, params, headers, body }) =>
        spreadsheets.changeStructure(tx, principal, params.id, headers, body.operations),
    }),
  ];
}

function exportOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    reads({
      id: 'exportSpreadsheet',
      area: 'Spreadsheets',
      method: 'GET',
      path: '/v1/spreadsheets/:id/export',
      summary: 'Export a spreadsheet',
      description:
        'As an .xlsx workbook: values, formulas with what they show, number formats, sheet names, and which rows and sheets are hidden. Or what one sheet shows as .csv: ' +
        'UTF-8, commas, CRLF, the same number of fields in each record; of a sheet with over 20 million fields up to its ' +
        'last used row and column, each record ends with its last value instead. Numbers are shown in the number formats that an import gave their cells, dates as dates; ' +
        'all else goes into it as it is. Spreadsheet programs may take a text that begins with ' +
        '"=", "+", "-" or "@" for a formula, so hand cells of people whom you do not trust on as .xlsx, where text is text.',
      permissions: ['sheets.values.read'],
      params: BySpreadsheet,
      query: ExportQuery,
      content: {
        mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'text/csv'],
      },
      errors: ['forbidden', 'calculation_stopped', 'quota_exceeded'],
      prepare: ({ principal, params, query }) =>
        spreadsheets.exportSheets(principal, params.id, {
          format: query.format ?? 'xlsx',
          sheet: query.sheet,
        }),
    }),
  ];
}

const area = 'Spreadsheets';
const MERGING =
  'Writes merge: the last one of each cell counts, none is refused for another, and no precondition is looked at. A ' +
  'block of 32 rows by 8 columns holds at most as much as one write may send.';

function writingOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [writesOfRange(spreadsheets), ...writesOfSeveral(spreadsheets)];
}

function writesOfRange(spreadsheets: SpreadsheetsService): Operation {
  return writesJointly({
    id: 'writeRange',
    area,
    method: 'PUT',
    path: '/v1/spreadsheets/:id/values/:range',
    summary: 'Write a range',
    description: `Overwrites cells from the top left corner of the range on; a single cell takes a block of any size. What the values do not reach stays. ${MERGING} The role editor is needed.`,
    permissions: ['sheets.values.write'],
    emits: ['spreadsheet.changed'],
    params: ByRange,
    body: NewValues,
    answer: WriteResult,
    errors: ['forbidden', 'trashed', 'values_exceed_range'],
    check: ({ params: { range }, body: { values } }) =>
      writeProblems([{ range, values, location: { parameter: 'range' } }], '/values'),
    lock: ({ principal, params }) => spreadsheets.lockOf(principal, params.id),
    handle: (tx, inputs) =>
      spreadsheets.writeRanges(
        tx,
        inputs.map(({ principal, params: { id, range }, body: { values } }) => ({
          user: principal,
          actor: principal,
          id,
          range,
          values,
        })),
      ),
  });
}

function writesOfSeveral(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    writes({
      id: 'appendRows',
      area,
      method: 'POST',
      path: '/v1/spreadsheets/:id/values/append',
      summary: 'Append rows',
      description: `Writes rows below the last one that shows something, from column A on; into the first sheet where none is named. What formulas spill counts, unless they take too long to compute. ${MERGING} The role editor is needed.`,
      permissions: ['sheets.values.write'],
      emits: ['spreadsheet.changed'],
      params: BySpreadsheet,
      body: AppendedValues,
      answer: WriteResult,
      errors: ['forbidden', 'trashed', 'values_exceed_range'],
      check: ({ body: { values = [] } }) => cellCountProblems([values], '/values'),
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
      emits: ['spreadsheet.changed'],
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

const BySpreadsheet = Type.Object({
  id: Type.String({ description: 'The spreadsheet.', examples: ['sht_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
const ByRange = Type.Object({ ...BySpreadsheet.properties, range: RangeInPath });
const IfNoneMatch = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'An ETag: 304 where it still is the state.',
      examples: ['"Yk3tq0oV0z5n1mXo7l2c9A"'],
    }),
  ),
});

function readingOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    reads({
      id: 'getSpreadsheet',
      area,
      method: 'GET',
      path: '/v1/spreadsheets/:id',
      summary: 'Get a spreadsheet',
      description:
        'Its title, its sheets with how far each shows something, and the state token, which is the ETag too. What formulas spill ' +
        'counts, unless they take too long to compute.',
      permissions: ['sheets.values.read'],
      params: BySpreadsheet,
      headers: IfNoneMatch,
      answer: Spreadsheet,
      tagged: true,
      errors: ['forbidden', 'state_mismatch'],
      prepare: async ({ principal, params, headers }) => {
        const { state, data } = await spreadsheets.getSpreadsheet(principal, params.id, isKnown(headers));
        return new Tagged(state, data);
      },
    }),
    reads({
      id: 'readRange',
      area,
      method: 'GET',
      path: '/v1/spreadsheets/:id/values/:range',
      summary: 'Read a range',
      description:
        'The values of its cells, or with render=formula what was written into them. The answer has at most 1,048,576 cells; ' +
        'read what is larger in parts. Where formulas ask for the time or for random numbers, values are always sent anew.',
      permissions: ['sheets.values.read'],
      params: ByRange,
      query: ReadQuery,
      headers: IfNoneMatch,
      answer: RangeValues,
      tagged: true,
      errors: ['forbidden', 'state_mismatch', 'calculation_stopped'],
      check: ({ params }) => rangeProblems(params.range, { parameter: 'range' }),
      prepare: async ({ principal, params: { id, range }, query, headers }) => {
        const wanted = { range, render: query.render ?? 'value' };
        const { state, data } = await spreadsheets.readRange(principal, id, wanted, isKnown(headers));
        return new Tagged(state, data);
      },
    }),
  ];
}

/**
 * Returns a function that tells whether the client has a state already. It throws ApiError state_mismatch if the client
 * requires another state.
 */
function isKnown(headers: Readonly<IncomingHttpHeaders>): (state: string) => boolean {
  return (state) => {
    const verdict = weighTag(headers, `"${state}"`);
    if (verdict !== 'failed') return verdict === 'not modified';
    throw new ApiError('state_mismatch', 'The spreadsheet is not in the state that the request asks for.', {
      state,
    });
  };
}

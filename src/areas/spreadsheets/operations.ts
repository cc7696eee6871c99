import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { Tagged } from '../../contract/answers.ts';
import { ApiError } from '../../contract/errors.ts';
import { type Operation, reads, writes, writesJointly } from '../../contract/operation.ts';
import { IfMatch, weighTag } from '../../contract/preconditions.ts';
import {
  appendProblems,
  batchProblems,
  nameProblems,
  rangeProblems,
  writeProblems,
} from './reading/range-problems.ts';
import { getSpreadsheet, readFormats, readRange } from './reading/read-ranges.ts';
import {
  AppendedValues,
  AppendResult,
  BatchResult,
  ExportQuery,
  NewFormats,
  NewValues,
  RangeFormats,
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
import { changeStructure } from './structure/structure.ts';
import { exportSheets } from './transfer/export-sheets.ts';
import { spreadsheetLock } from './workbook/open-and-save.ts';
import { appendRows, type ShownRows } from './writing/append-rows.ts';
import { checkFormats, writeFormats } from './writing/write-formats.ts';
import { openPerUser, writeBatch, writeRanges } from './writing/write-ranges.ts';

/** Operations on the cells and sheets of spreadsheets. Creating and sharing spreadsheets are operations of documents. */
export function spreadsheetsOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [
    readsSpreadsheet(spreadsheets),
    readsRange(spreadsheets),
    ...writingOperations(spreadsheets),
    ...formatOperations(spreadsheets),
    ...structureOperations(spreadsheets),
    ...exportOperations(spreadsheets),
  ];
}

const StateHeader = Type.Object({ 'If-Match': IfMatch });
const OptionalStateHeader = Type.Object({ 'If-Match': Type.Optional(IfMatch) });

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
        changeStructure(tx, spreadsheets.dependencies, principal, params.id, headers, body.operations),
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
        'As an .xlsx workbook: values, formulas with what they show, number formats, sheets, and what an import has kept beside: hidden ' +
        'sheets, rows and columns, widths, merged cells, notes, links, filters, defined names and frozen panes. Or what one sheet shows as .csv: ' +
        'UTF-8, commas, CRLF, the same number of fields in each record; of a sheet with over 20 million fields up to its ' +
        'last used row and column, each record ends with its last value instead. Values are shown in the number formats of their cells, dates as dates; ' +
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
        exportSheets(spreadsheets.dependencies, principal, params.id, {
          format: query.format ?? 'xlsx',
          sheet: query.sheet,
        }),
    }),
  ];
}

const area = 'Spreadsheets';
const MERGING =
  'Writes merge: the last one of each cell counts, none is refused for another, unless If-Match names a state that is no longer the present one. A ' +
  'block of 32 rows by 8 columns holds at most as much as one write may send.';

function writingOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [writesOfRange(spreadsheets), appending(spreadsheets), writesOfSeveral(spreadsheets)];
}

function writesOfRange(spreadsheets: SpreadsheetsService): Operation {
  return writesJointly({
    id: 'writeRange',
    area,
    method: 'PUT',
    path: '/v1/spreadsheets/:id/values/:range',
    summary: 'Write a range',
    agent: {
      tool: 'write_range',
      title: 'Write cells',
      hint: 'Rows of values; "=…" is a formula, but not with input raw: use that for what others have written.',
      isDestructive: true,
      hasTextOfOthers: true,
    },
    description: `Overwrites cells from the top left corner of the range on; a single cell takes a block of any size. What the values do not reach stays. ${MERGING} The role editor is needed.`,
    permissions: ['sheets.values.write'],
    emits: ['spreadsheet.changed'],
    params: ByRange,
    headers: OptionalStateHeader,
    body: NewValues,
    answer: WriteResult,
    errors: ['forbidden', 'trashed', 'state_mismatch', 'values_exceed_range'],
    check: ({ params: { range }, body: { values } }) =>
      writeProblems([{ range, values, location: { parameter: 'range' } }], '/values'),
    lock: ({ principal, params }) => spreadsheetLock(principal, params.id),
    open: (tx, inputs) =>
      openPerUser(
        tx,
        spreadsheets.dependencies,
        inputs.map(({ principal, params: { id } }) => ({ user: principal, id })),
      ),
    handle: (tx, inputs, openings) =>
      writeRanges(
        tx,
        spreadsheets.dependencies,
        inputs.map(({ principal, params: { id, range }, headers, body: { values, input } }) => ({
          user: principal,
          actor: principal,
          id,
          range,
          values,
          input,
          headers,
        })),
        openings,
      ),
  });
}

function appending(spreadsheets: SpreadsheetsService): Operation {
  return writes({
    id: 'appendRows',
    area,
    method: 'POST',
    path: '/v1/spreadsheets/:id/values/append',
    summary: 'Append rows',
    agent: {
      tool: 'append_rows',
      title: 'Append rows',
      hint: 'Below the last row of a sheet; input raw for what others have written.',
      hasTextOfOthers: true,
    },
    description:
      'Writes rows below the last one that shows something, from column A on, or with columns below the last one that shows something there; into the first sheet where none is named. ' +
      'What formulas spill counts, unless they take too long to compute. An Idempotency-Key is known for a day; a row_key is kept with its row for ever. ' +
      `Send what others have written with input raw: a text of theirs that begins with "=" is a formula else. ${MERGING} The role editor is needed.`,
    permissions: ['sheets.values.write'],
    emits: ['spreadsheet.changed'],
    params: BySpreadsheet,
    headers: OptionalStateHeader,
    body: AppendedValues,
    answer: AppendResult,
    errors: ['forbidden', 'trashed', 'state_mismatch', 'values_exceed_range'],
    check: ({ body }) => appendProblems(body),
    handle: (tx, { principal, params, headers, body }, shown: ShownRows | undefined) =>
      appendRows(
        tx,
        spreadsheets.dependencies,
        principal,
        params.id,
        {
          sheet: body.sheet,
          values: body.values,
          input: body.input,
          columns: body.columns,
          rowKey: body.row_key,
          headers,
        },
        shown,
      ),
  });
}

function writesOfSeveral(spreadsheets: SpreadsheetsService): Operation {
  return writes({
    id: 'writeBatch',
    area,
    method: 'POST',
    path: '/v1/spreadsheets/:id/values/batch',
    summary: 'Write several ranges',
    description: `One after the other, all or none. ${MERGING} The role editor is needed.`,
    permissions: ['sheets.values.write'],
    emits: ['spreadsheet.changed'],
    params: BySpreadsheet,
    headers: OptionalStateHeader,
    body: ValuesBatch,
    answer: BatchResult,
    errors: ['forbidden', 'trashed', 'state_mismatch', 'values_exceed_range'],
    check: ({ body }, sent) => batchProblems(body, sent),
    handle: (tx, { principal, params, headers, body }) =>
      writeBatch(tx, spreadsheets.dependencies, principal, params.id, body.data, {
        input: body.input,
        headers,
      }),
  });
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

function readsSpreadsheet(spreadsheets: SpreadsheetsService): Operation {
  return reads({
    id: 'getSpreadsheet',
    area,
    method: 'GET',
    path: '/v1/spreadsheets/:id',
    summary: 'Get a spreadsheet',
    description:
      'Its title, its sheets with how far each shows something, what its import has left out, and the state token, which is the ETag too. What formulas spill ' +
      'counts, unless they take too long to compute.',
    permissions: ['sheets.values.read'],
    params: BySpreadsheet,
    headers: IfNoneMatch,
    answer: Spreadsheet,
    tagged: true,
    errors: ['forbidden', 'state_mismatch'],
    prepare: async ({ principal, params, headers }) => {
      const { state, data } = await getSpreadsheet(
        spreadsheets.dependencies,
        principal,
        params.id,
        isKnown(headers),
      );
      return new Tagged(state, data);
    },
  });
}

function readsRange(spreadsheets: SpreadsheetsService): Operation {
  return reads({
    id: 'readRange',
    area,
    method: 'GET',
    path: '/v1/spreadsheets/:id/values/:range',
    summary: 'Read a range',
    agent: {
      tool: 'read_range',
      title: 'Read cells',
      hint: 'A range such as A1:C20, A:C or Sheet!A1:B2.',
      hasTextOfOthers: true,
    },
    description:
      'The values of its cells, with render=formula what was written into them, or with render=formatted what they show as texts, by their number formats and in English. The answer has at most 1,048,576 cells; ' +
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
      const { state, data } = await readRange(
        spreadsheets.dependencies,
        principal,
        id,
        wanted,
        isKnown(headers),
      );
      return new Tagged(state, data);
    },
  });
}

function formatOperations(spreadsheets: SpreadsheetsService): Operation[] {
  return [readsFormats(spreadsheets), writesFormats(spreadsheets)];
}

function readsFormats(spreadsheets: SpreadsheetsService): Operation {
  return reads({
    id: 'readFormats',
    area,
    method: 'GET',
    path: '/v1/spreadsheets/:id/formats/:range',
    summary: 'Read number formats',
    description:
      'The number format codes of the cells of a range, null for cells without one. The answer has at most 1,048,576 cells; ' +
      'read what is larger in parts.',
    permissions: ['sheets.values.read'],
    params: ByRange,
    headers: IfNoneMatch,
    answer: RangeFormats,
    tagged: true,
    errors: ['forbidden', 'state_mismatch'],
    check: ({ params }) => rangeProblems(params.range, { parameter: 'range' }),
    prepare: async ({ principal, params: { id, range }, headers }) => {
      const { state, data } = await readFormats(
        spreadsheets.dependencies,
        principal,
        id,
        range,
        isKnown(headers),
      );
      return new Tagged(state, data);
    },
  });
}

function writesFormats(spreadsheets: SpreadsheetsService): Operation {
  return writes({
    id: 'writeFormats',
    area,
    method: 'PUT',
    path: '/v1/spreadsheets/:id/formats/:range',
    summary: 'Set number formats',
    description:
      'Sets the number formats of cells, empty ones too, from the top left corner of the range on; a single cell takes a block of any size. What the formats do not reach stays, null takes a format away. ' +
      'A format changes what a .csv and render=formatted show, and no value. It stays when its cell is written, and moves with rows and columns. ' +
      'Writes merge as those of values do. The role editor is needed.',
    permissions: ['sheets.values.write'],
    emits: ['spreadsheet.changed'],
    params: ByRange,
    headers: OptionalStateHeader,
    body: NewFormats,
    answer: WriteResult,
    errors: ['forbidden', 'trashed', 'state_mismatch', 'values_exceed_range'],
    check: ({ params: { range }, body: { formats } }) =>
      writeProblems([{ range, values: formats, location: { parameter: 'range' } }], '/formats'),
    prepare: ({ body: { formats } }) => checkFormats(formats),
    handle: (tx, { principal, params: { id, range }, headers, body: { formats } }) =>
      writeFormats(tx, spreadsheets.dependencies, principal, id, { range, formats, headers }),
  });
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

import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { Tagged } from '../../../contract/answers.ts';
import { ApiError } from '../../../contract/errors.ts';
import { type Operation, reads } from '../../../contract/operation.ts';
import { weighTag } from '../../../contract/preconditions.ts';
import { RangeInPath, RangeValues, ReadQuery, Spreadsheet } from '../schema.ts';
import type { SpreadsheetsService } from '../service.ts';
import { rangeProblems } from './range-problems.ts';

const area = 'Spreadsheets';
export const BySpreadsheet = Type.Object({
  id: Type.String({ description: 'The spreadsheet.', examples: ['sht_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
});
export const ByRange = Type.Object({ ...BySpreadsheet.properties, range: RangeInPath });
const IfNoneMatch = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'An ETag: 304 where it still is the state.',
      examples: ['"Yk3tq0oV0z5n1mXo7l2c9A"'],
    }),
  ),
});

export function readingOperations(spreadsheets: SpreadsheetsService): Operation[] {
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

/** Whether the client has the state already. Throws ApiError state_mismatch where it wants to see another one only. */
function isKnown(headers: Readonly<IncomingHttpHeaders>): (state: string) => boolean {
  return (state) => {
    const verdict = weighTag(headers, `"${state}"`);
    if (verdict !== 'failed') return verdict === 'not modified';
    throw new ApiError('state_mismatch', 'The spreadsheet is not in the state that the request asks for.', {
      state,
    });
  };
}

import { type Static, Type } from 'typebox';
import { MAX_CODE } from '../../formulas/number-format/tokens.ts';
import { ImportNotes } from '../documents/service.ts';
import { COLUMNS, ROWS } from './cells/a1.ts';
import { LONGEST_SHEET_NAME } from './workbook/workbook.ts';

/** "At most 100,000 cells and 10 MB a write, 50,000 characters a cell." */
export const MAX_CELLS = 100_000;
export const MAX_CHARACTERS = 50_000;
/** The usual limit for entries of a batch. */
const MAX_ENTRIES = 1_000;
/** Characters of the key of a row. */
const LONGEST_ROW_KEY = 255;
/** Limit for structural operations of one request, because each may affect every formula. */
const MAX_OPERATIONS = 100;

export const Cell = Type.Union(
  [
    Type.String({ maxLength: MAX_CHARACTERS }),
    Type.Number(),
    Type.Boolean(),
    Type.Object(
      {
        text: Type.String({
          maxLength: MAX_CHARACTERS,
          description: 'Stored as this text, whatever it begins with; "" deletes the cell.',
          examples: ['=not a formula'],
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        date: Type.String({
          description:
            'A day from 1900-01-01 to 9999-12-31: stored as its serial number, in the format yyyy-mm-dd unless the cell has one for dates.',
          examples: ['2026-11-23'],
        }),
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        datetime: Type.String({
          description:
            'A day and a time: stored as a serial number, in the format yyyy-mm-dd hh:mm:ss unless the cell has one for dates and times. ' +
            'Without an offset it is kept as it is; with one it becomes the time in UTC, because a cell has no time zone.',
          examples: ['2026-11-23T14:30:00'],
        }),
      },
      { additionalProperties: false },
    ),
  ],
  {
    description:
      'A text of at most 50,000 characters, a number or a boolean; or {"text": …}, {"date": …} or {"datetime": …}; null is refused. ' +
      'A text that begins with "=" and goes on is a formula, unless the input is raw. "" deletes the cell.',
    examples: ['Tea', 3.5, '=SUM(B2:B9)', { text: '=text' }, { date: '2026-11-23' }],
  },
);
const Input = Type.Enum(['entered', 'raw'], {
  description:
    'entered (the default): a text that begins with "=" and goes on is a formula. raw: every text is stored as text; ' +
    'send what others have written so, such as the subjects of messages.',
});
const Values = Type.Array(Type.Array(Cell), {
  description: `Rows of cells, at most ${MAX_CELLS} in all. Rows may differ in length; what they do not reach stays.`,
  examples: [
    [
      ['Item', 'Price'],
      ['Tea', 3.5],
      ['Total', '=SUM(B2:B2)'],
    ],
  ],
});

const RANGE_FORMS = "A1, A1:C3, A:C, 2:5, Sheet!A1:B2 or 'My sheet'!A1; the first sheet where none is named.";
const range = (description: string) => Type.String({ description, examples: ['Sheet1!A1:B3'] });
const Range = range(RANGE_FORMS);
export const RangeInPath = range(`${RANGE_FORMS} Percent-encoded.`);
const WrittenRange = range('The block that was written, with the name of its sheet.');
const State = Type.String({
  description: 'The state token: it changes exactly when something stored changed. Send it as If-Match.',
  examples: ['Yk3tq0oV0z5n1mXo7l2c9A'],
});
const Changed = Type.Boolean({ description: 'False when the write stored nothing new.' });
const UpdatedCells = Type.Integer({
  description: 'How many cells hold something else than before.',
  examples: [6],
});
const sheet = (description: string) => Type.String({ description, examples: ['Sheet1'] });
const ThisSheet = sheet('The name of the sheet.');
const NewSheetName = sheet(
  `1 to ${LONGEST_SHEET_NAME} characters, none of [ ] : * ? / \\; unique without regard to case.`,
);

export const NewValues = Type.Object(
  { values: Values, input: Type.Optional(Input) },
  { additionalProperties: false },
);

export const AppendedValues = Type.Object(
  {
    sheet: Type.Optional(sheet('The name of the sheet; the first one when absent.')),
    values: Values,
    input: Type.Optional(Input),
    columns: Type.Optional(
      Type.String({
        description:
          'Whole columns, as A:E: the rows go below the last one that shows something there, from the first of the columns on. All columns count when absent.',
        examples: ['A:E'],
      }),
    ),
    row_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_ROW_KEY,
        description: `A text of at most ${LONGEST_ROW_KEY} characters that is kept with the row for ever: a sheet takes one row for it, and an append with a key that it knows writes nothing and answers where that row is.`,
        examples: ['invoice-4711'],
      }),
    ),
  },
  { additionalProperties: false },
);

export const ValuesBatch = Type.Object(
  {
    data: Type.Array(Type.Object({ range: Range, values: Values }, { additionalProperties: false }), {
      minItems: 1,
      maxItems: MAX_ENTRIES,
      description: 'Written one after the other, all or none.',
    }),
    input: Type.Optional(Input),
  },
  { additionalProperties: false },
);

/** A number format code, or null for none. */
const FormatCode = Type.Union([Type.String({ minLength: 1, maxLength: MAX_CODE }), Type.Null()], {
  description:
    'A number format code of Excel in its English form, such as 0.00%, #,##0.00 or yyyy-mm-dd; null for none, as General.',
});

export const NewFormats = Type.Object(
  {
    formats: Type.Array(Type.Array(FormatCode), {
      description: `Rows of codes, one for each cell, at most ${MAX_CELLS} in all. Rows may differ in length; what they do not reach stays.`,
      examples: [[['yyyy-mm-dd', '0.00%', null]]],
    }),
  },
  { additionalProperties: false },
);

export const WriteResult = Type.Object(
  { range: WrittenRange, updated_cells: UpdatedCells, state: State, changed: Changed },
  { title: 'WrittenRange', additionalProperties: false },
);

export const AppendResult = Type.Object(
  {
    range: Type.Union([WrittenRange, Type.Null()], {
      description:
        'The block that was written, with the name of its sheet. Of a row_key that is known already: where its row is now; null when that row has been deleted.',
      examples: ['Sheet1!A14:E14'],
    }),
    updated_cells: UpdatedCells,
    state: State,
    changed: Changed,
  },
  { title: 'AppendedRows', additionalProperties: false },
);

export const BatchResult = Type.Object(
  {
    results: Type.Array(
      Type.Object({ range: WrittenRange, updated_cells: UpdatedCells }, { additionalProperties: false }),
      { description: 'One for each entry, in order.' },
    ),
    state: State,
    changed: Changed,
  },
  { title: 'WrittenRanges', additionalProperties: false },
);

export const ReadQuery = Type.Object(
  {
    render: Type.Optional(
      Type.Enum(['value', 'formula', 'formatted'], {
        description:
          'What formulas come to (the default), the formulas themselves, or what cells show: texts, numbers by their formats.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const RangeValues = Type.Object(
  {
    range: range('What was read, with the name of its sheet.'),
    values: Type.Array(Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()])), {
      description:
        'Without trailing empty rows and cells; empty cells inside are "". Errors are texts such as #REF!.',
    }),
    state: State,
  },
  { title: 'RangeValues', additionalProperties: false },
);

export const RangeFormats = Type.Object(
  {
    range: range('What was read, with the name of its sheet.'),
    formats: Type.Array(Type.Array(Type.Union([Type.String(), Type.Null()])), {
      description: 'The code of each cell, null for none. Without trailing rows and cells that have none.',
      examples: [[['yyyy-mm-dd', '0.00%'], [], [null, '0.0']]],
    }),
    state: State,
  },
  { title: 'RangeFormats', additionalProperties: false },
);

export const Spreadsheet = Type.Object(
  {
    id: Type.String({ description: 'Names the spreadsheet.', examples: ['sht_01k0qv5m8qe3rsgm9y3f2c7d4x'] }),
    title: Type.String({ description: 'The name that is shown.', examples: ['Budget'] }),
    state: State,
    sheets: Type.Array(
      Type.Object(
        {
          name: ThisSheet,
          rows: Type.Integer({
            description: 'The last row that is used, or that formulas spill into; 0 when none is.',
            examples: [12],
          }),
          columns: Type.Integer({
            description: 'The last column that is used; 0 when none is.',
            examples: [4],
          }),
        },
        { additionalProperties: false },
      ),
      { description: 'In order.' },
    ),
    import_notes: ImportNotes,
  },
  { title: 'SpreadsheetOutline', additionalProperties: false },
);

const KIND = 'What is done.';

const lines = (type: 'rows' | 'columns', most: number) =>
  Type.Object(
    {
      type: Type.Enum([`insert_${type}`, `delete_${type}`] as const, { description: KIND }),
      sheet: ThisSheet,
      start: Type.Integer({
        minimum: 1,
        maximum: most,
        description: `The first of the ${type}, from 1.`,
        examples: [2],
      }),
      count: Type.Integer({ minimum: 1, maximum: most, description: `How many ${type}.`, examples: [3] }),
    },
    { additionalProperties: false },
  );

export const StructureOperation = Type.Union(
  [
    lines('rows', ROWS),
    lines('columns', COLUMNS),
    Type.Object(
      { type: Type.Enum(['add_sheet'] as const, { description: KIND }), sheet: NewSheetName },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        type: Type.Enum(['rename_sheet'] as const, { description: KIND }),
        sheet: ThisSheet,
        name: NewSheetName,
      },
      { additionalProperties: false },
    ),
    Type.Object(
      { type: Type.Enum(['delete_sheet'] as const, { description: KIND }), sheet: ThisSheet },
      { additionalProperties: false },
    ),
  ],
  {
    description:
      '{type: insert_rows, delete_rows, insert_columns or delete_columns; sheet; start (from 1); count}, ' +
      '{type: add_sheet, sheet}, {type: rename_sheet, sheet, name} or {type: delete_sheet, sheet}.',
  },
);

export const StructureChange = Type.Object(
  {
    operations: Type.Array(StructureOperation, {
      minItems: 1,
      maxItems: MAX_OPERATIONS,
      description: 'Done one after the other, all or none.',
    }),
  },
  { additionalProperties: false },
);

export const StructureResult = Type.Object(
  { state: State },
  { title: 'StructureState', additionalProperties: false },
);

export type Cell = Static<typeof Cell>;
export type Input = Static<typeof Input>;
export type ValuesBatch = Static<typeof ValuesBatch>;
export type AppendedValues = Static<typeof AppendedValues>;
export type WriteResult = Static<typeof WriteResult>;
export type AppendResult = Static<typeof AppendResult>;
export type BatchResult = Static<typeof BatchResult>;
export type RangeValues = Static<typeof RangeValues>;
export type Spreadsheet = Static<typeof Spreadsheet>;
export type StructureOperation = Static<typeof StructureOperation>;
export type StructureResult = Static<typeof StructureResult>;

export const ExportQuery = Type.Object(
  {
    format: Type.Optional(Type.Enum(['xlsx', 'csv'], { description: 'Default xlsx.' })),
    sheet: Type.Optional(
      Type.String({
        description:
          'Only this sheet; formulas that refer to others become what they show. Default: all of them as .xlsx, the first as .csv.',
        examples: ['Sheet1'],
      }),
    ),
  },
  { additionalProperties: false },
);

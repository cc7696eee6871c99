import { type Static, Type } from 'typebox';
import { COLUMNS, ROWS } from './cells/a1.ts';
import { LONGEST_SHEET_NAME } from './workbook/workbook.ts';

/** "At most 100,000 cells and 10 MB a write, 50,000 characters a cell." */
export const MAX_CELLS = 100_000;
export const MAX_CHARACTERS = 50_000;
/** The usual limit for entries of a batch. */
const MAX_ENTRIES = 1_000;
/** Limit for structural operations of one request, because each may affect every formula. */
const MAX_OPERATIONS = 100;

export const Cell = Type.Union([Type.String({ maxLength: MAX_CHARACTERS }), Type.Number(), Type.Boolean()], {
  description:
    'A text of at most 50,000 characters, a number or a boolean; null is refused. A text that begins with "=" ' +
    'and goes on is a formula. "" deletes the cell.',
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

export const NewValues = Type.Object({ values: Values }, { additionalProperties: false });

export const AppendedValues = Type.Object(
  { sheet: Type.Optional(sheet('The name of the sheet; the first one when absent.')), values: Values },
  { additionalProperties: false },
);

export const ValuesBatch = Type.Object(
  {
    data: Type.Array(Type.Object({ range: Range, values: Values }, { additionalProperties: false }), {
      minItems: 1,
      maxItems: MAX_ENTRIES,
      description: 'Written one after the other, all or none.',
    }),
  },
  { additionalProperties: false },
);

export const WriteResult = Type.Object(
  { range: WrittenRange, updated_cells: UpdatedCells, state: State, changed: Changed },
  { title: 'WrittenRange', additionalProperties: false },
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
      Type.Enum(['value', 'formula'], {
        description: 'What formulas come to (the default), or the formulas themselves.',
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
export type ValuesBatch = Static<typeof ValuesBatch>;
export type WriteResult = Static<typeof WriteResult>;
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

import { numberOf } from '../conversions.ts';
import { isGrid, isReference } from '../grids.ts';
import { CellError, ERROR, type ErrorCode, type Grid, type Scalar, Union, type Value } from '../values.ts';
import { type CallContext, define, type FormulaFunction } from './function.ts';
import { addressOf } from './lookup/references.ts';

type Facts = (grid: Grid, context: CallContext) => Scalar;

/**
 * The info types of CELL for the first cell of a reference. Formats are not available, so their values are those
 * of an unformatted cell.
 */
const CELL_FACTS: Readonly<Record<string, Facts>> = {
  address: (grid, context) => addressIn(grid, context),
  col: (grid) => (grid.area?.left ?? 0) + 1,
  row: (grid) => (grid.area?.top ?? 0) + 1,
  contents: (grid) => grid.at(0, 0) ?? 0,
  type: (grid) => kindOf(grid.at(0, 0)),
  filename: (grid, context) => `[Workbook]${context.sheets[grid.area?.sheet ?? 0] ?? ''}`,
  color: () => 0,
  format: () => 'G',
  parentheses: () => 0,
  prefix: () => '',
  protect: () => 1,
  width: () => 8,
};

const CELL = define(
  'CELL',
  ['text', 'any'],
  ([wanted, given], context) => {
    const facts = CELL_FACTS[wanted.toLowerCase()];
    const grid = given === undefined ? ownCell(context) : given;
    if (facts === undefined || !isReference(grid)) return ERROR['#VALUE!'];
    return facts(grid, context);
  },
  { required: 1, volatile: true, takesErrors: true },
);

function ownCell(context: CallContext): Grid {
  const { sheet, row, column } = context.cell;
  return context.reference({ sheet, top: row, left: column, bottom: row, right: column });
}

/** With the sheet, unless it is the formula's own. */
function addressIn({ area }: Grid, context: CallContext): string {
  const { sheet, top, left } = area ?? { sheet: 0, top: 0, left: 0 };
  return addressOf(top + 1, left + 1, sheet === context.cell.sheet ? undefined : context.sheets[sheet]);
}

function kindOf(value: Scalar): string {
  if (value === null) return 'b';
  return typeof value === 'string' ? 'l' : 'v';
}

/** The info types of INFO: constants of the emulated program, and nothing about the server. */
const SYSTEM_FACTS: Readonly<Record<string, Scalar>> = {
  directory: '/',
  numfile: 1,
  origin: '$A:$A$1',
  osversion: 'Windows (32-bit) NT 10.00',
  recalc: 'Automatic',
  release: '16.0',
  system: 'pcdos',
};

const INFO = define('INFO', ['text'], ([wanted]) => {
  return SYSTEM_FACTS[wanted.toLowerCase()] ?? ERROR['#VALUE!'];
});

const ERROR_NUMBERS: Partial<Record<ErrorCode, number>> = {
  '#NULL!': 1,
  '#DIV/0!': 2,
  '#VALUE!': 3,
  '#REF!': 4,
  '#NAME?': 5,
  '#NUM!': 6,
  '#N/A': 7,
  '#SPILL!': 9,
  '#CALC!': 14,
};

const ERROR_TYPE = define(
  'ERROR.TYPE',
  ['scalar'],
  ([value]) => (value instanceof CellError ? ERROR_NUMBERS[value.code] : undefined) ?? ERROR['#N/A'],
  { takesErrors: true },
);

const TYPE = define('TYPE', ['any'], ([value]) => typeNumber(value), { takesErrors: true });

function typeNumber(value: Value): number {
  if (value instanceof CellError || value instanceof Union) return 16;
  if (isGrid(value)) return value.rows === 1 && value.columns === 1 ? typeNumber(value.at(0, 0)) : 64;
  if (typeof value === 'string') return 2;
  return typeof value === 'boolean' ? 4 : 1;
}

const N = define('N', ['scalar'], ([value]) => {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' ? value : 0;
});

const NA = define('NA', [], () => ERROR['#N/A']);

const ISFORMULA = define(
  'ISFORMULA',
  ['any'],
  ([given], context) => {
    if (!isGrid(given) || !given.area) return ERROR['#VALUE!'];
    const { sheet, top, left } = given.area;
    return context.formula(sheet, top, left) !== undefined;
  },
  { takesErrors: true },
);

/** Defines a test of one value, which may be an error. */
function valueTest(name: string, test: (value: Scalar) => boolean) {
  return define(name, ['scalar'], ([value]) => test(value), { takesErrors: true });
}

const ISBLANK = valueTest('ISBLANK', (value) => value === null);
const ISERROR = valueTest('ISERROR', (value) => value instanceof CellError);
const ISERR = valueTest('ISERR', (value) => value instanceof CellError && value !== ERROR['#N/A']);
const ISNA = valueTest('ISNA', (value) => value === ERROR['#N/A']);
const ISLOGICAL = valueTest('ISLOGICAL', (value) => typeof value === 'boolean');
const ISNUMBER = valueTest('ISNUMBER', (value) => typeof value === 'number');
const ISTEXT = valueTest('ISTEXT', (value) => typeof value === 'string');
const ISNONTEXT = valueTest('ISNONTEXT', (value) => typeof value !== 'string');

const ISEVEN = define('ISEVEN', ['scalar'], ([value]) => parity(value, 0));

const ISODD = define('ISODD', ['scalar'], ([value]) => parity(value, 1));

/** Logicals are no numbers here, unlike elsewhere. */
function parity(value: Scalar, wanted: 0 | 1): Scalar {
  if (typeof value === 'boolean') return ERROR['#VALUE!'];
  const number = numberOf(value);
  return number instanceof CellError ? number : Math.abs(Math.trunc(number)) % 2 === wanted;
}

/** Functions that inspect values and cells. */
export const INFORMATION_FUNCTIONS: readonly FormulaFunction[] = [
  CELL,
  ERROR_TYPE,
  INFO,
  ISBLANK,
  ISERR,
  ISERROR,
  ISEVEN,
  ISFORMULA,
  ISLOGICAL,
  ISNA,
  ISNONTEXT,
  ISNUMBER,
  ISODD,
  ISTEXT,
  N,
  NA,
  TYPE,
];

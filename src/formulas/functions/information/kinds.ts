import { isGrid } from '../../grids.ts';
import { CellError, ERROR, type ErrorCode, Union, type Value } from '../../values.ts';
import { define } from '../define.ts';

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

export const ERROR_TYPE = define(
  'ERROR.TYPE',
  ['scalar'],
  ([value]) => (value instanceof CellError ? ERROR_NUMBERS[value.code] : undefined) ?? ERROR['#N/A'],
  { takesErrors: true },
);

export const TYPE = define('TYPE', ['any'], ([value]) => typeNumber(value), { takesErrors: true });

function typeNumber(value: Value): number {
  if (value instanceof CellError || value instanceof Union) return 16;
  if (isGrid(value)) return value.rows === 1 && value.columns === 1 ? typeNumber(value.at(0, 0)) : 64;
  if (typeof value === 'string') return 2;
  return typeof value === 'boolean' ? 4 : 1;
}

export const N = define('N', ['scalar'], ([value]) => {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' ? value : 0;
});

export const NA = define('NA', [], () => ERROR['#N/A']);

export const ISFORMULA = define(
  'ISFORMULA',
  ['any'],
  ([given], context) => {
    if (!isGrid(given) || !given.area) return ERROR['#VALUE!'];
    const { sheet, top, left } = given.area;
    return context.formula(sheet, top, left) !== undefined;
  },
  { takesErrors: true },
);

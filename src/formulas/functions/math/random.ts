import { makeGrid } from '../../grids.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../../limits.ts';
import { CellError, ERROR, type Value } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { numberOr } from '../numbers.ts';

function randomWhole(low: number, high: number, context: CallContext): number | CellError {
  const [least, most] = [Math.ceil(low), Math.floor(high)];
  return most < least ? ERROR['#NUM!'] : least + Math.floor(context.random() * (most - least + 1));
}

/** The requested size of an array; an error when it is empty or exceeds a sheet. */
function sizeOf(rows: number, columns: number, context: CallContext): readonly [number, number] | CellError {
  const [height, width] = [Math.trunc(rows), Math.trunc(columns)];
  if (height < 0 || width < 0 || height > MAX_ROWS || width > MAX_COLUMNS) return ERROR['#VALUE!'];
  if (height === 0 || width === 0) return ERROR['#CALC!'];
  context.spend(height * width);
  return [height, width];
}

function isError<T>(value: T | CellError): value is CellError {
  return !Array.isArray(value);
}

function sequence(rows: number, columns: number, start: number, step: number, context: CallContext): Value {
  const size = sizeOf(rows, columns, context);
  if (isError(size)) return size;
  const [height, width] = size;
  return makeGrid(
    { rows: height, columns: width },
    (row, column) => start + (row * width + column) * step,
    context.spend,
  );
}

function randomArray(
  size: readonly [number, number] | CellError,
  low: number,
  high: number,
  whole: boolean,
  context: CallContext,
): Value {
  if (isError(size)) return size;
  if (low > high || (whole && !(Number.isInteger(low) && Number.isInteger(high)))) return ERROR['#VALUE!'];
  const [rows, columns] = size;
  return makeGrid(
    { rows, columns },
    () => (whole ? randomWhole(low, high, context) : low + context.random() * (high - low)),
    context.spend,
  );
}

export const RANDOM = [
  define('RAND', [], (_, context) => context.random(), { volatile: true }),
  define('RANDBETWEEN', ['number', 'number'], ([low, high], context) => randomWhole(low, high, context), {
    volatile: true,
  }),
  define(
    'RANDARRAY',
    ['scalar', 'scalar', 'scalar', 'scalar', 'logical'],
    ([rows, columns, least, most, whole = false], context) => {
      const given = [numberOr(rows, 1), numberOr(columns, 1), numberOr(least, 0), numberOr(most, 1)];
      const wrong = given.find((value) => value instanceof CellError);
      if (wrong instanceof CellError) return wrong;
      const [height, width, low, high] = given.map(Number) as [number, number, number, number];
      return randomArray(sizeOf(height, width, context), low, high, whole, context);
    },
    { required: 0, volatile: true },
  ),
  define(
    'SEQUENCE',
    ['scalar', 'scalar', 'scalar', 'scalar'],
    (given, context) => {
      const numbers = [0, 1, 2, 3].map((place) => numberOr(given[place], 1));
      const wrong = numbers.find((value) => value instanceof CellError);
      if (wrong instanceof CellError) return wrong;
      const [rows, columns, start, step] = numbers.map(Number) as [number, number, number, number];
      return sequence(rows, columns, start, step, context);
    },
    { required: 1 },
  ),
];

import { makeGrid } from '../../grids.ts';
import { type CellError, ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';

function randomWhole(low: number, high: number, context: CallContext): number | CellError {
  const [least, most] = [Math.ceil(low), Math.floor(high)];
  return most < least ? ERROR['#NUM!'] : least + Math.floor(context.random() * (most - least + 1));
}

/** The size of an array that is asked for, each side at least 1; an error when it has none, or does not fit a sheet. */
function sizeOf(rows: number, columns: number, context: CallContext): readonly [number, number] | CellError {
  const [height, width] = [Math.trunc(rows), Math.trunc(columns)];
  if (height < 0 || width < 0 || height > 1_048_576 || width > 16_384) return ERROR['#VALUE!'];
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
  return makeGrid(height, width, (row, column) => start + (row * width + column) * step);
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
  return makeGrid(size[0], size[1], () =>
    whole ? randomWhole(low, high, context) : low + context.random() * (high - low),
  );
}

export const RANDOM = [
  define('RAND', [], (_, context) => context.random(), { volatile: true }),
  define('RANDBETWEEN', ['number', 'number'], ([low, high], context) => randomWhole(low, high, context), {
    volatile: true,
  }),
  define(
    'RANDARRAY',
    ['number', 'number', 'number', 'number', 'logical'],
    ([rows = 1, columns = 1, low = 0, high = 1, whole = false], context) =>
      randomArray(sizeOf(rows, columns, context), low, high, whole, context),
    { required: 0, volatile: true },
  ),
  define(
    'SEQUENCE',
    ['number', 'number', 'number', 'number'],
    ([rows, columns = 1, start = 1, step = 1], context) => sequence(rows, columns, start, step, context),
    { required: 1 },
  ),
];

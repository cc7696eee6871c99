import { numberOf } from '../../conversions.ts';
import { CellError, ERROR, type Scalar } from '../../values.ts';
import { define } from '../define.ts';

/** A question about one value, which may be an error. */
function question(name: string, test: (value: Scalar) => boolean) {
  return define(name, ['scalar'], ([value]) => test(value), { takesErrors: true });
}

export const ISBLANK = question('ISBLANK', (value) => value === null);
export const ISERROR = question('ISERROR', (value) => value instanceof CellError);
export const ISERR = question('ISERR', (value) => value instanceof CellError && value !== ERROR['#N/A']);
export const ISNA = question('ISNA', (value) => value === ERROR['#N/A']);
export const ISLOGICAL = question('ISLOGICAL', (value) => typeof value === 'boolean');
export const ISNUMBER = question('ISNUMBER', (value) => typeof value === 'number');
export const ISTEXT = question('ISTEXT', (value) => typeof value === 'string');
export const ISNONTEXT = question('ISNONTEXT', (value) => typeof value !== 'string');

export const ISEVEN = define('ISEVEN', ['scalar'], ([value]) => parity(value, 0));

export const ISODD = define('ISODD', ['scalar'], ([value]) => parity(value, 1));

/** Logicals are no numbers here, unlike elsewhere. */
function parity(value: Scalar, wanted: 0 | 1): Scalar {
  if (typeof value === 'boolean') return ERROR['#VALUE!'];
  const number = numberOf(value);
  return number instanceof CellError ? number : Math.abs(Math.trunc(number)) % 2 === wanted;
}

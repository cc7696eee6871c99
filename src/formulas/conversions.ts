import { decimal, numberOfText } from './number-text.ts';
import { CellError, ERROR, type Scalar } from './values.ts';

/** Texts are cut off nowhere: one that is longer is #VALUE!, as in Excel. */
export const MAX_TEXT = 32_767;

/** A number as Excel keeps it: what is too large is #NUM!, and there is no -0. */
export function finite(value: number): number | CellError {
  if (value === 0) return 0;
  return Number.isFinite(value) ? value : ERROR['#NUM!'];
}

/** A value as a number: of an empty one 0, of a text the number, per cent, date or time that it spells, or else #VALUE!. */
export function numberOf(value: Scalar): number | CellError {
  if (typeof value === 'number') return value;
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof CellError) return value;
  return numberOfText(value) ?? ERROR['#VALUE!'];
}

/** A value as text: numbers in the General format with 15 digits, TRUE and FALSE, of an empty value "". */
export function textOf(value: Scalar): string | CellError {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return generalText(value);
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value;
}

/** A value as a logical: of a number whether it is not 0, of a text TRUE or FALSE in any case, or else #VALUE!. */
export function logicalOf(value: Scalar): boolean | CellError {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  if (value === null) return false;
  if (value instanceof CellError) return value;
  const word = value.toUpperCase();
  if (word === 'TRUE') return true;
  return word === 'FALSE' ? false : ERROR['#VALUE!'];
}

/** A number in the General format, as & joins it: 15 significant digits, an exponent only where digits alone were longer than 20. */
export function generalText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value === 0 ? 0 : value);
  const { sign, digits, exponent } = decimal(value);
  if (exponent >= 0 && exponent <= 20) return sign + placed(digits, exponent);
  if (exponent < 0 && digits.length - exponent <= 20) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${sign}${digits[0]}${fraction}E${exponent < 0 ? '-' : '+'}${size}`;
}

function placed(digits: string, exponent: number): string {
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

import { decimal, numberOfText } from './number-text.ts';
import { CellError, ERROR, type Scalar } from './values.ts';

/** Texts are never truncated: a longer one is #VALUE!, as in Excel. */
export const MAX_TEXT = 32_767;

/** A number as in Excel: infinite becomes #NUM!, -0 becomes 0. */
export function finiteOrError(value: number): number | CellError {
  if (value === 0) return 0;
  return Number.isFinite(value) ? value : ERROR['#NUM!'];
}

/**
 * Converts to a number: an empty value is 0; a text is the number, percentage, date or time that it contains, else
 * #VALUE!.
 */
export function numberOf(value: Scalar): number | CellError {
  if (typeof value === 'number') return value;
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof CellError) return value;
  return numberOfText(value) ?? ERROR['#VALUE!'];
}

/** Converts to text: numbers in the General format with 15 digits, logicals as TRUE and FALSE, an empty value as "". */
export function textOf(value: Scalar): string | CellError {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return generalText(value);
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value;
}

/** Converts to a logical: a number is TRUE unless 0; a text is TRUE or FALSE in any case, else #VALUE!. */
export function logicalOf(value: Scalar): boolean | CellError {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  if (value === null) return false;
  if (value instanceof CellError) return value;
  const word = value.toUpperCase();
  if (word === 'TRUE') return true;
  return word === 'FALSE' ? false : ERROR['#VALUE!'];
}

/**
 * A number in the General format, as `&` joins it: 15 significant digits, an exponent only where plain digits
 * would exceed 20.
 */
export function generalText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value === 0 ? 0 : value);
  const { sign, digits, exponent } = decimal(value);
  if (exponent >= 0 && exponent <= 20) return sign + withDecimalPoint(digits, exponent);
  if (exponent < 0 && digits.length - exponent <= 20) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${sign}${digits[0]}${fraction}E${exponent < 0 ? '-' : '+'}${size}`;
}

function withDecimalPoint(digits: string, exponent: number): string {
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

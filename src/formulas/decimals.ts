import { withoutTrailing } from '../text/trailing.ts';

/** Excel keeps, shows and compares 15 significant digits. */
const DIGITS = 15;

/** A number as its sign, its significant digits without zeros at the end, and the power of ten of the first digit. */
export function decimal(value: number): { sign: '' | '-'; digits: string; exponent: number } {
  const [mantissa = '0', exponent = '0'] = Math.abs(value)
    .toExponential(DIGITS - 1)
    .split('e');
  const digits = withoutTrailing(mantissa.replace('.', ''), '0');
  return { sign: value < 0 ? '-' : '', digits: digits === '' ? '0' : digits, exponent: Number(exponent) };
}

/** A number rounded to the 15 significant digits that Excel compares. */
export function significant(value: number): number {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value : Number(value.toPrecision(DIGITS));
}

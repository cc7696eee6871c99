import { withoutTrailing } from '../../text/trailing.ts';
import { decimal } from '../decimals.ts';
import { roundedDigits } from './digits.ts';

/** How many characters, without the sign, a number in the General format has at most. */
const WIDTH = 11;
const SCIENTIFIC_DECIMALS = 5;

/** A number without its sign in the General format, as it is shown in a cell that is wide enough. */
export function generalNumber(value: number): string {
  const { digits, exponent } = decimal(value);
  const decimals = exponent >= 0 ? WIDTH - 2 - exponent : WIDTH - 2;
  const tooSmall = exponent < -4 && digits.length - 1 - exponent > decimals;
  if (digits === '0') return '0';
  if (exponent >= WIDTH || tooSmall) return scientific(value, exponent);
  const { whole, fraction } = roundedDigits(value, Math.max(decimals, 0));
  const tail = withoutTrailing(fraction, '0');
  return (whole || '0') + (tail === '' ? '' : `.${tail}`);
}

function scientific(value: number, exponent: number): string {
  const { whole, fraction } = roundedDigits(value, SCIENTIFIC_DECIMALS, -exponent);
  const power = whole.length > 1 ? exponent + 1 : exponent;
  const tail = withoutTrailing(fraction, '0');
  const mantissa = whole.charAt(0) + (tail === '' ? '' : `.${tail}`);
  return `${mantissa}E${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

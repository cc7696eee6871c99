import { type CellError, ERROR } from '../../values.ts';
import { define } from '../define.ts';
import { numeric } from '../numeric.ts';

function power(base: number, exponent: number): number | CellError {
  if (base === 0 && exponent < 0) return ERROR['#DIV/0!'];
  return base === 0 && exponent === 0 ? ERROR['#NUM!'] : base ** exponent;
}

/** The remainder has the sign of the divisor. */
function mod(dividend: number, divisor: number): number | CellError {
  if (divisor === 0) return ERROR['#DIV/0!'];
  const remainder = dividend % divisor;
  return remainder !== 0 && remainder < 0 !== divisor < 0 ? remainder + divisor : remainder;
}

function logarithm(value: number, base = 10): number | CellError {
  if (value <= 0 || base <= 0) return ERROR['#NUM!'];
  if (base === 1) return ERROR['#DIV/0!'];
  if (base === 10) return Math.log10(value);
  return base === 2 ? Math.log2(value) : Math.log(value) / Math.log(base);
}

export const ELEMENTARY = [
  define('PI', [], () => Math.PI),
  numeric('ABS', 1, 1, Math.abs),
  numeric('SIGN', 1, 1, Math.sign),
  numeric('EXP', 1, 1, Math.exp),
  numeric('LN', 1, 1, (value) => (value > 0 ? Math.log(value) : ERROR['#NUM!'])),
  numeric('LOG10', 1, 1, (value) => (value > 0 ? Math.log10(value) : ERROR['#NUM!'])),
  numeric('LOG', 1, 2, logarithm),
  numeric('SQRT', 1, 1, Math.sqrt),
  numeric('SQRTPI', 1, 1, (value) => Math.sqrt(value * Math.PI)),
  numeric('POWER', 2, 2, power),
  numeric('MOD', 2, 2, mod),
  numeric('QUOTIENT', 2, 2, (dividend, divisor) =>
    divisor === 0 ? ERROR['#DIV/0!'] : Math.trunc(dividend / divisor),
  ),
];

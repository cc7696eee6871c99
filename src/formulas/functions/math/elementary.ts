import { type CellError, ERROR } from '../../values.ts';
import { define, type FormulaFunction } from '../function.ts';
import { numeric } from '../numbers.ts';

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

/** For larger angles a number has no digits left within one revolution. */
const LARGEST_ANGLE = 2 ** 27;

function ofAngle(name: string, compute: (angle: number) => number): FormulaFunction {
  return numeric(name, 1, 1, (angle) => (Math.abs(angle) >= LARGEST_ANGLE ? ERROR['#NUM!'] : compute(angle)));
}

/** The error of π/2 in Excel, which rounds it to 64 bits. */
const QUARTER_EXCESS = 2.50828e-20;

/** The cosine as in Excel, which differs near its zeros. */
function cosine(angle: number): number {
  const quarters = Math.round(angle / (Math.PI / 2));
  return Math.cos(angle) + quarters * QUARTER_EXCESS * Math.sin(angle);
}

function tangent(angle: number): number {
  const nearPole = Math.abs(Math.cos(angle)) < 1e-9;
  return nearPole ? Math.sin(angle) / cosine(angle) : Math.tan(angle);
}

/** The reciprocal of a function; #DIV/0! for 0. */
function inverseOf(compute: (x: number) => number): (x: number) => number | CellError {
  return (x) => {
    const value = compute(x);
    return value === 0 ? ERROR['#DIV/0!'] : 1 / value;
  };
}

function ofAngleInverse(name: string, compute: (angle: number) => number): FormulaFunction {
  const inverse = inverseOf(compute);
  return numeric(name, 1, 1, (angle) => (Math.abs(angle) >= LARGEST_ANGLE ? ERROR['#NUM!'] : inverse(angle)));
}

export const TRIGONOMETRY = [
  ofAngle('SIN', Math.sin),
  ofAngle('COS', cosine),
  ofAngle('TAN', tangent),
  ofAngleInverse('CSC', Math.sin),
  ofAngleInverse('SEC', cosine),
  ofAngleInverse('COT', tangent),
  numeric('ASIN', 1, 1, Math.asin),
  numeric('ACOS', 1, 1, Math.acos),
  numeric('ATAN', 1, 1, Math.atan),
  numeric('ATAN2', 2, 2, (x, y) => (x === 0 && y === 0 ? ERROR['#DIV/0!'] : Math.atan2(y, x))),
  numeric('ACOT', 1, 1, (x) => Math.PI / 2 - Math.atan(x)),
  numeric('SINH', 1, 1, Math.sinh),
  numeric('COSH', 1, 1, Math.cosh),
  numeric('TANH', 1, 1, Math.tanh),
  numeric('CSCH', 1, 1, inverseOf(Math.sinh)),
  numeric('SECH', 1, 1, inverseOf(Math.cosh)),
  numeric('COTH', 1, 1, inverseOf(Math.tanh)),
  numeric('ASINH', 1, 1, Math.asinh),
  numeric('ACOSH', 1, 1, Math.acosh),
  numeric('ATANH', 1, 1, Math.atanh),
  numeric('ACOTH', 1, 1, (x) => Math.atanh(1 / x)),
  numeric('DEGREES', 1, 1, (angle) => (angle * 180) / Math.PI),
  numeric('RADIANS', 1, 1, (degrees) => (degrees * Math.PI) / 180),
];

import { type CellError, ERROR } from '../../values.ts';
import type { FormulaFunction } from '../function.ts';
import { numeric } from '../numeric.ts';

/** Larger angles hold no digit of a turn any more. */
const LARGEST_ANGLE = 2 ** 27;

function ofAngle(name: string, compute: (angle: number) => number): FormulaFunction {
  return numeric(name, 1, 1, (angle) => (Math.abs(angle) >= LARGEST_ANGLE ? ERROR['#NUM!'] : compute(angle)));
}

/** By how much a quarter of a turn is too long in Excel, which rounds it to 64 bits. */
const QUARTER_EXCESS = 2.50828e-20;

/** The cosine as Excel has it, which differs where it is all but 0. */
function cosine(angle: number): number {
  const quarters = Math.round(angle / (Math.PI / 2));
  return Math.cos(angle) + quarters * QUARTER_EXCESS * Math.sin(angle);
}

function tangent(angle: number): number {
  const nearPole = Math.abs(Math.cos(angle)) < 1e-9;
  return nearPole ? Math.sin(angle) / cosine(angle) : Math.tan(angle);
}

/** One over a function; #DIV/0! where that is 0. */
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

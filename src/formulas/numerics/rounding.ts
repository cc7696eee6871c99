import { decimal, roundToSignificant } from '../number-text.ts';

/** Rounds an unsigned number to an integer. */
type Whole = (magnitude: number) => number;

/** Rounds to so many decimals, based on the 15 displayed digits: 1.005 to 2 decimals is 1.01. */
export function roundTo(value: number, decimals: number): number {
  return shift(value, decimals, Math.round);
}

/** Rounds away from zero to so many decimals. */
export function roundUp(value: number, decimals: number): number {
  return shift(value, decimals, Math.ceil);
}

/** Truncates to so many decimals. */
export function roundDown(value: number, decimals: number): number {
  return shift(value, decimals, Math.floor);
}

/** A quotient without rounding noise after its 15th digit: 0.3 / 0.1 is 3. */
export function cleanQuotient(dividend: number, divisor: number): number {
  return roundToSignificant(dividend / divisor);
}

/** A multiple of a step without rounding noise after its 15th digit: 3 times 0.1 is 0.3. */
export function cleanMultiple(times: number, step: number): number {
  return roundToSignificant(times * step);
}

/** Shifts the point in the decimal text: multiplication by a power of ten would round once more. */
function shift(value: number, decimals: number, whole: Whole): number {
  const places = Math.trunc(decimals);
  const { sign, digits, exponent } = decimal(value);
  const last = exponent - digits.length + 1;
  if (value === 0 || last + places >= 0) return value;
  if (exponent + places < -400) return 0 * whole(0);
  const magnitude = whole(Number(`${digits}e${last + places}`));
  const rounded = Number(`${magnitude}e${-places}`);
  return sign === '-' ? -rounded : rounded;
}

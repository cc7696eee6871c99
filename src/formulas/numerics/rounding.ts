import { decimal, significant } from '../number-text.ts';

/** Takes a number without a sign to a whole one. */
type Whole = (magnitude: number) => number;

/** Rounds to so many decimals, as the 15 digits that a cell shows read: 1.005 to 2 decimals is 1.01. */
export function roundTo(value: number, decimals: number): number {
  return shift(value, decimals, Math.round);
}

/** Rounds away from zero to so many decimals. */
export function roundUp(value: number, decimals: number): number {
  return shift(value, decimals, Math.ceil);
}

/** Cuts off what is behind so many decimals. */
export function roundDown(value: number, decimals: number): number {
  return shift(value, decimals, Math.floor);
}

/** A quotient without the noise behind its 15th digit: 0.3 / 0.1 is 3. */
export function cleanQuotient(dividend: number, divisor: number): number {
  return significant(dividend / divisor);
}

/** A multiple of a step without the noise behind its 15th digit: 3 times 0.1 is 0.3. */
export function cleanMultiple(times: number, step: number): number {
  return significant(times * step);
}

/** The point moves in the decimal text: to multiply by a power of ten would round once more. */
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

import { logicalOf, numberOf, textOf } from '../conversions.ts';
import type { CellError, Scalar } from '../values.ts';

/** A number that may be left out, by its place or by nothing between two commas: then the other one. */
export function numberOr(given: Scalar | undefined, otherwise: number): number | CellError {
  return given === undefined || given === null ? otherwise : numberOf(given);
}

/** A number that may be left out in the same way, without its fraction. */
export function wholeOr(given: Scalar | undefined, otherwise: number): number | CellError {
  const number = numberOr(given, otherwise);
  return typeof number === 'number' ? Math.trunc(number) : number;
}

/** A logical that may be left out, by its place or by nothing between two commas: then the other one. */
export function logicalOr(given: Scalar | undefined, otherwise: boolean): boolean | CellError {
  return given === undefined || given === null ? otherwise : logicalOf(given);
}

/** A text that may be left out, by its place or by nothing between two commas: then the other one. */
export function textOr(given: Scalar | undefined, otherwise: string): string | CellError {
  return given === undefined || given === null ? otherwise : textOf(given);
}

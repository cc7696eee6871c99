import { finiteOrError, MAX_TEXT, numberOf, textOf } from './conversions.ts';
import { roundToSignificant } from './number-text.ts';
import { CellError, ERROR, type Scalar } from './values.ts';

type Comparable = Exclude<Scalar, CellError>;

const COLLATOR = new Intl.Collator('en', { sensitivity: 'accent' });

/**
 * The order of values in Excel: numbers before texts before logicals; numbers compare by 15 digits, texts
 * case-insensitively; an empty value counts as 0, "" or FALSE, by the type of the other value.
 */
export function compareValues(a: Comparable, b: Comparable): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b);
  const left = a ?? emptyLike(b);
  const right = b ?? emptyLike(a);
  if (typeof left !== typeof right) return rank(left) - rank(right);
  if (typeof left === 'string') return compareTexts(left, right as string);
  return compareNumbers(Number(left), Number(right));
}

function compareNumbers(a: number, b: number): number {
  if (a === b) return 0;
  const left = roundToSignificant(a);
  const right = roundToSignificant(b);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Compares texts in Excel's order, case-insensitively. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : COLLATOR.compare(a, b);
}

/**
 * Folds the case of a text for lookups and keeps its length: a text that would become longer, such as "İ", stays
 * unchanged.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function emptyLike(other: Comparable): number | string | boolean {
  if (typeof other === 'string') return '';
  return typeof other === 'boolean' ? false : 0;
}

function rank(value: number | string | boolean): number {
  if (typeof value === 'number') return 0;
  return typeof value === 'string' ? 1 : 2;
}

/** An operator on two single values; an error on the left takes precedence over one on the right. */
export type BinaryOperator = (left: Scalar, right: Scalar) => Scalar;
type UnaryOperator = (value: Scalar) => Scalar;

/** Relative size below which Excel rounds a sum to 0: the rest is rounding noise of binary fractions. */
const NOISE = 2 ** -50;

function arithmetic(compute: (left: number, right: number) => number | CellError): BinaryOperator {
  return (left, right) => {
    const a = typeof left === 'number' ? left : numberOf(left);
    if (a instanceof CellError) return a;
    const b = typeof right === 'number' ? right : numberOf(right);
    if (b instanceof CellError) return b;
    const result = compute(a, b);
    return typeof result === 'number' ? finiteOrError(result) : result;
  };
}

function sum(a: number, b: number): number {
  const result = a + b;
  return Math.abs(result) < Math.abs(a) * NOISE ? 0 : result;
}

/**
 * 0^0 is #NUM! in Excel. A negative base with a fractional exponent has no result, as in (-8)^(1/3), although
 * other programs return a real root.
 */
function power(base: number, exponent: number): number | CellError {
  if (base === 0 && exponent === 0) return ERROR['#NUM!'];
  if (base === 0 && exponent < 0) return ERROR['#DIV/0!'];
  return base ** exponent;
}

function comparison(holds: (order: number) => boolean): BinaryOperator {
  return (left, right) => {
    if (left instanceof CellError) return left;
    if (right instanceof CellError) return right;
    return holds(compareValues(left, right));
  };
}

function join(left: Scalar, right: Scalar): Scalar {
  const a = textOf(left);
  if (a instanceof CellError) return a;
  const b = textOf(right);
  if (b instanceof CellError) return b;
  return a.length + b.length > MAX_TEXT ? ERROR['#VALUE!'] : a + b;
}

export const BINARY: Readonly<Record<string, BinaryOperator>> = {
  '+': arithmetic(sum),
  '-': arithmetic((a, b) => sum(a, -b)),
  '*': arithmetic((a, b) => a * b),
  '/': arithmetic((a, b) => (b === 0 ? ERROR['#DIV/0!'] : a / b)),
  '^': arithmetic(power),
  '&': join,
  '=': comparison((order) => order === 0),
  '<>': comparison((order) => order !== 0),
  '<': comparison((order) => order < 0),
  '>': comparison((order) => order > 0),
  '<=': comparison((order) => order <= 0),
  '>=': comparison((order) => order >= 0),
};

function numericOperator(compute: (value: number) => number): UnaryOperator {
  return (value) => {
    const number = numberOf(value);
    return number instanceof CellError ? number : finiteOrError(compute(number));
  };
}

/** A plus sign leaves even a text unchanged. */
export const UNARY: Readonly<Record<string, UnaryOperator>> = {
  '+': (value) => value,
  '-': numericOperator((value) => -value),
  '%': numericOperator((value) => value / 100),
};

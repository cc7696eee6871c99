import { significant } from './decimals.ts';
import type { CellError, Scalar } from './values.ts';

type Comparable = Exclude<Scalar, CellError>;

const COLLATOR = new Intl.Collator('en', { sensitivity: 'accent' });

/**
 * The order of values in Excel: numbers before texts before logicals; numbers by 15 digits, texts without regard to
 * case; an empty value as the 0, "" or FALSE of what it is compared with.
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
  const left = significant(a);
  const right = significant(b);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Texts in the order of Excel, without regard to case. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : COLLATOR.compare(a, b);
}

/**
 * A text as lookups compare it, without regard to case. It is as long as it was: a text that would become longer, as "İ"
 * does, equals itself only.
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

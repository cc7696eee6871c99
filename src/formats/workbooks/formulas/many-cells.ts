import type { AstExpression, CallExpression } from '../../../formulas/syntax/formula-library.ts';

type Argument = AstExpression | null | undefined;

/** Functions whose values are arrays, whatever they are given. */
const ARRAYS = new Set('FREQUENCY GROWTH LINEST LOGEST MINVERSE MMULT MODE.MULT TRANSPOSE TREND'.split(' '));

/** Functions that come to several cells for some arguments only. */
const FOR_SOME: Readonly<Record<string, (given: readonly Argument[]) => boolean>> = {
  INDIRECT: () => true,
  ROW: ([of]) => of !== undefined && mayBeMany(of),
  COLUMN: ([of]) => of !== undefined && mayBeMany(of),
  OFFSET: ([from, , , height, width]) =>
    isGiven(height) || isGiven(width) || (mayBeMany(from) && from?.type !== 'ReferenceIdentifier'),
  INDEX: ([of, ...places]) => !places.every(picksOne) || (places.length < 2 && !isLine(of)),
};

/** Whether a call may come to several cells although each of its arguments is one. */
export function mayComeToMany({ callee, arguments: given }: CallExpression): boolean {
  const name = 'name' in callee ? String(callee.name).toUpperCase() : '';
  return ARRAYS.has(name) || FOR_SOME[name]?.(given) === true;
}

/** Whether a reference as it is written is of more than one cell; a range such as A1:A1 is of one. */
export function isManyCells(reference: string): boolean {
  const [first = '', last] = cornersOf(reference);
  return last !== undefined && (first !== last || !/^[A-Z]+[0-9]+$/.test(first));
}

function cornersOf(reference: string): string[] {
  return reference
    .slice(reference.lastIndexOf('!') + 1)
    .replaceAll('$', '')
    .toUpperCase()
    .split(':');
}

function mayBeMany(node: Argument): boolean {
  return node?.type === 'ReferenceIdentifier' ? isManyCells(node.value) : node?.type !== 'Literal';
}

/** A place of 0, or none, picks a whole row or column. */
function picksOne(place: Argument): boolean {
  return isGiven(place) && !(place?.type === 'Literal' && Math.trunc(Number(place.value)) === 0);
}

function isGiven(node: Argument): boolean {
  return node !== null && node !== undefined;
}

/** Whether a reference is of one row or column, in which one place picks one cell. */
function isLine(node: Argument): boolean {
  if (node?.type !== 'ReferenceIdentifier') return false;
  const [first = '', last = first] = cornersOf(node.value);
  const [firstColumn, lastColumn] = [first, last].map((corner) => corner.replace(/[0-9]/g, ''));
  const [firstRow, lastRow] = [first, last].map((corner) => corner.replace(/[A-Z]/g, ''));
  return (firstColumn !== '' && firstColumn === lastColumn) || (firstRow !== '' && firstRow === lastRow);
}

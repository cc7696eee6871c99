import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import type { FormulaFunction } from '../function.ts';

const NOT = define('NOT', ['logical'], ([value]) => !value);

const TRUE = define('TRUE', [], () => true);

const FALSE = define('FALSE', [], () => false);

const XOR = define('XOR', ['grid'], (grids: readonly Grid[]) => parityOf(grids), { repeats: 1 });

/** Whether an odd number of values is true; texts in references do not count, nor do empty cells. */
function parityOf(grids: readonly Grid[]): Scalar {
  let [known, odd] = [false, false];
  let wrong: CellError | undefined;
  for (const grid of grids) {
    grid.each((value) => {
      if (value instanceof CellError) wrong ??= value;
      const logical = logicalIn(value, grid.area !== undefined);
      if (logical === undefined) return;
      known = true;
      odd = odd !== logical;
    });
  }
  return wrong ?? (known ? odd : ERROR['#VALUE!']);
}

function logicalIn(value: Exclude<Scalar, null>, isReference: boolean): boolean | undefined {
  if (typeof value === 'string') {
    if (isReference) return undefined;
    const word = value.toUpperCase();
    return word === 'TRUE' || word === 'FALSE' ? word === 'TRUE' : undefined;
  }
  return value instanceof CellError ? undefined : Boolean(value);
}

/** Logical functions that want all of their arguments; those that do not belong to the engine. */
export const LOGICAL_FUNCTIONS: readonly FormulaFunction[] = [FALSE, NOT, TRUE, XOR];

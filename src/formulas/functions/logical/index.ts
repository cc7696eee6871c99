import { logicalOf } from '../../conversions.ts';
import { CellError, ERROR, type Grid } from '../../values.ts';
import { define } from '../define.ts';
import type { FormulaFunction } from '../function.ts';

const NOT = define('NOT', ['logical'], ([value]) => !value);

const TRUE = define('TRUE', [], () => true);

const FALSE = define('FALSE', [], () => false);

const AND = overLogicals('AND', (trues, count) => trues === count);

const OR = overLogicals('OR', (trues) => trues > 0);

const XOR = overLogicals('XOR', (trues) => trues % 2 === 1);

/** A function of how many of all logical values are true; without any it is #VALUE!. */
function overLogicals(name: string, answer: (trues: number, count: number) => boolean): FormulaFunction {
  return define(
    name,
    ['grid'],
    (grids: readonly Grid[]) => {
      const values = grids.flatMap(logicalsIn);
      const wrong = values.find((value) => value instanceof CellError);
      if (wrong) return wrong;
      const trues = values.filter((value) => value === true).length;
      return values.length === 0 ? ERROR['#VALUE!'] : answer(trues, values.length);
    },
    { repeats: 1 },
  );
}

/** Texts in references and arrays do not count, nor do empty cells; a text by itself must be a logical, or empty. */
function logicalsIn(grid: Grid): (boolean | CellError)[] {
  const isAlone = grid.area === undefined && grid.rows === 1 && grid.columns === 1;
  const found: (boolean | CellError)[] = [];
  grid.each((value) => {
    if (typeof value !== 'string') found.push(value instanceof CellError ? value : Boolean(value));
    else if (isAlone && value !== '') found.push(logicalOf(value));
  });
  return found;
}

/** Logical functions that want all of their arguments; those that do not belong to the compiler. */
export const LOGICAL_FUNCTIONS: readonly FormulaFunction[] = [AND, FALSE, NOT, OR, TRUE, XOR];

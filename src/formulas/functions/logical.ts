import { logicalOf } from '../conversions.ts';
import { CellError, ERROR, type Grid } from '../values.ts';
import { define, type FormulaFunction } from './function.ts';

const NOT = define('NOT', ['logical'], ([value]) => !value);

const TRUE = define('TRUE', [], () => true);

const FALSE = define('FALSE', [], () => false);

const AND = overLogicals('AND', (trues, count) => trues === count);

const OR = overLogicals('OR', (trues) => trues > 0);

const XOR = overLogicals('XOR', (trues) => trues % 2 === 1);

/** Defines a function of the number of TRUE values and of all logical values; without any it is #VALUE!. */
function overLogicals(name: string, answer: (trues: number, count: number) => boolean): FormulaFunction {
  return define(
    name,
    ['grid'],
    (grids: readonly Grid[]) => {
      const counted: Counted = { trues: 0, count: 0, wrong: undefined };
      for (const grid of grids) countLogicals(grid, counted);
      if (counted.wrong) return counted.wrong;
      return counted.count === 0 ? ERROR['#VALUE!'] : answer(counted.trues, counted.count);
    },
    { repeats: 1 },
  );
}

interface Counted {
  trues: number;
  count: number;
  wrong: CellError | undefined;
}

/** Texts and empty cells of references and arrays are skipped; a single text must be a logical or empty. */
function countLogicals(grid: Grid, counted: Counted): void {
  const isAlone = grid.area === undefined && grid.rows === 1 && grid.columns === 1;
  grid.each((value) => {
    if (typeof value === 'string' && (!isAlone || value === '')) return;
    const logical = logicalOf(value);
    if (logical instanceof CellError) counted.wrong ??= logical;
    else {
      counted.count++;
      if (logical) counted.trues++;
    }
  });
}

/** The logical functions that evaluate all arguments; the compiler implements the others. */
export const LOGICAL_FUNCTIONS: readonly FormulaFunction[] = [AND, FALSE, NOT, OR, TRUE, XOR];

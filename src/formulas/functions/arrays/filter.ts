import { logicalOf } from '../../conversions.ts';
import { lookingUp } from '../../spending.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import { gridOfLines, linesOf } from './lines.ts';

/** To ask whether a line is kept costs little beside making it. */
const CHEAP_STEPS = 16;

export const FILTER = define(
  'FILTER',
  ['grid', 'grid', 'any'],
  ([grid, includes, otherwise], context) => {
    const byColumn = includes.rows === 1 && (grid.rows !== 1 || includes.columns > 1);
    if (!fits(grid, includes, byColumn)) return ERROR['#VALUE!'];
    const lines = linesOf(grid, byColumn, context);
    const kept: Scalar[][] = [];
    const look = lookingUp(context.spend);
    context.spend(lines.length / CHEAP_STEPS);
    for (let index = 0; index < lines.length; index++) {
      look();
      const keep = logicalOf(byColumn ? includes.at(0, index) : includes.at(index, 0));
      if (keep instanceof CellError) return keep;
      if (keep) kept.push(lines.line(index));
    }
    return kept.length > 0 ? gridOfLines(kept, byColumn, context) : (otherwise ?? ERROR['#CALC!']);
  },
  // What stands for "nothing is left" may be an error, and is no error of what is left.
  { required: 2, takesErrors: true },
);

function fits(grid: Grid, includes: Grid, byColumn: boolean): boolean {
  return byColumn ? includes.columns === grid.columns : includes.columns === 1 && includes.rows === grid.rows;
}

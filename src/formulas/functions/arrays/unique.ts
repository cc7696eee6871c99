import { CellError, ERROR, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import { logicalOr } from '../optional.ts';
import { gridOfLines, linesOf } from './lines.ts';

export const UNIQUE = define(
  'UNIQUE',
  ['grid', 'scalar', 'scalar'],
  ([grid, byColumn, once], context) => {
    const across = logicalOr(byColumn, false);
    const single = logicalOr(once, false);
    if (across instanceof CellError) return across;
    if (single instanceof CellError) return single;
    const groups = Map.groupBy(linesOf(grid, across, context), keyOf);
    const lines = [...groups.values()].filter((group) => !single || group.length === 1);
    if (lines.length === 0) return ERROR['#CALC!'];
    return gridOfLines(
      lines.map(([first = []]) => first),
      across,
    );
  },
  { required: 1 },
);

/** The same of lines that are equal, texts without regard to case. */
function keyOf(line: readonly Scalar[]): string {
  return JSON.stringify(
    line.map((value) => {
      if (typeof value === 'string') return value.toLowerCase();
      return value instanceof CellError ? { error: value.code } : value;
    }),
  );
}

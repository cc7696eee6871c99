import { filterLooking, lookingUp, mapLooking } from '../../spending.ts';
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
    const lines = linesOf(grid, across, context);
    // Of lines that are empty two tell as much as all.
    const length = Math.min(lines.length, lines.used + 2);
    const look = lookingUp(context.spend);
    const groups = Map.groupBy(
      Array.from({ length }, (_, index) => lines.line(index)),
      (line) => {
        look();
        return keyOf(line);
      },
    );
    const kept = filterLooking([...groups.values()], (group) => !single || group.length === 1, context.spend);
    if (kept.length === 0) return ERROR['#CALC!'];
    return gridOfLines(
      mapLooking(kept, ([first = []]) => first, context.spend),
      across,
      context,
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

import { MAX_TEXT, textOf } from '../../conversions.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import { logicalOr } from '../optional.ts';
import { limited } from './limit.ts';

export const CONCATENATE = define(
  'CONCATENATE',
  ['text'],
  (texts: readonly string[]) => limited(texts.join('')),
  { repeats: 1 },
);

export const CONCAT = define(
  'CONCAT',
  ['grid'],
  (grids: readonly Grid[], context) => {
    const texts = textsOf(grids, false, context);
    return texts instanceof CellError ? texts : limited(texts.join(''));
  },
  { repeats: 1 },
);

export const TEXTJOIN = define(
  'TEXTJOIN',
  ['grid', 'scalar', 'grid'],
  ([delimiters, ignoreEmpty, ...grids], context) => {
    const ignores = logicalOr(ignoreEmpty, true);
    if (ignores instanceof CellError) return ignores;
    const between = textsOf([delimiters], true, context);
    if (between instanceof CellError) return between;
    const texts = textsOf(grids, !ignores, context);
    if (texts instanceof CellError) return texts;
    return limited(joined(ignores ? texts.filter(Boolean) : texts, between));
  },
  { repeats: 1 },
);

/** Several delimiters take turns. */
function joined(texts: readonly string[], delimiters: readonly string[]): string {
  return texts
    .map((text, index) => (index === 0 ? text : (delimiters[(index - 1) % delimiters.length] ?? '') + text))
    .join('');
}

/** All values of some grids as texts, row by row; what is empty is left out where that makes no difference. */
function textsOf(
  grids: readonly Grid[],
  withEmpty: boolean,
  context: { spend(steps: number): void },
): string[] | CellError {
  const texts: string[] = [];
  let length = 0;
  let wrong: CellError | undefined;
  const take = (value: Scalar): void => {
    const text = textOf(value);
    if (text instanceof CellError) {
      wrong ??= text;
      return;
    }
    texts.push(text);
    length += text.length;
    if (length > MAX_TEXT) wrong ??= ERROR['#VALUE!'];
  };
  for (const grid of grids) {
    if (withEmpty) everyCell(grid, take, context);
    else grid.each(take);
  }
  return wrong ?? texts;
}

function everyCell(grid: Grid, take: (value: Scalar) => void, context: { spend(steps: number): void }): void {
  context.spend(grid.rows * grid.columns);
  for (let row = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++) take(grid.at(row, column));
  }
}

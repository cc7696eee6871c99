import { MAX_TEXT, textOf } from '../../conversions.ts';
import { eachPlace } from '../../grids.ts';
import { mapLooking, type Spend } from '../../spending.ts';
import { CellError, ERROR, type Grid, type Scalar } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
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
    return limited(joined(ignores ? texts.filter(Boolean) : texts, between, context.spend));
  },
  { repeats: 1 },
);

/** Several delimiters take turns. */
function joined(texts: readonly string[], delimiters: readonly string[], spend: Spend): string {
  const between = (index: number) => delimiters[(index - 1) % delimiters.length] ?? '';
  return mapLooking(texts, (text, index) => (index === 0 ? text : between(index) + text), spend).join('');
}

/** All values of some grids as texts, row by row; what is empty is left out where that makes no difference. */
function textsOf(grids: readonly Grid[], withEmpty: boolean, { spend }: CallContext): string[] | CellError {
  const texts: string[] = [];
  let length = 0;
  let wrong: CellError | undefined;
  const take = (value: Scalar): void => {
    if (wrong !== undefined) return;
    const text = textOf(value);
    if (text instanceof CellError) {
      wrong = text;
      return;
    }
    texts.push(text);
    length += text.length;
    if (length > MAX_TEXT) wrong = ERROR['#VALUE!'];
  };
  for (const grid of grids) {
    if (withEmpty) {
      spend(grid.rows * grid.columns);
      eachPlace(grid, take, spend);
    } else grid.each(take);
  }
  return wrong ?? texts;
}

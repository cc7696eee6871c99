import { MAX_TEXT, textOf } from '../../conversions.ts';
import { eachCell, makeGrid } from '../../grids.ts';
import { clockTicker, mapWithTicks, type Spend } from '../../steps.ts';
import { CellError, ERROR, type Grid, type Scalar, type Value } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { logicalOr, numberOr } from '../numbers.ts';
import { limitText } from './parts.ts';

export const CONCATENATE = define(
  'CONCATENATE',
  ['text'],
  (texts: readonly string[]) => limitText(texts.join('')),
  { repeats: 1 },
);

export const CONCAT = define(
  'CONCAT',
  ['grid'],
  (grids: readonly Grid[], context) => {
    const texts = textsOf(grids, false, context);
    return texts instanceof CellError ? texts : limitText(texts.join(''));
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
    return limitText(joinTexts(ignores ? texts.filter(Boolean) : texts, between, context.spend));
  },
  { repeats: 1 },
);

/** Several delimiters are used in rotation. */
function joinTexts(texts: readonly string[], delimiters: readonly string[], spend: Spend): string {
  const between = (index: number) => delimiters[(index - 1) % delimiters.length] ?? '';
  return mapWithTicks(texts, (text, index) => (index === 0 ? text : between(index) + text), spend).join('');
}

/** All values of grids as texts, row by row; omits empty ones if they do not matter. */
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
      eachCell(grid, take, spend);
    } else grid.each(take);
  }
  return wrong ?? texts;
}

/** The range of a delimiter in a text. */
interface Cut {
  readonly start: number;
  readonly end: number;
}

/** The delimiters of an argument, one or several in a grid; none for an omitted argument. */
function delimitersOf(grid: Grid | undefined): string[] | CellError {
  const delimiters: string[] = [];
  let wrong: CellError | undefined;
  grid?.each((value) => {
    const text = textOf(value);
    if (text instanceof CellError) wrong ??= text;
    else if (text === '') wrong ??= ERROR['#VALUE!'];
    else delimiters.push(text);
  });
  return wrong ?? delimiters;
}

/** Delimiters searched between two clock checks; each may occur at every position of a long text. */
const DELIMITERS_PER_CHECK = 16;

/** All non-overlapping delimiters of a text; at the same position the longer one wins. */
function cutsOf(
  text: string,
  delimiters: readonly string[],
  ignoreCase: boolean,
  spend: Spend,
): readonly Cut[] {
  const searched = ignoreCase ? text.toLowerCase() : text;
  const longest = new Uint16Array(searched.length);
  const tick = clockTicker(spend, DELIMITERS_PER_CHECK);
  for (const delimiter of delimiters) {
    tick();
    recordOffsets(searched, ignoreCase ? delimiter.toLowerCase() : delimiter, longest);
  }
  const cuts: Cut[] = [];
  for (const [start, length] of longest.entries()) {
    if (length > 0 && start >= (cuts.at(-1)?.end ?? 0)) cuts.push({ start, end: start + length });
  }
  return cuts;
}

/** Records the length of a delimiter at each of its positions, unless a longer one is there. */
function recordOffsets(text: string, delimiter: string, longest: Uint16Array): void {
  for (let start = text.indexOf(delimiter); start >= 0; start = text.indexOf(delimiter, start + 1)) {
    longest[start] = Math.max(longest[start] ?? 0, delimiter.length);
  }
}

export const TEXTBEFORE = define(
  'TEXTBEFORE',
  ['text', 'grid', 'scalar', 'scalar', 'scalar', 'any'],
  ([text, delimiters, instance, ignoreCase, atEnd, otherwise], { spend }) => {
    const before = (cut: Cut) => text.slice(0, cut.start);
    return textBeside(text, delimiters, [instance, ignoreCase, atEnd], otherwise, before, spend);
  },
  { required: 2, takesErrors: true },
);

export const TEXTAFTER = define(
  'TEXTAFTER',
  ['text', 'grid', 'scalar', 'scalar', 'scalar', 'any'],
  ([text, delimiters, instance, ignoreCase, atEnd, otherwise], { spend }) => {
    const after = (cut: Cut) => text.slice(cut.end);
    return textBeside(text, delimiters, [instance, ignoreCase, atEnd], otherwise, after, spend);
  },
  { required: 2, takesErrors: true },
);

function textBeside(
  text: string,
  grid: Grid,
  options: readonly (Scalar | undefined)[],
  otherwise: Value | undefined,
  take: (cut: Cut) => string,
  spend: Spend,
): Value {
  const instance = numberOr(options[0], 1);
  const ignoreCase = logicalOr(options[1], false);
  const atEnd = logicalOr(options[2], false);
  const delimiters = delimitersOf(grid);
  if (instance instanceof CellError) return instance;
  if (ignoreCase instanceof CellError) return ignoreCase;
  if (atEnd instanceof CellError) return atEnd;
  const number = Math.trunc(instance);
  if (number === 0 || Math.abs(number) > Math.max(text.length, 1)) return ERROR['#VALUE!'];
  // An empty delimiter matches before the text, or after it when counting from the end.
  if (delimiters instanceof CellError) return isEmptyText(grid) ? take(emptyCut(text, number)) : delimiters;
  const cuts = cutsOf(text, delimiters, ignoreCase, spend);
  const found = (atEnd ? withEnds(cuts, text, number) : cuts).at(number > 0 ? number - 1 : number);
  return found ? take(found) : (otherwise ?? ERROR['#N/A']);
}

function isEmptyText(grid: Grid): boolean {
  return grid.rows === 1 && grid.columns === 1 && grid.at(0, 0) === '';
}

function emptyCut(text: string, number: number): Cut {
  const offset = number > 0 ? 0 : text.length;
  return { start: offset, end: offset };
}

/** The end of the text in counting direction counts as a further delimiter. */
function withEnds(cuts: readonly Cut[], text: string, number: number): Cut[] {
  return number > 0 ? [...cuts, { start: text.length, end: text.length }] : [{ start: 0, end: 0 }, ...cuts];
}

export const TEXTSPLIT = define(
  'TEXTSPLIT',
  ['text', 'grid', 'grid', 'scalar', 'scalar', 'scalar'],
  ([text, across, down, ignoreEmpty, ignoreCase, padding], context) => {
    const columns = delimitersOf(across);
    const rows = delimitersOf(down);
    const leavesOut = logicalOr(ignoreEmpty, false);
    const anyCase = logicalOr(ignoreCase, false);
    if (columns instanceof CellError) return columns;
    if (rows instanceof CellError) return rows;
    if (leavesOut instanceof CellError) return leavesOut;
    if (anyCase instanceof CellError) return anyCase;
    if (columns.length + rows.length === 0) return ERROR['#VALUE!'];
    const keep = (part: string): boolean => !leavesOut || part !== '';
    const lines = split(text, rows, anyCase, context.spend)
      .filter(keep)
      .map((line) => split(line, columns, anyCase, context.spend).filter(keep));
    const width = Math.max(...lines.map((line) => line.length));
    if (lines.length === 0 || width === 0) return ERROR['#CALC!'];
    context.spend(lines.length * width);
    return makeGrid(
      { rows: lines.length, columns: width },
      (row, column) => lines[row]?.[column] ?? padding ?? ERROR['#N/A'],
      context.spend,
    );
  },
  { required: 2, takesErrors: true },
);

function split(text: string, delimiters: readonly string[], ignoreCase: boolean, spend: Spend): string[] {
  const cuts = cutsOf(text, delimiters, ignoreCase, spend);
  return [...cuts, { start: text.length, end: text.length }].map((cut, index) =>
    text.slice(cuts[index - 1]?.end ?? 0, cut.start),
  );
}

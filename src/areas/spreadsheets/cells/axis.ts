/**
 * Maps the rows, or the columns, of a sheet to the positions under which their cells are stored. A stored position
 * never changes. `runs` are ranges of consecutive positions, in the order of the sheet; after the runs follow all
 * positions from `tail` on. Inserting or removing lines therefore moves no cell.
 */
export interface Axis {
  readonly runs: readonly Run[];
  readonly tail: number;
  /** All positions below this one are unused. An insertion takes its positions from here downwards. */
  readonly low: number;
}

/** The first position of a range of consecutive positions, and their count. */
export type Run = readonly [position: number, count: number];

/** Lines that are consecutive both in the sheet and in their stored positions. */
export interface Span {
  /** The number of the first line, from 0. */
  readonly line: number;
  readonly position: number;
  readonly count: number;
}

/** The axis of a new sheet: the position of each line is its number. */
export const STRAIGHT: Axis = { runs: [], tail: 0, low: 0 };

/** The positions of the lines from `first` to `last`, in the order of the sheet. */
export function spansOf(axis: Axis, first: number, last: number): Span[] {
  if (axis.runs.length === 0 && first <= last)
    return [{ line: first, position: axis.tail + first, count: last - first + 1 }];
  const spans: Span[] = [];
  let line = 0;
  for (const [position, count] of [...axis.runs, [axis.tail, Number.POSITIVE_INFINITY] as const]) {
    const from = Math.max(first, line);
    const to = Math.min(last, line + count - 1);
    if (from <= to) spans.push({ line: from, position: position + from - line, count: to - from + 1 });
    line += count;
    if (line > last) break;
  }
  return spans;
}

/** Returns a function from a line to its position. It caches, so use one function for many lines of an axis. */
export function positionLookup(axis: Axis): (line: number) => number {
  if (axis.runs.length === 0) return (line) => axis.tail + line;
  const found = new Map<number, number>();
  return (line) => found.getOrInsertComputed(line, () => positionOf(axis, line));
}

function positionOf(axis: Axis, line: number): number {
  let before = 0;
  for (const [position, count] of axis.runs) {
    if (line < before + count) return position + line - before;
    before += count;
  }
  return axis.tail + line - before;
}

/**
 * Returns a function from a position to its line; undefined for a position without a line. Use one function for many
 * positions of an axis.
 */
export function lineLookup(axis: Axis): (position: number) => number | undefined {
  if (axis.runs.length === 0 && axis.tail === 0) return (position) => position;
  const spans = spansOf(axis, 0, Number.MAX_SAFE_INTEGER).sort((a, b) => a.position - b.position);
  return (position) => {
    const span = spans[lastAtOrBefore(spans, position)];
    if (!span || position >= span.position + span.count) return undefined;
    return span.line + position - span.position;
  };
}

function lastAtOrBefore(spans: readonly Span[], position: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.position ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The axis with `count` new lines before the line `at`. */
export function insertLines(axis: Axis, at: number, count: number): Axis {
  const { before, after, tail } = splitAt(axis, at);
  const low = axis.low - count;
  return mergedAxis([...before, [low, count], ...after], tail, low);
}

/** The axis without the `count` lines from `at` on. Their positions are never used again. */
export function removeLines(axis: Axis, at: number, count: number): Axis {
  const { before, after: rest, tail } = splitAt(axis, at);
  const { after, tail: newTail } = splitAt({ runs: rest, tail, low: axis.low }, count);
  return mergedAxis([...before, ...after], newTail, axis.low);
}

/** The runs before a line and the runs from that line on. A line behind all runs lengthens them up to that line. */
function splitAt({ runs, tail }: Axis, at: number): { before: Run[]; after: Run[]; tail: number } {
  const before: Run[] = [];
  let left = at;
  for (const [index, [position, count]] of runs.entries()) {
    if (left < count) {
      if (left > 0) before.push([position, left]);
      return { before, after: [[position + left, count - left], ...runs.slice(index + 1)], tail };
    }
    before.push([position, count]);
    left -= count;
  }
  if (left > 0) before.push([tail, left]);
  return { before, after: [], tail: tail + left };
}

/** Merges runs with consecutive positions, and a last run that continues into the tail. */
function mergedAxis(runs: readonly Run[], tail: number, low: number): Axis {
  const result: Run[] = [];
  for (const [position, count] of runs) {
    const last = result.at(-1);
    if (last && last[0] + last[1] === position) result[result.length - 1] = [last[0], last[1] + count];
    else result.push([position, count]);
  }
  const last = result.at(-1);
  if (!last || last[0] + last[1] !== tail) return { runs: result, tail, low };
  return { runs: result.slice(0, -1), tail: last[0], low };
}

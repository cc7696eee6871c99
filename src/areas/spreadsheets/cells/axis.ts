/**
 * Where the rows, or the columns, of a sheet are kept. Cells are stored at places that never change; which place the
 * row of a number has, the axis says: `runs` of neighbouring places in the order of the sheet, each from its first place
 * and so many long, and after them every place from `tail` on. So rows that are put in or taken out move no cell.
 */
export interface Axis {
  readonly runs: readonly Run[];
  readonly tail: number;
  /** No place below this one has been used yet: what is put in takes its places from here downwards. */
  readonly low: number;
}

/** The first place and how many follow each other. */
export type Run = readonly [place: number, count: number];

/** Lines that follow each other in the sheet and in their places. */
export interface Span {
  /** The number of the first line, from 0. */
  readonly line: number;
  readonly place: number;
  readonly count: number;
}

/** An axis whose lines are at the places of their own numbers. */
export const STRAIGHT: Axis = { runs: [], tail: 0, low: 0 };

/** The places of the lines from `first` to `last`, in the order of the sheet. */
export function spansOf(axis: Axis, first: number, last: number): Span[] {
  if (axis.runs.length === 0 && first <= last)
    return [{ line: first, place: axis.tail + first, count: last - first + 1 }];
  const spans: Span[] = [];
  let line = 0;
  for (const [place, count] of [...axis.runs, [axis.tail, Number.POSITIVE_INFINITY] as const]) {
    const from = Math.max(first, line);
    const to = Math.min(last, line + count - 1);
    if (from <= to) spans.push({ line: from, place: place + from - line, count: to - from + 1 });
    line += count;
    if (line > last) break;
  }
  return spans;
}

/** Answers the place of a line. For many lines of one axis. */
export function placesOn(axis: Axis): (line: number) => number {
  if (axis.runs.length === 0) return (line) => axis.tail + line;
  const found = new Map<number, number>();
  return (line) => found.getOrInsertComputed(line, () => positionOf(axis, line));
}

function positionOf(axis: Axis, line: number): number {
  let before = 0;
  for (const [place, count] of axis.runs) {
    if (line < before + count) return place + line - before;
    before += count;
  }
  return axis.tail + line - before;
}

/** Answers the line at a place; undefined of a place that no line has. For many places of one axis. */
export function linesOf(axis: Axis): (place: number) => number | undefined {
  if (axis.runs.length === 0 && axis.tail === 0) return (place) => place;
  const spans = spansOf(axis, 0, Number.MAX_SAFE_INTEGER).sort((a, b) => a.place - b.place);
  return (place) => {
    const span = spans[lastAtOrBefore(spans, place)];
    if (!span || place >= span.place + span.count) return undefined;
    return span.line + place - span.place;
  };
}

function lastAtOrBefore(spans: readonly Span[], place: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.place ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The axis with `count` new lines before the line `at`. */
export function insertLines(axis: Axis, at: number, count: number): Axis {
  const { before, after, tail } = splitAt(axis, at);
  const low = axis.low - count;
  return axisOf([...before, [low, count], ...after], tail, low);
}

/** The axis without the `count` lines from `at` on, whose places no line has any more. */
export function removeLines(axis: Axis, at: number, count: number): Axis {
  const { before, after: rest, tail } = splitAt(axis, at);
  const { after, tail: newTail } = splitAt({ runs: rest, tail, low: axis.low }, count);
  return axisOf([...before, ...after], newTail, axis.low);
}

/** The runs before a line and those from it on; where the line is behind all runs, these are lengthened up to it. */
function splitAt({ runs, tail }: Axis, at: number): { before: Run[]; after: Run[]; tail: number } {
  const before: Run[] = [];
  let left = at;
  for (const [index, [place, count]] of runs.entries()) {
    if (left < count) {
      if (left > 0) before.push([place, left]);
      return { before, after: [[place + left, count - left], ...runs.slice(index + 1)], tail };
    }
    before.push([place, count]);
    left -= count;
  }
  if (left > 0) before.push([tail, left]);
  return { before, after: [], tail: tail + left };
}

/** Neighbours whose places follow each other are one run, and a run that the tail goes on is part of it. */
function axisOf(runs: readonly Run[], tail: number, low: number): Axis {
  const result: Run[] = [];
  for (const [place, count] of runs) {
    const last = result.at(-1);
    if (last && last[0] + last[1] === place) result[result.length - 1] = [last[0], last[1] + count];
    else result.push([place, count]);
  }
  const last = result.at(-1);
  if (!last || last[0] + last[1] !== tail) return { runs: result, tail, low };
  return { runs: result.slice(0, -1), tail: last[0], low };
}

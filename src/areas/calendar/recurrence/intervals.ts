/** A span of time, half-open: from `start` up to, but not with, `end`. In any unit, the same for all. */
export interface Interval {
  start: number;
  end: number;
}

/** The union: sorted, none touching another, none empty. */
export function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { start, end } of [...intervals].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (start >= end) continue;
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** What of the intervals lies within a window. */
export function clipped(intervals: readonly Interval[], window: Interval): Interval[] {
  return intervals
    .map(({ start, end }) => ({ start: Math.max(start, window.start), end: Math.min(end, window.end) }))
    .filter(({ start, end }) => start < end);
}

/** Whether one of these intervals, sorted and apart, shares a moment with a span. Touching is not sharing. */
export function overlaps(intervals: readonly Interval[], { start, end }: Interval): boolean {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  const next = intervals[low];
  return next !== undefined && next.start < end;
}

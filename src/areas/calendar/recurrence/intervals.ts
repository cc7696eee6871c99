/** A half-open span of time: `end` is exclusive. In any unit, which must be the same for all. */
export interface Interval {
  start: number;
  end: number;
}

/** The union of intervals: sorted, not touching, not empty. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { start, end } of [...intervals].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (start >= end) continue;
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** The intervals clipped to a window. */
export function clipIntervals(intervals: readonly Interval[], window: Interval): Interval[] {
  return intervals
    .map(({ start, end }) => ({ start: Math.max(start, window.start), end: Math.min(end, window.end) }))
    .filter(({ start, end }) => start < end);
}

/** Whether a span overlaps one of these sorted, disjoint intervals. Spans that only touch do not overlap. */
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

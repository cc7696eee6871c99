/** First and last number of parts that follow one another. */
export type PartRange = [first: number, last: number];

/** Ascending numbers as ranges. */
export function rangesOf(numbers: readonly number[]): PartRange[] {
  const ranges: PartRange[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** The ranges from 1 to `count` that lie between those given. */
export function rangesBetween(ranges: readonly PartRange[], count: number): PartRange[] {
  const starts = [1, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), count];
  return starts
    .map((start, i): PartRange => [start, ends[i] ?? count])
    .filter(([first, last]) => first <= last);
}

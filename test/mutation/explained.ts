/** A mutant that no test can kill, or that none needs to. */
export interface Explanation {
  readonly file: string;
  /** The line on which it begins, without indentation. */
  readonly line: string;
  readonly original: string;
  readonly replacement: string;
  readonly why: string;
}

export const EXPLAINED: readonly Explanation[] = [
  {
    file: 'src/areas/mail/filters/evaluation.ts',
    line: 'regex: () => false,',
    original: '() => false',
    replacement: '() => undefined',
    why: 'All and any of conditions take what is undefined for false.',
  },
  {
    file: 'src/areas/calendar/intervals.ts',
    line: 'if ((intervals[middle]?.end ?? 0) <= start) low = middle + 1;',
    original: 'intervals[middle]?.end',
    replacement: 'intervals[middle].end',
    why: 'The middle of a span of the list is always in the list; the types cannot say so.',
  },
  ...['true', 'alike.length <= maxResults'].map((replacement) => ({
    file: 'src/areas/calendar/free-slots.ts',
    line: 'if (alike.length < maxResults) alike.push(candidate);',
    original: 'alike.length < maxResults',
    replacement,
    why: 'Of those alike no more than are asked for are answered in any case: this bounds the memory of the search.',
  })),
  {
    file: 'src/areas/calendar/free-slots.ts',
    line: 'if (best.get(0)?.length === maxResults) break;',
    original: 'best.get(0)?.length === maxResults',
    replacement: 'false',
    why: 'None can be better than those that nobody misses: this ends the search sooner, with the same answer.',
  },
];

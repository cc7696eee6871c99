const SEPARATORS = [',', ';', '\t'] as const;

/**
 * What separates the fields of a file: comma, semicolon or tab, whichever its first line has most of outside of quotes;
 * of equally many the first in this order. `start` is the beginning of the file.
 */
export function separatorOf(start: string): string {
  const counts = new Map<string, number>(SEPARATORS.map((separator) => [separator, 0]));
  for (const char of firstLine(start)) {
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

/** The first line that is not empty, without what is quoted. */
function firstLine(start: string): string {
  const unquoted = start.replace(/"[^"]*(?:"|$)/g, '');
  return /[^\r\n]+/.exec(unquoted)?.[0] ?? '';
}

const SEPARATORS = [',', ';', '\t'] as const;

/** How a file of separated values begins. */
export interface Beginning {
  /** What stands between fields. */
  readonly separator: string;
  /** Where its records begin. */
  readonly from: number;
}

/** The first line with which Excel is told the separator; it is no record. One character, in quotes or without. */
const DECLARATION = /^("?)sep=([^"\r\n\ud800-\udfff])\1(?:\r\n|[\r\n]|$)/i;

/**
 * What separates the fields of a file: what its first line declares, as `sep=;`. Else comma, semicolon or tab, whichever its
 * first line has most of outside of quotes; of equally many the first in this order. `start` is the beginning of the file.
 */
export function beginningOf(start: string): Beginning {
  const [declaration = '', , declared] = DECLARATION.exec(start) ?? [];
  if (declared !== undefined) return { separator: declared, from: declaration.length };
  const counts = new Map<string, number>(SEPARATORS.map((separator) => [separator, 0]));
  for (const char of firstLine(start)) {
    const count = counts.get(char);
    if (count !== undefined) counts.set(char, count + 1);
  }
  const [separator] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best));
  return { separator, from: 0 };
}

/** The first line that is not empty, without what is quoted. */
function firstLine(start: string): string {
  const unquoted = start.replace(/"[^"]*(?:"|$)/g, '');
  return /[^\r\n]+/.exec(unquoted)?.[0] ?? '';
}

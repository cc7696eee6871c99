import { RE2JS } from 're2js';
import { CellError, ERROR, type Scalar } from '../../values.ts';
import type { CallContext } from '../function.ts';
import { numberOr } from '../optional.ts';

/** What a match has: its place in the text, and its groups from the whole of it on; null of one that took no part. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | null)[];
}

/** A regular expression that is compiled, and what it costs to look at one character with it. */
export interface Pattern {
  readonly expression: RE2JS;
  readonly size: number;
}

/** Characters of a pattern times how often it repeats something: as large as what is compiled of it may become. */
const MAX_SIZE = 100_000;
const MAX_KEPT = 64;
/** Steps that looking at one character with one instruction counts at most, and a millisecond that it really took. */
const STEPS = 2;
const STEPS_A_MS = 10_000;

/** Patterns are few and texts are many, so the last patterns are kept. */
const kept = new Map<string, Pattern | CellError>();

/**
 * Compiles a regular expression; #VALUE! of what is none, or too large. Its engine takes time in proportion to the text
 * whatever the pattern, so it knows neither lookahead nor references back to groups.
 * @param sensitivity 0, or none, regards case, 1 does not
 */
export function patternOf(text: string, sensitivity: Scalar | undefined): Pattern | CellError {
  const given = numberOr(sensitivity, 0);
  if (given instanceof CellError) return given;
  const ignoresCase = Math.trunc(given);
  if (ignoresCase !== 0 && ignoresCase !== 1) return ERROR['#VALUE!'];
  const key = `${ignoresCase}${text}`;
  const known = kept.get(key) ?? compiled(text, ignoresCase === 1);
  kept.delete(key);
  kept.set(key, known);
  for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest);
  return known;
}

function compiled(text: string, ignoresCase: boolean): Pattern | CellError {
  if (text.length * repetitions(text) > MAX_SIZE) return ERROR['#VALUE!'];
  try {
    const flags = RE2JS.LOOKBEHINDS | (ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
    const expression = RE2JS.compile(text, flags);
    return { expression, size: expression.programSize() };
  } catch {
    return ERROR['#VALUE!'];
  }
}

/** How often a pattern repeats something by number, in all. */
function repetitions(text: string): number {
  const counts = text.matchAll(/\{(\d+)(?:,(\d*))?\}/g);
  return (
    1 + Array.from(counts, ([, least, most]) => Math.max(Number(least), Number(most ?? 0))).reduce(add, 0)
  );
}

function add(a: number, b: number): number {
  return a + b;
}

/** The matches of a pattern in a text, from left to right, none within another. */
export function* matchesOf(
  { expression, size }: Pattern,
  text: string,
  context: CallContext,
): Generator<Match> {
  const matcher = expression.matcher(text);
  context.spend((text.length + 1) * size * STEPS);
  // Each search may go on to the end of the text before it knows, or stop at once.
  for (let started = performance.now(); matcher.find(); started = performance.now()) {
    context.spend(1 + (performance.now() - started) * STEPS_A_MS);
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, at) => matcher.group(at));
    yield { start: matcher.start(), end: matcher.end(), groups };
  }
}

/** What a replacement makes of a match: `$1`, `${1}` and `$0` are its groups, `$$` is a dollar. */
export function replaced(replacement: string, { groups }: Match): string {
  return replacement.replace(/\$(?:(\$)|(\d{1,2})|\{(\d{1,2})\})/g, (whole, dollar, bare, braced) => {
    if (dollar !== undefined) return '$';
    const group = Number(bare ?? braced);
    return group < groups.length ? (groups[group] ?? '') : whole;
  });
}

import { RE2JS } from 're2js';
import { MAX_TEXT } from '../../conversions.ts';
import { gridOf } from '../../grids.ts';
import { CellError, ERROR, type Scalar, type Value } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { numberOr } from '../numbers.ts';
import { limitText } from './parts.ts';

/** A match: its range, and its groups including the whole match; null for a group that did not participate. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | null)[];
}

/** A compiled regular expression, and its cost for each character of text. */
interface Pattern {
  readonly expression: RE2JS;
  readonly size: number;
}

/** Largest size, as pattern length times repetitions: a bound for the compiled program. */
const MAX_SIZE = 100_000;
const MAX_CACHED = 64;
/** The most steps for one character and one instruction, and the steps for each millisecond of measured time. */
const STEPS = 2;
const STEPS_A_MS = 10_000;

/** There are few patterns and many texts, so the last patterns are cached. */
const cachedPatterns = new Map<string, Pattern | CellError>();

/**
 * Compiles a regular expression; #VALUE! for an invalid or too large one. The engine takes linear time for any
 * pattern, so it supports neither lookahead nor backreferences.
 * @param sensitivity 0 or absent: case-sensitive, 1: case-insensitive
 */
function patternOf(text: string, sensitivity: Scalar | undefined): Pattern | CellError {
  const given = numberOr(sensitivity, 0);
  if (given instanceof CellError) return given;
  const ignoresCase = Math.trunc(given);
  if (ignoresCase !== 0 && ignoresCase !== 1) return ERROR['#VALUE!'];
  const key = `${ignoresCase}${text}`;
  const known = cachedPatterns.get(key) ?? compilePattern(text, ignoresCase === 1);
  cachedPatterns.delete(key);
  cachedPatterns.set(key, known);
  for (const oldest of cachedPatterns.keys())
    if (cachedPatterns.size > MAX_CACHED) cachedPatterns.delete(oldest);
  return known;
}

function compilePattern(text: string, ignoresCase: boolean): Pattern | CellError {
  if (text.length * repetitions(text) > MAX_SIZE) return ERROR['#VALUE!'];
  try {
    const flags = RE2JS.LOOKBEHINDS | (ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
    const expression = RE2JS.compile(text, flags);
    return { expression, size: expression.programSize() };
  } catch {
    return ERROR['#VALUE!'];
  }
}

/** The sum of the counted repetitions in a pattern. */
function repetitions(text: string): number {
  const counts = text.matchAll(/\{(\d+)(?:,(\d*))?\}/g);
  return (
    1 + Array.from(counts, ([, least, most]) => Math.max(Number(least), Number(most ?? 0))).reduce(add, 0)
  );
}

function add(a: number, b: number): number {
  return a + b;
}

/** The matches of a pattern in a text, from left to right, without overlaps. */
function* matchesOf({ expression, size }: Pattern, text: string, context: CallContext): Generator<Match> {
  const matcher = expression.matcher(text);
  context.spend((text.length + 1) * size * STEPS);
  // Each search may read to the end of the text or stop at once.
  for (let started = performance.now(); matcher.find(); started = performance.now()) {
    context.spend(1 + (performance.now() - started) * STEPS_A_MS);
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, at) => matcher.group(at));
    yield { start: matcher.start(), end: matcher.end(), groups };
  }
}

/** Expands a replacement for a match: `$1`, `${1}` and `$0` are groups, `$$` is a dollar sign. */
function expandReplacement(replacement: string, { groups }: Match): string {
  return replacement.replace(/\$(?:(\$)|(\d{1,2})|\{(\d{1,2})\})/g, (whole, dollar, bare, braced) => {
    if (dollar !== undefined) return '$';
    const group = Number(bare ?? braced);
    return group < groups.length ? (groups[group] ?? '') : whole;
  });
}

export const REGEXTEST = define(
  'REGEXTEST',
  ['text', 'text', 'scalar'],
  ([text, expression, sensitivity], context) => {
    const pattern = patternOf(expression, sensitivity);
    return pattern instanceof CellError ? pattern : matchesOf(pattern, text, context).next().done !== true;
  },
  { required: 2 },
);

export const REGEXEXTRACT = define(
  'REGEXEXTRACT',
  ['text', 'text', 'scalar', 'scalar'],
  ([text, expression, mode, sensitivity], context) => {
    const pattern = patternOf(expression, sensitivity);
    if (pattern instanceof CellError) return pattern;
    const given = numberOr(mode, 0);
    if (given instanceof CellError) return given;
    return EXTRACTED[Math.trunc(given)]?.(pattern, text, context) ?? ERROR['#VALUE!'];
  },
  { required: 2 },
);

/** The extracted values by mode: the first match, all matches, or the groups of the first match. */
const EXTRACTED: Readonly<Record<number, (pattern: Pattern, text: string, context: CallContext) => Value>> = {
  0: (...given) => first(...given)?.groups[0] ?? ERROR['#N/A'],
  1: (pattern, text, context) =>
    row(
      Array.from(matchesOf(pattern, text, context), ({ groups }) => groups[0] ?? ''),
      context,
    ),
  2: (pattern, text, context) =>
    row(
      (first(pattern, text, context)?.groups ?? []).slice(1).map((group) => group ?? ''),
      context,
    ),
};

function first(...given: Parameters<typeof matchesOf>): Match | undefined {
  return matchesOf(...given).next().value ?? undefined;
}

function row(texts: readonly string[], context: CallContext): Value {
  return texts.length === 0 ? ERROR['#N/A'] : gridOf([texts], context.spend);
}

export const REGEXREPLACE = define(
  'REGEXREPLACE',
  ['text', 'text', 'text', 'scalar', 'scalar'],
  ([text, expression, replacement, occurrence, sensitivity], context) => {
    const pattern = patternOf(expression, sensitivity);
    if (pattern instanceof CellError) return pattern;
    const which = numberOr(occurrence, 0);
    if (which instanceof CellError) return which;
    const matches = selectMatches([...matchesOf(pattern, text, context)], Math.trunc(which));
    return limitText(withReplacements(text, matches, replacement));
  },
  { required: 3 },
);

/** All matches, or one by number, counted from the end when negative. */
function selectMatches(matches: readonly Match[], which: number): readonly Match[] {
  if (which === 0) return matches;
  const one = matches.at(which > 0 ? which - 1 : which);
  return one === undefined ? [] : [one];
}

function withReplacements(text: string, matches: readonly Match[], replacement: string): string {
  let made = '';
  let from = 0;
  for (const match of matches) {
    made += text.slice(from, match.start) + expandReplacement(replacement, match);
    from = match.end;
    if (made.length > MAX_TEXT) break;
  }
  return made + text.slice(from);
}

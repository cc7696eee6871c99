import { RE2JS } from 're2js';
import { MAX_TEXT } from '../../conversions.ts';
import { gridOf } from '../../grids.ts';
import { CellError, ERROR, type Scalar, type Value } from '../../values.ts';
import { type CallContext, define } from '../function.ts';
import { numberOr } from '../numbers.ts';
import { limited } from './parts.ts';

/** What a match has: its place in the text, and its groups from the whole of it on; null of one that took no part. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | null)[];
}

/** A regular expression that is compiled, and what it costs to look at one character with it. */
interface Pattern {
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
function patternOf(text: string, sensitivity: Scalar | undefined): Pattern | CellError {
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
function* matchesOf({ expression, size }: Pattern, text: string, context: CallContext): Generator<Match> {
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
function replaced(replacement: string, { groups }: Match): string {
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

/** What is taken out of a text, by the mode: the first match, all of them, or the groups of the first. */
const EXTRACTED: Readonly<Record<number, (pattern: Pattern, text: string, context: CallContext) => Value>> = {
  0: (...asked) => first(...asked)?.groups[0] ?? ERROR['#N/A'],
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

function first(...asked: Parameters<typeof matchesOf>): Match | undefined {
  return matchesOf(...asked).next().value ?? undefined;
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
    const matches = chosen([...matchesOf(pattern, text, context)], Math.trunc(which));
    return limited(withReplacements(text, matches, replacement));
  },
  { required: 3 },
);

/** All matches, or one that is counted from the first, or from the last where the number is negative. */
function chosen(matches: readonly Match[], which: number): readonly Match[] {
  if (which === 0) return matches;
  const one = matches.at(which > 0 ? which - 1 : which);
  return one === undefined ? [] : [one];
}

function withReplacements(text: string, matches: readonly Match[], replacement: string): string {
  let made = '';
  let from = 0;
  for (const match of matches) {
    made += text.slice(from, match.start) + replaced(replacement, match);
    from = match.end;
    if (made.length > MAX_TEXT) break;
  }
  return made + text.slice(from);
}

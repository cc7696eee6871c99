import { MAX_TEXT } from '../../conversions.ts';
import { gridOf } from '../../grids.ts';
import { CellError, ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import type { CallContext } from '../function.ts';
import { numberOr } from '../optional.ts';
import { limited } from './limit.ts';
import { type Match, matchesOf, type Pattern, patternOf, replaced } from './patterns.ts';

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

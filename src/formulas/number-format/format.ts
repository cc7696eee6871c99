import { textOf } from '../conversions.ts';
import { formatDate } from './date-section.ts';
import { fillFromRight, formatNumber, generalNumber, hasGroups } from './number-section.ts';
import { type Condition, parseFormat, type Section, type Token } from './tokens.ts';

const HOLDS: Readonly<Record<string, (value: number, operand: number) => boolean>> = {
  '<': (value, operand) => value < operand,
  '<=': (value, operand) => value <= operand,
  '>': (value, operand) => value > operand,
  '>=': (value, operand) => value >= operand,
  '=': (value, operand) => value === operand,
  '<>': (value, operand) => value !== operand,
};

/**
 * Formats a value with a number format code, as English Excel does, without colours and fill characters.
 * @returns undefined when the code displays nothing for this value
 */
export function formatValue(value: number | string | boolean, code: string): string | undefined {
  return formatIn(parseFormat(code), value);
}

/** The `formatValue` of one parsed code. */
export type Formatter = (value: number | string | boolean) => string | undefined;

const MOST_KNOWN = 1_000;
const known = new Map<string, Formatter>();

/** The formatter of a code, for many values; the last used codes are cached. */
export function formatterOf(code: string): Formatter {
  const found = known.get(code);
  if (found) return found;
  const sections = parseFormat(code);
  const formatter: Formatter = (value) => formatIn(sections, value);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(code, formatter);
  return formatter;
}

function formatIn(sections: readonly Section[], value: number | string | boolean): string | undefined {
  const section = sections[3] ?? sections.findLast(isOfTexts);
  if (typeof value === 'number') return formatSigned(numericSections(sections), value);
  const text = String(textOf(value));
  return section && typeof value === 'string' && text !== '' ? literals(section.tokens, text) : text;
}

function isOfTexts({ tokens }: Section): boolean {
  return tokens.some(({ kind }) => kind === 'text');
}

/** A last section with @ is for texts; without any other section, numbers appear unformatted. */
function numericSections(sections: readonly Section[]): readonly Section[] {
  const last = sections.at(-1);
  const numeric = last && sections.length < 4 && isOfTexts(last) ? sections.slice(0, -1) : sections;
  return numeric.length === 0 ? [{ tokens: [{ kind: 'general' }] }] : numeric;
}

function formatSigned(sections: readonly Section[], value: number): string | undefined {
  const index = sectionIndex(sections, value);
  const section = sections[index];
  // A value that the only condition excludes appears unformatted.
  if (section === undefined && sections.length === 1)
    return (value < 0 ? '-' : '') + generalNumber(Math.abs(value));
  if (section === undefined) return undefined;
  const { tokens } = section;
  if (isGeneral(tokens)) return withGeneral(tokens, value, sections.length > 1);
  const isSigned = value < 0 && !isOfNegatives(sections, index);
  const shown = formatUnsigned(tokens, Math.abs(value), value);
  return shown === undefined ? undefined : (isSigned && shown !== '' ? '-' : '') + shown;
}

/** Positive, negative, zero; or by the conditions, with the last section as the default. */
function sectionIndex(sections: readonly Section[], value: number): number {
  const numeric = sections.slice(0, 3);
  if (numeric.some(({ condition }) => condition)) return conditionIndex(numeric, value);
  if (value < 0) return numeric.length > 1 ? 1 : 0;
  return value === 0 && numeric.length > 2 ? 2 : 0;
}

function conditionIndex(sections: readonly Section[], value: number): number {
  return sections.findIndex(({ condition }, index) => {
    if (condition) return HOLDS[condition.operator]?.(value, condition.operand);
    if (index === 0) return sections.length === 1 || value > 0;
    return index === sections.length - 1 || value < 0;
  });
}

/** A section that only negative numbers use shows no sign except its own. */
function isOfNegatives(sections: readonly Section[], index: number): boolean {
  const condition = sections[index]?.condition;
  if (condition === undefined) return index === 1 && leavesNegatives(sections[0]?.condition);
  const { operator, operand } = condition;
  return operator === '<' ? operand <= 0 : (operator === '<=' || operator === '=') && operand < 0;
}

/**
 * Whether a first section leaves negative numbers to the second: without a condition, or with one for positive
 * numbers.
 */
function leavesNegatives(condition: Condition | undefined): boolean {
  return condition === undefined || (['>', '>='].includes(condition.operator) && condition.operand === 0);
}

function formatUnsigned(tokens: readonly Token[], size: number, value: number): string | undefined {
  const has = (...kinds: Token['kind'][]): boolean => tokens.some(({ kind }) => kinds.includes(kind));
  if (has('date', 'elapsed', 'half')) return formatDate(tokens, value < 0 && !has('elapsed') ? value : size);
  if (has('digit')) {
    const isFraction = has('slash', 'denominator') && !has('point', 'exponent');
    return isFraction ? formatFraction(tokens, size) : formatNumber(tokens, size);
  }
  return literals(tokens, generalNumber(size));
}

function isGeneral(tokens: readonly Token[]): boolean {
  const kinds = tokens.map(({ kind }) => kind);
  const others = new Set(['digit', 'date', 'elapsed', 'half']);
  return kinds.includes('general') && !kinds.some((kind) => others.has(kind));
}

/**
 * `General` shows the sign itself, also in a section for negative numbers, unless the section writes a minus
 * before it.
 */
function withGeneral(tokens: readonly Token[], value: number, isOneOfSeveral: boolean): string {
  const at = tokens.findIndex(({ kind }) => kind === 'general');
  const before = tokens[at - 1];
  const writesSign = isOneOfSeveral && before !== undefined && literalOf(before, '').endsWith('-');
  const sign = value < 0 && !writesSign ? '-' : '';
  return literals(tokens, sign + generalNumber(Math.abs(value)));
}

/** The literals of tokens, with `shown` for `General` and `@`. */
function literals(tokens: readonly Token[], shown: string): string {
  return tokens.map((token) => literalOf(token, shown)).join('');
}

function literalOf(token: Token, shown: string): string {
  if (token.kind === 'text' || token.kind === 'general') return shown;
  if (token.kind === 'percent') return '%';
  if (token.kind === 'slash') return '/';
  if (token.kind === 'point') return '.';
  if (token.kind === 'comma') return ',';
  return 'text' in token ? token.text : '';
}

/** Excel's limit of denominator digits. */
const MAX_DENOMINATOR_DIGITS = 7;

/** The tokens of a section such as `# ?/?`, in order. */
interface FractionTokens {
  /** With the tokens between it and the numerator; without digits when there is no integer part. */
  readonly whole: readonly Token[];
  readonly numerator: readonly Token[];
  readonly beforeSlash: readonly Token[];
  readonly behindSlash: readonly Token[];
  readonly denominator: readonly Token[];
  readonly rest: readonly Token[];
  /** A fixed denominator in the code. */
  readonly fixed: string | undefined;
}

/** An unsigned number in a section such as `# ?/?`: an integer and a fraction, or only a fraction. */
function formatFraction(tokens: readonly Token[], value: number): string {
  const parts = partsOf(tokens);
  const hasWhole = parts.whole.some(({ kind }) => kind === 'digit');
  const floor = hasWhole ? Math.floor(value) : 0;
  const width = Math.max(parts.numerator.length, parts.denominator.length);
  const places = Math.min(width, MAX_DENOMINATOR_DIGITS);
  const [over, under] = parts.fixed
    ? [Math.round((value - floor) * Number(parts.fixed)), Number(parts.fixed)]
    : nearestFraction(value - floor, 10 ** Math.min(parts.denominator.length, MAX_DENOMINATOR_DIGITS) - 1);
  if (hasWhole && (over === 0 || over === under)) {
    const whole = String(over === 0 ? floor : floor + 1);
    return fill(parts.whole, whole) + blanks(parts, places) + fill(parts.rest, '');
  }
  const whole = floor === 0 ? '' : String(floor);
  return fill(parts.whole, whole) + fractionText(parts, places, over, under) + fill(parts.rest, '');
}

function partsOf(tokens: readonly Token[]): FractionTokens {
  const slash = tokens.findIndex(({ kind }) => kind === 'slash' || kind === 'denominator');
  const end = tokens.slice(0, slash).findLastIndex(({ kind }) => kind === 'digit') + 1;
  const start = tokens.slice(0, end).findLastIndex(({ kind }) => kind !== 'digit') + 1;
  const sign = tokens[slash];
  const fixed = sign?.kind === 'denominator' ? sign.text : undefined;
  const first = fixed === undefined ? firstDigit(tokens, slash + 1) : slash + 1;
  const last = fixed === undefined ? endOfDigits(tokens, first) : slash + 1;
  return {
    whole: tokens.slice(0, start),
    numerator: tokens.slice(start, end),
    beforeSlash: tokens.slice(end, slash),
    behindSlash: tokens.slice(slash + 1, first),
    denominator: tokens.slice(first, last),
    rest: tokens.slice(last),
    fixed,
  };
}

function firstDigit(tokens: readonly Token[], start: number): number {
  const length = tokens.slice(start).findIndex(({ kind }) => kind === 'digit');
  return length < 0 ? tokens.length : start + length;
}

function endOfDigits(tokens: readonly Token[], start: number): number {
  const length = tokens.slice(start).findIndex(({ kind }) => kind !== 'digit');
  return length < 0 ? tokens.length : start + length;
}

/** The blanks of a zero fraction, as wide as a fraction. */
function blanks({ numerator, beforeSlash, behindSlash, fixed }: FractionTokens, places: number): string {
  const around = fill(beforeSlash, '').length + fill(behindSlash, '').length + 1;
  return ' '.repeat(fixed === undefined ? 2 * places + around : numerator.length + around + fixed.length);
}

/** When the digits of both are `?`, both are as wide as the wider one. */
function fractionText(parts: FractionTokens, places: number, over: number, under: number): string {
  const { numerator, beforeSlash, behindSlash, denominator, fixed } = parts;
  const above = fill(numerator, String(over));
  const isAligned = fixed === undefined && areAligned(numerator);
  const width = isAligned ? places : denominator.length;
  return [
    isAligned ? above.padStart(places) : above,
    fill(beforeSlash, ''),
    '/',
    fill(behindSlash, ''),
    fixed ?? (areAligned(denominator) ? String(under).padEnd(width) : String(under)),
  ].join('');
}

function fill(tokens: readonly Token[], digits: string): string {
  return fillFromRight(tokens, digits, hasGroups(tokens), (token) =>
    token.kind === 'literal' ? token.text : '',
  );
}

function areAligned(places: readonly Token[]): boolean {
  return places.every((token) => token.kind === 'digit' && token.text === '?');
}

/**
 * The last convergent of the continued fraction with a small enough denominator, as in Excel; not always the
 * nearest fraction.
 */
function nearestFraction(value: number, most: number): [over: number, under: number] {
  let [over, under, lastOver, lastUnder] = [Math.floor(value), 1, 1, 0];
  let rest = value - over;
  while (rest > 1e-12) {
    const inverse = 1 / rest;
    const term = Math.floor(inverse);
    const [nextOver, nextUnder] = [term * over + lastOver, term * under + lastUnder];
    if (nextUnder > most) break;
    [lastOver, lastUnder, over, under] = [over, under, nextOver, nextUnder];
    rest = inverse - term;
  }
  return [over, under];
}

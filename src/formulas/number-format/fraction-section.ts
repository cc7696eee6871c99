import { fillFromRight, hasGroups } from './placeholders.ts';
import type { Token } from './tokens.ts';

/** Excel shows no denominators of more digits. */
const MAX_DENOMINATOR_DIGITS = 7;

/** The tokens of a section such as `# ?/?`, in their order. */
interface FractionTokens {
  /** With what stands between it and the numerator; without places where the fraction is all. */
  readonly whole: readonly Token[];
  readonly numerator: readonly Token[];
  readonly beforeSlash: readonly Token[];
  readonly behindSlash: readonly Token[];
  readonly denominator: readonly Token[];
  readonly rest: readonly Token[];
  /** The denominator, where the code states it. */
  readonly fixed: string | undefined;
}

/** A number without its sign in a section such as `# ?/?`: a whole number and a fraction, or a fraction alone. */
export function formatFraction(tokens: readonly Token[], value: number): string {
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

/** What is shown in place of a fraction of nothing: as much room as it would take. */
function blanks({ numerator, beforeSlash, behindSlash, fixed }: FractionTokens, places: number): string {
  const around = fill(beforeSlash, '').length + fill(behindSlash, '').length + 1;
  return ' '.repeat(fixed === undefined ? 2 * places + around : numerator.length + around + fixed.length);
}

/** Where the places of both are `?`, both take the room of the one that has more of them. */
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

/** The last of the continued fractions of a number whose denominator is small enough, as Excel has it: not always the nearest. */
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

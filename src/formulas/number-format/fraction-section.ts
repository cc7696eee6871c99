import { fillFromRight } from './placeholders.ts';
import type { Token } from './tokens.ts';

/** Excel shows no denominators of more digits. */
const MAX_DENOMINATOR_DIGITS = 7;

/** A number without its sign in a section such as `# ?/?`: a whole number and a fraction, or a fraction alone. */
export function formatFraction(tokens: readonly Token[], value: number): string {
  const slash = tokens.findIndex(({ kind }) => kind === 'slash' || kind === 'denominator');
  const numeratorEnd = tokens.slice(0, slash).findLastIndex(({ kind }) => kind === 'digit') + 1;
  const numeratorStart = tokens.slice(0, numeratorEnd).findLastIndex(({ kind }) => kind !== 'digit') + 1;
  const wholePart = tokens.slice(0, numeratorStart);
  const hasWhole = wholePart.some(({ kind }) => kind === 'digit');
  const denominatorEnd = endOfDigits(tokens, slash + 1);
  const places = tokens.slice(slash + 1, denominatorEnd);
  const fixed = tokens[slash]?.kind === 'denominator' ? (tokens[slash] as { text: string }).text : undefined;

  const whole = hasWhole ? Math.floor(value) : 0;
  const [over, under] = fixed
    ? [Math.round((value - whole) * Number(fixed)), Number(fixed)]
    : nearestFraction(value - whole, 10 ** Math.min(places.length, MAX_DENOMINATOR_DIGITS) - 1);
  const carried = hasWhole && over === under ? whole + 1 : whole;
  const shown = hasWhole && over === under ? 0 : over;

  const numerator = tokens.slice(numeratorStart, numeratorEnd);
  const parts =
    hasWhole && shown === 0 && (carried > 0 || value === 0)
      ? ' '.repeat(numerator.length + 1 + (fixed ?? places).length)
      : `${fill(numerator, String(shown))}/${fixed ?? leftAligned(places, String(under))}`;
  const head = hasWhole
    ? fill(wholePart, carried === 0 && shown !== 0 ? '' : String(carried))
    : fill(wholePart, '');
  return head + parts + fill(tokens.slice(numeratorEnd, slash), '') + fill(tokens.slice(denominatorEnd), '');
}

function endOfDigits(tokens: readonly Token[], start: number): number {
  const length = tokens.slice(start).findIndex(({ kind }) => kind !== 'digit');
  return length < 0 ? tokens.length : start + length;
}

function fill(tokens: readonly Token[], digits: string): string {
  return fillFromRight(tokens, digits, false, (token) => (token.kind === 'literal' ? token.text : ''));
}

/** A denominator begins right behind its slash. */
function leftAligned(places: readonly Token[], digits: string): string {
  const padding = places
    .slice(digits.length)
    .map((token) => (token.kind === 'digit' && token.text === '?' ? ' ' : ''));
  return digits + padding.join('');
}

/** The fraction that is nearest to a number, of those with small enough denominators: by continued fractions. */
function nearestFraction(value: number, most: number): [over: number, under: number] {
  let [over, under, lastOver, lastUnder] = [Math.floor(value), 1, 1, 0];
  let rest = value - over;
  while (rest > 1e-12) {
    const inverse = 1 / rest;
    const term = Math.floor(inverse);
    const [nextOver, nextUnder] = [term * over + lastOver, term * under + lastUnder];
    if (nextUnder > most) return between(value, most, [over, under], [lastOver, lastUnder]);
    [lastOver, lastUnder, over, under] = [over, under, nextOver, nextUnder];
    rest = inverse - term;
  }
  return [over, under];
}

/** Of the last convergent and the largest step towards the next one, what is nearer. */
function between(
  value: number,
  most: number,
  [over, under]: readonly [number, number],
  [lastOver, lastUnder]: readonly [number, number],
): [over: number, under: number] {
  const steps = Math.floor((most - lastUnder) / under);
  const [nextOver, nextUnder] = [steps * over + lastOver, steps * under + lastUnder];
  const isNearer = Math.abs(nextOver / nextUnder - value) < Math.abs(over / under - value);
  return isNearer ? [nextOver, nextUnder] : [over, under];
}

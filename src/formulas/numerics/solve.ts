/**
 * A zero of a function between two arguments with different signs, to full precision, by bisection and inverse
 * interpolation (an ITP method like Brent's); undefined when the signs are equal.
 */
export function findZero(f: (x: number) => number, low: number, high: number): number | undefined {
  let [a, b] = [low, high];
  let [fa, fb] = [f(a), f(b)];
  if (fa === 0) return a;
  if (fb === 0) return b;
  if (!(fa < 0 !== fb < 0) || Number.isNaN(fa + fb)) return undefined;
  for (let i = 0; i < 300; i += 1) {
    const middle = nextPlace(a, b, fa, fb, i);
    if (middle <= Math.min(a, b) || middle >= Math.max(a, b)) break;
    const value = f(middle);
    if (value === 0) return middle;
    if (value < 0 === fa < 0) [a, fa] = [middle, value];
    else [b, fb] = [middle, value];
  }
  return Math.abs(fa) < Math.abs(fb) ? a : b;
}

/** Every third step bisects, so that the search ends for a flat function too. */
function nextPlace(a: number, b: number, fa: number, fb: number, i: number): number {
  const halved = a + (b - a) / 2;
  if (i % 3 === 2) return halved;
  const secant = (a * fb - b * fa) / (fb - fa);
  const least = Math.abs(b - a) * (i % 3 === 1 ? 0.001 : 0);
  const inside = Math.min(Math.max(secant, Math.min(a, b) + least), Math.max(a, b) - least);
  return Number.isFinite(inside) ? inside : halved;
}

/** The x from 0 up at which an increasing function reaches a level; undefined when it never does. */
export function invertRising(f: (x: number) => number, level: number, start = 1): number | undefined {
  let high = start;
  while (f(high) < level) {
    high *= 2;
    if (high === Number.POSITIVE_INFINITY) return undefined;
  }
  let low = high / 2;
  while (low > 0 && f(low) > level) low /= 2;
  return findZero((x) => f(x) - level, low, high);
}

/**
 * A rate at which a function is 0: by Newton's method from a guess, else between arguments on both sides of the
 * guess with different signs; undefined when both fail.
 * @param f defined above -1
 */
export function findRate(f: (rate: number) => number, guess: number): number | undefined {
  return stepToRate(f, guess) ?? scanForRate(f, guess);
}

function stepToRate(f: (rate: number) => number, guess: number): number | undefined {
  let rate = guess;
  for (let i = 0; i < 60; i += 1) {
    const value = f(rate);
    if (value === 0) return rate;
    const width = 1e-6 * Math.max(1e-3, Math.abs(rate));
    const slope = (f(rate + width) - f(rate - width)) / (2 * width);
    const next = rate - value / slope;
    if (!Number.isFinite(next) || next <= -1) return undefined;
    if (Math.abs(next - rate) <= 1e-14 * Math.max(1, Math.abs(next))) return next;
    rate = next;
  }
  return Math.abs(f(rate)) < 1e-9 ? rate : undefined;
}

function scanForRate(f: (rate: number) => number, guess: number): number | undefined {
  let [low, high] = [guess, guess];
  let [atLow, atHigh] = [f(guess), f(guess)];
  for (let i = 0; i < 120; i += 1) {
    const lower = -1 + (low + 1) * 0.8;
    const higher = (high + 1) * 1.25 - 1;
    const [atLower, atHigher] = [f(lower), f(higher)];
    if (atHigh < 0 !== atHigher < 0) return findZero(f, high, higher);
    if (atLow < 0 !== atLower < 0) return findZero(f, lower, low);
    [low, high, atLow, atHigh] = [lower, higher, atLower, atHigher];
  }
  return undefined;
}

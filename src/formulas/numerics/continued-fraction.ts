const TINY = 1e-300;

/** One step of a continued fraction: first + above1 / (below1 + above2 / (below2 + …)). */
export interface Step {
  readonly above: number;
  readonly below: number;
}

/** The value of a continued fraction by Lentz' method; ends after 100,000 steps if it does not converge before. */
export function continuedFraction(first: number, step: (i: number) => Step): number {
  let value = first === 0 ? TINY : first;
  let c = value;
  let d = 0;
  for (let i = 1; i < 100_000; i += 1) {
    const { above, below } = step(i);
    d = 1 / (below + above * d || TINY);
    c = below + above / c || TINY;
    const factor = c * d;
    value *= factor;
    if (Math.abs(factor - 1) < 1e-16) break;
  }
  return value;
}

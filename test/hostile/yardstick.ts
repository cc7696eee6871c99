/** A work that tells how fast a machine is. */
const TEXTS = Array.from({ length: 30_000 }, (_, i) => `row ${(i * 7_919) % 30_011}`);

/** What the yardstick takes, in milliseconds, on the machine on which the bound was set while it does nothing else. */
const USUAL_MS = 10;
const ROUNDS = 5;
const ROUNDS_BEFORE = 20;

let isCompiled = false;

/** Compiles what is measured. Few servers are asked how slow they are: the others are spared half a second. */
function warmUp(): void {
  if (isCompiled) return;
  isCompiled = true;
  for (let i = 0; i < ROUNDS_BEFORE; i++) yardstick();
}

/**
 * How many times as long as usual this thread takes for what it does, at least 1: what takes 100 ms on one machine takes
 * 200 on another. By the fastest of some rounds, so that what else the machine does at times is left out.
 */
export function slowness(): number {
  warmUp();
  return Math.max(1, Math.min(...Array.from({ length: ROUNDS }, measureYardstick)) / USUAL_MS);
}

function measureYardstick(): number {
  const start = performance.now();
  yardstick();
  return performance.now() - start;
}

/** Comparisons of texts all over the memory, and little garbage, which would be collected at some times only. */
function yardstick(): void {
  TEXTS.toSorted((a, b) => (a < b ? -1 : 1));
}

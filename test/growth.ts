import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What the time of twice the input may be of the time of the input: 2 is linear, 4 is quadratic. */
const MOST_GROWTH = 2.6;
/** An input that takes so long is large enough to tell, in milliseconds of processor time. */
const LONG_ENOUGH = 8;
/** A shorter work is repeated until it has taken so long. */
const MEASURED = 4;
/** What takes so long is not doubled again. */
const LONG_MS = 100;
const ROUNDS = 4;
/** What is quadratic fails in each of them; a collection of garbage spoils several in a row now and then. */
const TRIES = 10;

/**
 * Asserts that `work` takes a time that grows with the size of its input and no faster: twice the input, at most 2.6
 * times the processor time, and so again from half of the input to all of it. `make` builds an input of a size; `size` is
 * the largest that is doubled. The input grows towards it until the work can be measured, so that what is quadratic fails
 * soon instead of taking minutes.
 */
export async function assertLinear<T>(
  name: string,
  make: (size: number) => T,
  work: (input: T) => unknown | Promise<unknown>,
  { size: largest = 1 << 16 }: { size?: number } = {},
): Promise<void> {
  const size = await measurableSize(make, work, largest);
  const ratios: number[] = [];
  let measured = size;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) collectGarbage();
    const { half, once, twice } = await growthAt(measured, make, work);
    // One doubling alone can look linear on a busy machine: 16 times the time for 4 times the input cannot.
    if (twice <= MOST_GROWTH * once && twice <= MOST_GROWTH ** 2 * half) return;
    ratios.push(twice / once);
    // Around some sizes caches end or much garbage is collected at once, which looks like growth; what is quadratic is so
    // at each size, and so they are tried in turn.
    measured = twice < LONG_MS ? measured * 2 : size;
  }
  const seen = ratios.map((ratio) => ratio.toFixed(1)).join(', ');
  assert.fail(
    `${name}: twice the input of ${size} and more takes ${seen} times the time, more than ${MOST_GROWTH}`,
  );
}

/** What was measured before leaves none of its garbage to what is measured next. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** The first size, of halves of the largest, that takes long enough. Running the smaller ones also warms up the code. */
async function measurableSize<T>(make: (size: number) => T, work: (input: T) => unknown, largest: number) {
  let size = Math.max(1, largest >> 9);
  while (size < largest && (await timeOf(make(size), work)) < LONG_ENOUGH) size *= 2;
  return Math.min(size, largest);
}

/** The sizes are measured in turn, so that a machine that is busy for a while slows down all. */
async function growthAt<T>(size: number, make: (size: number) => T, work: (input: T) => unknown) {
  const [less, input, double] = [make(Math.ceil(size / 2)), make(size), make(size * 2)];
  let half = Number.POSITIVE_INFINITY;
  let once = Number.POSITIVE_INFINITY;
  let twice = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    half = Math.min(half, await timeOf(less, work));
    once = Math.min(once, await timeOf(input, work));
    twice = Math.min(twice, await timeOf(double, work));
  }
  return { half, once, twice };
}

/** Processor time of the work in milliseconds, that of its threads included. */
async function timeOf<T>(input: T, work: (input: T) => unknown): Promise<number> {
  const start = process.cpuUsage();
  for (let runs = 1; ; runs++) {
    const pending = work(input);
    if (pending instanceof Promise) await pending;
    const { user, system } = process.cpuUsage(start);
    const spent = (user + system) / 1000;
    if (spent >= MEASURED) return spent / runs;
  }
}

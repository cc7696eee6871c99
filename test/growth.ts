import assert from 'node:assert/strict';

/** What the time of twice the input may be of the time of the input: 2 is linear, 4 is quadratic. */
const MOST_GROWTH = 2.6;
/** An input that takes so long is large enough to tell, in milliseconds of processor time. */
const LONG_ENOUGH = 8;
/** A shorter work is repeated until it has taken so long. */
const MEASURED = 4;
/** What takes so long is not doubled again. */
const LONG_MS = 100;
const ROUNDS = 4;
const TRIES = 4;

/**
 * Asserts that `work` takes a time that grows with the size of its input and no faster: twice the input, at most 2.6
 * times the processor time. `make` builds an input of a size; `size` is the largest that is doubled. The input grows
 * towards it until the work can be measured, so that what is quadratic fails soon instead of taking minutes.
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
    const { once, twice } = await growthAt(measured, make, work);
    if (twice <= MOST_GROWTH * once) return;
    ratios.push(twice / once);
    // From some size on much garbage is collected at once, which looks like growth; what is quadratic is so at each size.
    if (twice < LONG_MS) measured *= 2;
  }
  const seen = ratios.map((ratio) => ratio.toFixed(1)).join(', ');
  assert.fail(
    `${name}: twice the input of ${size} and more takes ${seen} times the time, more than ${MOST_GROWTH}`,
  );
}

/** The first size, of halves of the largest, that takes long enough. Running the smaller ones also warms up the code. */
async function measurableSize<T>(make: (size: number) => T, work: (input: T) => unknown, largest: number) {
  let size = Math.max(1, largest >> 9);
  while (size < largest && (await timeOf(make(size), work)) < LONG_ENOUGH) size *= 2;
  return Math.min(size, largest);
}

/** Both sizes are measured in turn, so that a machine that is busy for a while slows down both. */
async function growthAt<T>(size: number, make: (size: number) => T, work: (input: T) => unknown) {
  const [input, double] = [make(size), make(size * 2)];
  let once = Number.POSITIVE_INFINITY;
  let twice = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    once = Math.min(once, await timeOf(input, work));
    twice = Math.min(twice, await timeOf(double, work));
  }
  return { once, twice };
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

import type { Random } from '../mail/random.ts';
import type { SizeClass } from './workspaces.ts';

/** Above so many expected in a shard, their number is drawn from the normal distribution. */
const MANY = 25;

/**
 * Places workspaces on shards, each by chance, as the hash of their ids does; returns the people of each shard. Of classes
 * with more workspaces than shards only the numbers are drawn.
 */
export function placed(classes: readonly SizeClass[], shards: number, random: Random): Float64Array {
  const people = new Float64Array(shards);
  for (const { size, count } of classes) {
    if (count <= shards) {
      for (let n = 0; n < count; n++) add(people, random.below(shards), size);
      continue;
    }
    let left = count;
    for (let shard = 0; shard < shards; shard++) {
      const here = shard === shards - 1 ? left : binomial(left, 1 / (shards - shard), random);
      add(people, shard, here * size);
      left -= here;
    }
  }
  return people;
}

function add(people: Float64Array, shard: number, more: number): void {
  people[shard] = (people[shard] ?? 0) + more;
}

/** How many of so many come about, each with this probability. */
function binomial(count: number, probability: number, random: Random): number {
  const mean = count * probability;
  if (mean > MANY) {
    const deviation = Math.sqrt(mean * (1 - probability));
    return Math.min(count, Math.max(0, Math.round(mean + deviation * normal(random))));
  }
  // By inversion: the probability of each number from that of the one before it.
  const odds = probability / (1 - probability);
  let term = (1 - probability) ** count;
  let left = random.next();
  let drawn = 0;
  while (left > term && drawn < count) {
    left -= term;
    term *= (odds * (count - drawn)) / (drawn + 1);
    drawn++;
  }
  return drawn;
}

/** Of mean 0 and deviation 1, after Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** Workspaces that get a shard of their own, and those that stay together. */
export interface Isolation {
  readonly isolated: readonly SizeClass[];
  readonly together: readonly SizeClass[];
}

/** Isolates the workspaces of more people than this. */
export function isolate(classes: readonly SizeClass[], above: number): Isolation {
  return {
    isolated: classes.filter(({ size }) => size > above),
    together: classes.filter(({ size }) => size <= above),
  };
}

/** Shards as they are moved until all workers have about the same. */
export interface Balance {
  /** People of each worker when the shards are dealt out in turn. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Shards that were moved, and the people on them. */
  readonly moves: number;
  readonly moved: number;
}

/**
 * Deals shards out to workers in turn and moves single ones from the fullest worker to the emptiest until each is within the
 * threshold of the mean, or no move makes it better: as `citus_rebalance_start` does by the size of shards.
 */
export function balance(shards: readonly number[], workers: number, threshold: number): Balance {
  const held = Array.from({ length: workers }, (): number[] => []);
  shards.forEach((size, shard) => void held[shard % workers]?.push(size));
  for (const sizes of held) sizes.sort((a, b) => a - b);
  const before = held.map(sum);
  const after = [...before];
  const mean = sum(before) / workers;
  let [moves, moved] = [0, 0];
  for (;;) {
    const [fullest, emptiest] = extremes(after);
    const [most, least] = [after[fullest] ?? 0, after[emptiest] ?? 0];
    if (most <= mean * (1 + threshold) && least >= mean * (1 - threshold)) break;
    const at = movable(held[fullest] ?? [], most - least);
    if (at < 0) break;
    const [size = 0] = held[fullest]?.splice(at, 1) ?? [];
    const into = held[emptiest] ?? [];
    into.splice(into.findLastIndex((other) => other <= size) + 1, 0, size);
    after[fullest] = most - size;
    after[emptiest] = least + size;
    moves++;
    moved += size;
  }
  return { before, after, moves, moved };
}

/** Of sizes in order, the one that brings two workers with this gap closest together; -1 where each would part them more. */
function movable(sizes: readonly number[], gap: number): number {
  const half = sizes.findLastIndex((size) => size <= gap / 2);
  if ((sizes[half] ?? 0) > 0) return half;
  return sizes.findIndex((size) => size > 0 && size < gap);
}

function extremes(values: readonly number[]): [most: number, least: number] {
  let [most, least] = [0, 0];
  values.forEach((value, at) => {
    if (value > (values[most] ?? 0)) most = at;
    if (value < (values[least] ?? 0)) least = at;
  });
  return [most, least];
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}

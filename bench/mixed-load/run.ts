import { setTimeout as pause } from 'node:timers/promises';
import { type LoadResult, load } from '../load.ts';
import { processorSeconds } from '../mail/measuring.ts';
import { residentMegabytes } from '../mail/servers.ts';
import { type Crowd, gather } from './crowd.ts';
import { makeWorld, type Target, type World } from './world.ts';

/** A server in a process of its own. */
export interface Served extends Target {
  pid: number;
}

/** How long and how much. */
export interface MixedLoad {
  seconds: number;
  /** Each of which has a request under way at any time. */
  connections: number;
  /** Those that are slow or idle beside them. */
  crowd: number;
}

export interface Outcome {
  result: LoadResult;
  /** Of the server while the load went on, in millions of bytes: the median of each third. */
  resident: [first: number, second: number, last: number];
  /** Seconds of processor time that the server used meanwhile. */
  processor: number;
  crowd: Crowd;
  world: World;
}

const LOOK_EVERY_MS = 250;

/** Puts a server under load. The crowd is still there when it is over, so that it can be watched; it has to be dispersed. */
export async function mixedLoad(
  served: Served,
  { seconds, connections, crowd: count }: MixedLoad,
): Promise<Outcome> {
  const world = await makeWorld(served);
  const crowd = gather(served, world, count);
  const resident: number[] = [];
  const before = await processorSeconds(served);
  const running = load({ url: served.url, connections, seconds, requests: world.requests });
  let isOver = false;
  const over = running.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  while (!isOver) {
    resident.push(residentMegabytes(served));
    await Promise.race([pause(LOOK_EVERY_MS), over]);
  }
  try {
    const result = await over;
    const processor = (await processorSeconds(served)) - before;
    return { result, resident: thirdsOf(resident), processor, crowd, world };
  } catch (error) {
    crowd.disperse();
    throw error;
  }
}

function thirdsOf(values: readonly number[]): Outcome['resident'] {
  const third = Math.floor(values.length / 3);
  const median = (from: number, to?: number) => {
    const part = values.slice(from, to).sort((a, b) => a - b);
    return part[Math.floor(part.length / 2)] ?? Number.NaN;
  };
  return [median(0, third), median(third, 2 * third), median(2 * third)];
}

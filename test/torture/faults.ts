import { setTimeout as pause } from 'node:timers/promises';
import { type Conditions, ORDINARY } from './faulty-process.ts';
import type { Ground } from './ground.ts';
import type { Nodes } from './nodes.ts';
import type { PostgresOnSmallDisk } from './postgres-on-small-disk.ts';
import type { Random } from './random.ts';
import { recovered } from './recovery.ts';

/** Something that goes wrong for a while. */
export interface Fault {
  name: FaultName;
  /** While it lasts, and for a moment after, "unavailable" is an honest answer. */
  excuses: boolean;
  /** Resolves when it is over and servers serve. */
  happen(random: Random): Promise<void>;
}

export const FAULTS = [
  'kill',
  'restart of the database',
  'store away',
  'clock',
  'slow disk',
  'disk that does not sync',
  'full disk',
  'full disk of the database',
  'end of a database whose disk is full',
] as const;

export type FaultName = (typeof FAULTS)[number];

const MINUTE_MS = 60_000;
/** How far clocks go wrong: as far as somebody sets one by hand. */
const SKEWS = [-30 * MINUTE_MS, -MINUTE_MS, -5_000, 20 * MINUTE_MS];
const SLOW_MS = 250;
const LASTS_MS = { least: 300, most: 1_500 };

/** What can go wrong on this ground; with servers that are killed most often. */
export function faultsOf(ground: Ground, nodes: Nodes, indices: readonly number[]): Fault[] {
  const { postgres, s3, disk } = ground;
  const whenRecovered = async () =>
    void (await Promise.all(nodes.addresses.map((address) => recovered(address, ground))));
  const last: Lasting = (random, begin, end) => goOn(random, begin, end, whenRecovered);
  const restart = async (random: Random) => {
    const index = random.pick(indices);
    await nodes.kill(index);
    await nodes.start(index);
  };
  const faults: Fault[] = [
    { name: 'kill', excuses: false, happen: restart },
    { name: 'kill', excuses: false, happen: restart },
    clock(nodes, indices),
    ...disks(nodes, indices, last),
  ];
  if (postgres) faults.push(...ofDatabase(postgres, last));
  if (s3) {
    const begin = (random: Random) => {
      const how = random.pick(['drop', 'slow down', 'drop answer'] as const);
      s3.fault = () => how;
    };
    const end = () => {
      s3.fault = undefined;
    };
    faults.push({ name: 'store away', excuses: true, happen: (random) => last(random, begin, end) });
  }
  if (disk) {
    const happen = (random: Random) => last(random, disk.fill, disk.makeRoom);
    faults.push({ name: 'full disk', excuses: true, happen });
  }
  return faults;
}

/** Steps while others write. It may stay wrong where no other node has one: leases of mail are told by it. */
function clock(nodes: Nodes, indices: readonly number[]): Fault {
  const happen = async (random: Random) => {
    const index = random.pick(indices);
    nodes.tell(index, { ...ORDINARY, clockAheadMs: random.pick(SKEWS) });
    await aWhile(random);
    if (indices.length > 1 || random.chance(0.5)) nodes.tell(index, ORDINARY);
  };
  return { name: 'clock', excuses: false, happen };
}

function disks(nodes: Nodes, indices: readonly number[], last: Lasting): Fault[] {
  const under = (change: Partial<Conditions>) => (random: Random) => {
    const tellAll = (conditions: Conditions) => {
      for (const index of indices) nodes.tell(index, conditions);
    };
    const begin = () => tellAll({ ...ORDINARY, ...change });
    return last(random, begin, () => tellAll(ORDINARY));
  };
  return [
    { name: 'slow disk', excuses: false, happen: under({ syncTakesMs: SLOW_MS }) },
    { name: 'disk that does not sync', excuses: true, happen: under({ syncFails: true }) },
  ];
}

function ofDatabase({ restart, disk, useUpLog }: PostgresOnSmallDisk, last: Lasting): Fault[] {
  const faults: Fault[] = [{ name: 'restart of the database', excuses: true, happen: restart }];
  if (!disk) return faults;
  const without = (begin: () => Promise<void>) => (random: Random) => last(random, begin, disk.makeRoom);
  const end = async () => {
    await disk.fill();
    await useUpLog();
  };
  return [
    ...faults,
    { name: 'full disk of the database', excuses: true, happen: without(disk.fill) },
    { name: 'end of a database whose disk is full', excuses: true, happen: without(end) },
  ];
}

/** Something that goes on for a while, from its beginning until all servers serve again after its end. */
type Lasting = (
  random: Random,
  begin: (random: Random) => void | Promise<void>,
  end: () => void,
) => Promise<void>;

/** When it is over, all servers must find out by themselves. */
async function goOn(
  random: Random,
  begin: (random: Random) => void | Promise<void>,
  end: () => void,
  whenRecovered: () => Promise<void>,
): Promise<void> {
  try {
    await begin(random);
    await aWhile(random);
  } finally {
    end();
  }
  await whenRecovered();
}

function aWhile(random: Random): Promise<void> {
  return pause(LASTS_MS.least + random.int(LASTS_MS.most - LASTS_MS.least));
}

import { setTimeout as pause } from 'node:timers/promises';
import {
  acknowledgedBy,
  type Client,
  prove,
  proveKinds,
  proveMirrors,
  startClients,
  startMirrors,
  whileFollowing,
} from './clients.ts';
import { type Cluster, type Setting, startCluster } from './cluster.ts';
import { type Random, randomOf } from './random.ts';
import { makeWorld } from './world.ts';

/** How long and how hard. */
export interface Torture {
  setting: Setting;
  /** The same choices of writes and of instants for the same seed. */
  seed: string;
  /** Milliseconds of writing, or until everything has gone wrong once; what comes after takes as long as it takes. */
  writingMs: number;
  /** Of how many each client repeats the answers in the end. */
  replays: number;
}

/** What a run has done. */
export interface Outcome {
  writes: number;
  losses: number;
  faults: Cluster['faults'];
}

const PEOPLE = 3;
/** So many writes are acknowledged at most between two faults, however fast the machine is. */
const MOST_BETWEEN = 60;
const POLL_MS = 5;
/** So that a fault comes at any moment of a write. */
const JITTER_MS = 30;

/**
 * Writes to everything at once while servers are killed and the ground fails under them, and proves that what was acknowledged is there once, and what
 * was not is there wholly or not at all, and that the change feed has told all of it. Rejects with the first thing that is not so.
 */
export async function torture(given: Torture): Promise<Outcome> {
  const random = randomOf(given.seed);
  const cluster = await startCluster(given.setting);
  try {
    const world = await makeWorld(cluster, random, PEOPLE);
    const mirrors = await startMirrors(cluster, world, random);
    const clients = await startClients(cluster, world, random);
    const writing = write(cluster, clients, random, given.writingMs);
    await Promise.race([whileFollowing(mirrors, writing), cluster.crashed]);
    await Promise.race([prove(cluster, world, clients, given.replays), cluster.crashed]);
    await Promise.race([proveMirrors(mirrors, clients), cluster.crashed]);
    proveKinds(mirrors);
    await cluster.verify();
    await cluster.stop();
    return { writes: acknowledgedBy(clients), losses: cluster.losses, faults: cluster.faults };
  } catch (error) {
    await cluster.stop({ keepLog: true });
    throw new Error(`Seed ${given.seed} on ${given.setting}; the servers logged to ${cluster.log}`, {
      cause: error,
    });
  }
}

async function write(cluster: Cluster, clients: Client[], random: Random, ms: number): Promise<void> {
  const until = performance.now() + ms;
  const goesOn = () => performance.now() < until || !cluster.hasSuffered;
  const writing = clients.map(async ({ area }) => {
    while (goesOn()) await area.step();
  });
  const failing = async () => {
    const instants = random.fork('faults');
    while (goesOn()) {
      const enough = acknowledgedBy(clients) + instants.int(MOST_BETWEEN);
      while (goesOn() && acknowledgedBy(clients) < enough) await pause(POLL_MS);
      await pause(instants.int(JITTER_MS));
      await cluster.fail(instants);
    }
  };
  await Promise.all([...writing, failing()]);
}

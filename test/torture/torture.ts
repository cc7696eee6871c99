import { setTimeout as pause } from 'node:timers/promises';
import { type Actor, makeActor } from './actor.ts';
import type { Area, StartArea, World } from './area.ts';
import { proveRooms, startCalendar } from './areas/calendar.ts';
import { startContacts } from './areas/contacts.ts';
import { proveSharedDocument, startDocuments } from './areas/documents.ts';
import { startFiles } from './areas/files.ts';
import { startMail } from './areas/mail.ts';
import { proveSending, startSending } from './areas/sending.ts';
import { startFilters, startGroups, startKeys } from './areas/settings.ts';
import { proveSharedSpreadsheet, startSpreadsheets } from './areas/spreadsheets.ts';
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

const AREAS: Record<string, StartArea> = {
  mail: startMail,
  sending: startSending,
  contacts: startContacts,
  files: startFiles,
  documents: startDocuments,
  spreadsheets: startSpreadsheets,
  calendar: startCalendar,
  filters: startFilters,
  groups: startGroups,
  keys: startKeys,
};
const PEOPLE = 3;
/** So many writes are acknowledged at most between two faults, however fast the machine is. */
const MOST_BETWEEN = 60;
const POLL_MS = 5;
/** So that a fault comes at any moment of a write. */
const JITTER_MS = 30;

interface Client {
  actor: Actor;
  area: Area;
}

/**
 * Writes to everything at once while servers are killed and the ground fails under them, and proves that what was acknowledged is there once, and what
 * was not is there wholly or not at all. Rejects with the first thing that is not so.
 */
export async function torture(given: Torture): Promise<Outcome> {
  const random = randomOf(given.seed);
  const cluster = await startCluster(given.setting);
  try {
    const world = await makeWorld(cluster, random, PEOPLE);
    const clients = await startClients(cluster, world, random);
    await Promise.race([write(cluster, clients, random, given.writingMs), cluster.crashed]);
    await Promise.race([prove(cluster, world, clients, given.replays), cluster.crashed]);
    await cluster.stop();
    return { writes: acknowledgedBy(clients), losses: cluster.losses, faults: cluster.faults };
  } catch (error) {
    await cluster.stop({ keepLog: true });
    throw new Error(`Seed ${given.seed} on ${given.setting}; the servers logged to ${cluster.log}`, {
      cause: error,
    });
  }
}

async function startClients(cluster: Cluster, world: World, random: Random): Promise<Client[]> {
  const started = world.people.flatMap((person) =>
    Object.entries(AREAS).map(async ([name, start]) => {
      const actor = makeActor(cluster, person.key, random.fork(`${person.email} ${name}`));
      return { actor, area: await start({ actor, person, world }) };
    }),
  );
  return Promise.all(started);
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

async function prove(
  cluster: Cluster,
  world: World,
  clients: readonly Client[],
  replays: number,
): Promise<void> {
  const all = async () => {
    await Promise.all(clients.map(({ area }) => area.prove()));
    const reader = makeActor(cluster, clients[0]?.actor.key ?? '', randomOf('proof'));
    await proveSharedDocument(reader, world);
    await proveSharedSpreadsheet(reader, world);
    await proveRooms(reader, world);
  };
  await all();
  await Promise.all(clients.map(({ actor }) => actor.replay(replays)));
  await all();
  await proveSending(cluster, world);
  await cluster.verify();
}

function acknowledgedBy(clients: readonly Client[]): number {
  return clients.reduce((sum, { actor }) => sum + actor.acknowledged, 0);
}

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { OWNER_KEY } from '../harness.ts';
import { makeActor } from '../torture/actor.ts';
import type { World } from '../torture/area.ts';
import {
  type Client,
  prove,
  proveAreas,
  proveKinds,
  proveMirrors,
  startClients,
  startMirrors,
  whileFollowing,
} from '../torture/clients.ts';
import type { Entry, MailEntry } from '../torture/ledger.ts';
import type { Mirror } from '../torture/mirror.ts';
import { type Random, randomOf } from '../torture/random.ts';
import { makeWorld } from '../torture/world.ts';
import { inboxOf, startArriving } from './arriving.ts';
import { FAULTS, type FailoverCluster, type FaultName, startFailoverCluster } from './cluster.ts';

/** How long and how hard. */
export interface Failover {
  /** The same choices of writes and of faults for the same seed. */
  seed: string;
  /** It ends after so many promotions. */
  promotions: number;
  /** No round begins after so many milliseconds, or all faults, whichever is later. */
  withinMs: number;
  people: number;
  /** The areas that are written; all unless given. */
  areas?: readonly string[];
  /** Clients that send mail by SMTP. */
  senders: number;
  /** Writes that are answered at most before a fault, and after it. */
  mostWrites: number;
  /** Whether `atrium verify` runs after each fault, and not only in the end. */
  verifiesEach: boolean;
  /** Told after each round. */
  report?: (line: string) => void;
}

/** What a run has done. */
export interface Outcome {
  clients: number;
  /** In the ledger. */
  acknowledged: number;
  lostAnswers: number;
  faults: Readonly<Record<string, number>>;
  /** For each fault the longest time in milliseconds in which no write was answered, in the rounds that had it. */
  pauses: Readonly<Record<FaultName, number>>;
  /** Entries of the ledger that were lost when the standby was asynchronous. */
  lostAsynchronously: number;
}

const POLL_MS = 5;
/** So that a fault comes at any moment of a write. */
const JITTER_MS = 30;
/** So many entries of before the last round are asked again after each, and all in the end. */
const SAMPLE = 200;
/** So many are asked at once. */
const AT_ONCE = 16;
/** Of how many each client repeats the answers in the end; the ledger has all. */
const REPLAYS = 5;
/** Writes that are answered while the standby hears nothing. */
const UNHEARD = 20;

/** What one run works with. */
interface Run {
  cluster: FailoverCluster;
  world: World;
  clients: Client[];
  mirrors: Mirror[];
  random: Random;
  /** As in the outcome. */
  pauses: Record<FaultName, number>;
}

/**
 * Writes to everything while primaries, standbys, nodes and links fail, and proves after each fault that whatever was
 * acknowledged is there once and is answered as before; then makes the standby asynchronous, and proves that the same proof finds
 * what is lost.
 */
export async function failover(given: Failover): Promise<Outcome> {
  const random = randomOf(given.seed);
  const cluster = await startFailoverCluster();
  try {
    const world = await makeWorld(cluster, random, given.people);
    const mirrors = await startMirrors(cluster, world, random);
    const clients = await startAll(given, cluster, world, random);
    const pauses = Object.fromEntries(FAULTS.map((name) => [name, 0])) as Run['pauses'];
    const run: Run = { cluster, world, mirrors, random, clients, pauses };
    const whole = async () => {
      await suffer(run, given);
      await proveAll(run, given.areas === undefined);
      return loseWithout(run);
    };
    const lostAsynchronously = await Promise.race([whole(), cluster.crashed]);
    const { losses, faults, ledger } = cluster;
    await cluster.stop();
    return {
      clients: run.clients.length,
      acknowledged: ledger.count,
      lostAnswers: losses,
      faults,
      pauses: run.pauses,
      lostAsynchronously,
    };
  } catch (error) {
    await cluster.stop({ keepLog: true });
    throw new Error(`Seed ${given.seed}; the servers logged to ${cluster.log}`, { cause: error });
  }
}

async function startAll(
  { areas, senders }: Failover,
  cluster: FailoverCluster,
  world: World,
  random: Random,
): Promise<Client[]> {
  const arriving = Array.from({ length: senders }, async (_, n) => {
    const actor = makeActor(cluster, OWNER_KEY, random.fork(`sender ${n}`));
    return { actor, area: await startArriving(cluster, actor, `sender${n}`) };
  });
  return (await Promise.all([startClients(cluster, world, random, areas), Promise.all(arriving)])).flat();
}

/** Rounds of writing, each with a fault in it and a proof after it. Each of the faults comes, promotions most often. */
async function suffer(run: Run, given: Failover): Promise<void> {
  const { cluster, random } = run;
  const instants = random.fork('faults');
  const until = performance.now() + given.withinMs;
  let deck: FaultName[] = [];
  let proven = 0;
  const made = () => cluster.faults.promotion ?? 0;
  while (made() < given.promotions || !cluster.hasSuffered) {
    if (performance.now() > until && cluster.hasSuffered) return;
    if (deck.length === 0) deck = instants.shuffled([...FAULTS, 'promotion']);
    const fault = deck.pop() as FaultName;
    if (fault === 'promotion' && made() >= given.promotions) continue;
    const pauseMs = await writeThrough(run, fault, instants, given.mostWrites);
    run.pauses[fault] = Math.max(run.pauses[fault], pauseMs);
    await proveAreas(run.clients);
    await proveLedger(cluster, proven, instants);
    proven = cluster.ledger.count;
    if (given.verifiesEach) await cluster.verify();
    given.report?.(`${fault}: ${proven} in the ledger, ${made()} promotions, longest pause ${pauseMs} ms`);
  }
}

/** Writes before, while and after this goes wrong. Answers the longest pause in milliseconds. */
async function writeThrough(run: Run, fault: FaultName, instants: Random, most: number): Promise<number> {
  const { cluster } = run;
  const some = () => answered(cluster, 1 + instants.int(most));
  cluster.ledger.beginPauses();
  await writing(run, async () => {
    await some();
    await pause(instants.int(JITTER_MS));
    await cluster.suffer(fault, instants);
    await some();
  });
  return cluster.ledger.endPauses();
}

/** Lets all write until this is over. */
async function writing({ clients, mirrors }: Run, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const worked = work().finally(() => {
    isOver = true;
  });
  const each = clients.map(async ({ area }) => {
    while (!isOver) await area.step();
  });
  await whileFollowing(
    mirrors,
    Promise.all([worked, ...each]).then(() => undefined),
  );
}

async function answered({ ledger }: FailoverCluster, writes: number): Promise<void> {
  const enough = ledger.count + writes;
  while (ledger.count < enough) await pause(POLL_MS);
}

async function proveAll(
  { cluster, world, clients, mirrors, random }: Run,
  isOfAllAreas: boolean,
): Promise<void> {
  await proveLedger(cluster, 0, random);
  await prove(cluster, world, clients, REPLAYS);
  await proveMirrors(mirrors, clients);
  if (isOfAllAreas) proveKinds(mirrors);
  await cluster.verify();
}

/**
 * Everything in the ledger from this entry on, and a sample of what was before, is answered with the same bytes again, and mail
 * is in its inbox once.
 */
async function proveLedger(cluster: FailoverCluster, from: number, random: Random): Promise<void> {
  const lost = await lostOf(cluster, from, random);
  assert.equal(lost.length, 0, `${lost.length} acknowledged writes are lost or changed: ${lost.slice(0, 3)}`);
}

async function lostOf(cluster: FailoverCluster, from: number, random: Random): Promise<string[]> {
  const entries = await cluster.ledger.read(0);
  const before = random.shuffled(entries.slice(0, from)).slice(0, SAMPLE);
  const asked = [...entries.slice(from), ...before].values();
  const actorOf = (key: string) => makeActor(cluster, key, random.fork(key));
  const inboxes = new Map<string, Promise<string[]>>();
  const complaintOf = async (entry: Entry | MailEntry) => {
    if ('write' in entry) return actorOf(entry.key).repeat(entry);
    const { key, subject } = entry;
    const inbox = inboxes.get(key) ?? inboxOf(actorOf(key));
    inboxes.set(key, inbox);
    const found = (await inbox).filter((one) => one === subject).length;
    return found === 1 ? undefined : `mail ${subject} is there ${found} times`;
  };
  const lost: string[] = [];
  const ask = async () => {
    for (const entry of asked) {
      const complaint = await complaintOf(entry);
      if (complaint) lost.push(complaint);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return lost;
}

/**
 * Makes the standby asynchronous and lets it hear nothing for some writes, then has it promoted. Answers how many acknowledged
 * writes the proof misses; rejects where that is none, because then the proof would prove nothing.
 */
async function loseWithout(run: Run): Promise<number> {
  const { cluster, random } = run;
  const { pair, ledger } = cluster;
  await pair.replicate(false);
  pair.replication.hold();
  const from = ledger.count;
  const over = answered(cluster, UNHEARD);
  let isOver = false;
  const each = run.clients.map(async ({ area }) => {
    while (!isOver) await area.step();
  });
  await over;
  isOver = true;
  await Promise.all(each);
  await cluster.excusing(async () => {
    await pair.failOver();
    await pair.replicate(false);
  });
  const lost = await lostOf(cluster, from, random);
  assert.ok(lost.length > 0, 'An asynchronous standby lost nothing: the proof proves nothing');
  return lost.length;
}

import type { TestRelay } from '../relay.ts';
import { FAULTS, type Fault, type FaultName, faultsOf } from './faults.ts';
import { clearGround, endLeases, prepareGround, type Setting, verifyGround } from './ground.ts';
import type { Ledger } from './ledger.ts';
import { makeNodes } from './nodes.ts';
import type { Random } from './random.ts';

export type { Setting };

/** Servers in processes of their own, which can be killed, and what they keep their state in. */
export interface Cluster {
  readonly relay: TestRelay;
  /** Where each answered write is kept outside of this process; none where its memory is enough. */
  readonly ledger?: Ledger;
  /** Rejects when a server ends that nobody killed. */
  readonly crashed: Promise<never>;
  /** Answers that clients did not get, and faults that were made so far. */
  losses: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Everything that can go wrong here has. */
  readonly hasSuffered: boolean;
  /** After a loss nothing of it goes on elsewhere: what can be seen then is what it did. */
  readonly canLook: boolean;
  /** The database or the store went away lately, so "unavailable" is an honest answer. */
  readonly mayBeAway: boolean;
  /** What the servers have logged. */
  readonly log: string;
  /** Of a node that serves, by choice. */
  address(random: Random): string;
  addressOf(index: number): string;
  whenServing(): Promise<void>;
  /** Lets the next thing go wrong. Resolves when it is over. */
  fail(random: Random): Promise<void>;
  /** Kills all nodes, ends the leases of the dead, as time would, and starts all again. */
  restartAll(): Promise<void>;
  /** Holds all that is stored against the rules. */
  verify(): Promise<void>;
  /** Ends everything and removes it; the log stays where it is wanted. */
  stop(options?: { keepLog: boolean }): Promise<void>;
}

/** Refuses connections: where nobody serves, the loss is waited out by who asked. */
const NOBODY = 'http://127.0.0.1:1';
/** A request under way when the database went may hear of it so much later. */
const AFTERMATH_MS = 60_000;

export async function startCluster(setting: Setting): Promise<Cluster> {
  const ground = await prepareGround(setting);
  const nodes = makeNodes(() => ground.settings, ground.log.fd);
  const indices = setting === 'two nodes' ? [0, 1] : [0];
  const faults = Object.fromEntries(FAULTS.map((name) => [name, 0])) as Record<FaultName, number>;
  const possible = faultsOf(ground, nodes, indices);
  let wentAway = Number.NEGATIVE_INFINITY;
  let deck: Fault[] = [];
  for (const index of indices) await nodes.start(index);
  return {
    relay: ground.relay,
    log: ground.logPath,
    crashed: nodes.crashed,
    losses: 0,
    faults,
    get hasSuffered() {
      return possible.every(({ name }) => faults[name] > 0);
    },
    canLook: indices.length === 1,
    get mayBeAway() {
      return performance.now() - wentAway < AFTERMATH_MS;
    },
    address: (random) => (nodes.addresses.length > 0 ? random.pick(nodes.addresses) : NOBODY),
    addressOf: (index) => nodes.addresses[index] ?? NOBODY,
    whenServing: nodes.whenServing,
    fail: async (random) => {
      if (deck.length === 0) deck = random.shuffled(possible);
      const fault = deck.pop() as Fault;
      faults[fault.name]++;
      if (fault.excuses) wentAway = Number.POSITIVE_INFINITY;
      await fault.happen(random);
      if (fault.excuses) wentAway = performance.now();
    },
    restartAll: async () => {
      faults.kill += indices.length;
      await Promise.all(indices.map(nodes.kill));
      await endLeases(ground);
      for (const index of indices) await nodes.start(index);
    },
    verify: () => verifyGround(ground),
    stop: async (options) => {
      await Promise.all(indices.map(nodes.kill));
      await clearGround(ground, options);
    },
  };
}

import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { USER } from '../postgres-programs.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { type S3, startS3 } from '../s3.ts';
import type { Cluster } from '../torture/cluster.ts';
import { endLeases, verifyGround } from '../torture/ground.ts';
import { type Ledger, openLedger } from '../torture/ledger.ts';
import { makeNodes, type Nodes } from '../torture/nodes.ts';
import type { Random } from '../torture/random.ts';
import { recovered } from '../torture/recovery.ts';
import type { Link } from './link.ts';
import { type PostgresPair, startPair } from './pair.ts';

/** What goes wrong. */
export const FAULTS = ['promotion', 'kill of a node', 'stop of the standby', 'cut link'] as const;

export type FaultName = (typeof FAULTS)[number];

/** Nodes on a PostgreSQL that has a standby. */
export interface FailoverCluster extends Cluster {
  readonly ledger: Ledger;
  readonly pair: PostgresPair;
  /** The door for mail of a node that serves, by choice; undefined where none does. */
  smtpPort(random: Random): number | undefined;
  /** Lets this go wrong. Resolves when all nodes serve again. */
  suffer(fault: FaultName, random: Random): Promise<void>;
  /** While it runs "unavailable" is an honest answer. Resolves when all nodes serve again. */
  excusing(work: () => Promise<void>): Promise<void>;
}

const NODES = 3;
/** Refuses connections: where nobody serves, the loss is waited out by who asked. */
const NOBODY = 'http://127.0.0.1:1';
/** A request under way when the database went may hear of it so much later. */
const AFTERMATH_MS = 60_000;
const LASTS_MS = { least: 200, most: 1_500 };

/** What a cluster consists of. */
interface Parts {
  dataDir: string;
  logPath: string;
  pair: PostgresPair;
  s3: S3;
  relay: TestRelay;
  ledger: Ledger;
  nodes: Nodes;
  indices: readonly number[];
  /** The environment of the first node. */
  settings: Record<string, string> & { ATRIUM_DATABASE_URL: string };
  stop: Cluster['stop'];
}

/** Starts the pair, the store, the relay and the nodes, each with a link of its own to the database. */
async function startParts(): Promise<Parts> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-failover-'));
  const [logPath, ledgerPath] = [`${dataDir}.log`, `${dataDir}.ledger`];
  const log = await open(logPath, 'w');
  const started = [startPair(NODES), startS3(), startRelay(), openLedger(ledgerPath)] as const;
  const [pair, s3, relay, ledger] = await Promise.all(started);
  const settingsOf = (index: number) => ({
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_SMTP_RELAY: relay.url,
    ATRIUM_DATABASE_URL: `postgres://${USER}@127.0.0.1:${pair.links[index]?.port}/postgres`,
    ATRIUM_BLOBS: s3.blobs,
    ...s3.env,
  });
  const nodes = makeNodes(settingsOf, log.fd);
  const indices = Array.from({ length: NODES }, (_, index) => index);
  const stop = async ({ keepLog } = { keepLog: false }) => {
    await Promise.all(indices.map(nodes.kill));
    await Promise.all([pair.stop(), s3.stop(), relay.stop(), ledger.close(), log.close()]);
    if (!keepLog) await Promise.all([rm(logPath), rm(ledgerPath)]);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    // The first makes the tables and the owner.
    await nodes.start(0);
    await Promise.all(indices.slice(1).map(nodes.start));
  } catch (error) {
    await stop({ keepLog: true });
    throw error;
  }
  return { dataDir, logPath, pair, s3, relay, ledger, nodes, indices, settings: settingsOf(0), stop };
}

/** Starts all of it. */
export async function startFailoverCluster(): Promise<FailoverCluster> {
  const { dataDir, logPath, pair, s3, relay, ledger, nodes, indices, settings, stop } = await startParts();
  const postgres = { url: settings.ATRIUM_DATABASE_URL };
  const faults: Record<FaultName, number> = Object.fromEntries(FAULTS.map((name) => [name, 0])) as never;
  let wentAway = Number.NEGATIVE_INFINITY;
  const excusing = async (work: () => Promise<void>) => {
    wentAway = Number.POSITIVE_INFINITY;
    await work();
    await Promise.all(nodes.addresses.map((address) => recovered(address, { postgres, s3 })));
    wentAway = performance.now();
  };
  const happen = faultsOf(pair, nodes, indices);
  const suffer = async (fault: FaultName, random: Random) => {
    faults[fault]++;
    if (fault === 'kill of a node') await happen[fault](random);
    else await excusing(() => happen[fault](random));
  };
  return {
    relay,
    ledger,
    pair,
    log: logPath,
    crashed: nodes.crashed,
    losses: 0,
    faults,
    get hasSuffered() {
      return FAULTS.every((name) => faults[name] > 0);
    },
    canLook: false,
    get mayBeAway() {
      return performance.now() - wentAway < AFTERMATH_MS;
    },
    address: (random) => (nodes.addresses.length > 0 ? random.pick(nodes.addresses) : NOBODY),
    addressOf: (index) => nodes.addresses[index] ?? NOBODY,
    smtpPort: (random) => (nodes.smtpPorts.length > 0 ? random.pick(nodes.smtpPorts) : undefined),
    whenServing: nodes.whenServing,
    excusing,
    suffer,
    fail: (random) => suffer(random.pick(FAULTS), random),
    restartAll: async () => {
      faults['kill of a node'] += indices.length;
      await Promise.all(indices.map(nodes.kill));
      await endLeases({ dataDir, postgres });
      await Promise.all(indices.map(nodes.start));
    },
    verify: () => verifyGround({ settings }),
    stop,
  };
}

type Happen = Record<FaultName, (random: Random) => Promise<void>>;

function faultsOf(pair: PostgresPair, nodes: Nodes, indices: readonly number[]): Happen {
  return {
    promotion: async () => {
      await pair.failOver();
      await pair.rebuild();
    },
    'kill of a node': async (random) => {
      const index = random.pick(indices);
      await nodes.kill(index);
      await nodes.start(index);
    },
    'stop of the standby': async (random) => {
      await pair.stopStandby();
      await aWhile(random);
      await pair.startStandby();
    },
    'cut link': (random) => breakLink(random.pick([...pair.links, pair.replication]), random),
  };
}

/** Cuts it once, or for a while, or lets nothing through for a while. */
async function breakLink(link: Link, random: Random): Promise<void> {
  const how = random.pick(['cut', 'hold', 'hold and cut']);
  if (how !== 'cut') {
    link.hold();
    await aWhile(random);
  }
  if (how !== 'hold') link.cut();
  link.release();
}

function aWhile(random: Random): Promise<void> {
  return pause(LASTS_MS.least + random.int(LASTS_MS.most - LASTS_MS.least));
}

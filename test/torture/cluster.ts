import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDatabase } from '../../src/storage/open.ts';
import { MAIN, type ServedProcess, serveProcess } from '../areas/served-process.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { type S3, startS3 } from '../s3.ts';
import type { Random } from './random.ts';

/** What the nodes run on: everything in one directory; a PostgreSQL; or two nodes on a PostgreSQL and an S3 store. */
export type Setting = 'sqlite' | 'postgres' | 'two nodes';

/** Servers in processes of their own, which can be killed, and what they keep their state in. */
export interface Cluster {
  readonly relay: TestRelay;
  /** Rejects when a server ends that nobody killed. */
  readonly crashed: Promise<never>;
  /** Answers that clients did not get, and faults that were made so far. */
  losses: number;
  faults: { kills: number; databaseRestarts: number };
  /** After a loss nothing of it goes on elsewhere: what can be seen then is what it did. */
  readonly canLook: boolean;
  /** The database went away lately, so "unavailable" is an honest answer. */
  readonly mayBeAway: boolean;
  readonly nodes: readonly string[];
  /** Of a node that serves, by choice. */
  address(random: Random): string;
  whenServing(): Promise<void>;
  /** Kills a node, or the database where that is a server, and starts it again. Resolves when it serves. */
  fail(random: Random): Promise<void>;
  /** Kills all nodes, ends the leases of the dead, as time would, and starts all again. */
  restartAll(): Promise<void>;
  /** Holds all that is stored against the rules. */
  verify(): Promise<void>;
  /** Ends everything and removes it. */
  stop(): Promise<void>;
}

/** In the directory for temporary files; it stays, to be looked into, until the next run. */
const LOG = 'atrium-torture.log';
const DATABASE_RESTARTS = 0.3;
/** A request under way when the database went may hear of it so much later. */
const AFTERMATH_MS = 15_000;

interface Node {
  served: ServedProcess | undefined;
}

interface Ground {
  dataDir: string;
  postgres: PostgresServer | undefined;
  s3: S3 | undefined;
  relay: TestRelay;
  /** What the nodes say. */
  log: FileHandle;
  /** The environment of a node. */
  settings: Record<string, string>;
}

export async function startCluster(setting: Setting): Promise<Cluster> {
  const ground = await prepareGround(setting);
  const nodes: Node[] = Array.from({ length: setting === 'two nodes' ? 2 : 1 }, () => ({
    served: undefined,
  }));
  const faults = { kills: 0, databaseRestarts: 0 };
  let wentAway = Number.NEGATIVE_INFINITY;
  const crashed = Promise.withResolvers<never>();
  let serving = Promise.withResolvers<void>();
  const start = async (node: Node) => {
    const served = await serveProcess(ground.settings, ground.log.fd);
    node.served = served;
    served.ended.then(() => {
      if (node.served === served)
        crashed.reject(
          new Error(`A server ended by itself; ${LOG} in the directory for temporary files says why.`),
        );
    });
    serving.resolve();
  };
  const kill = async (node: Node) => {
    const { served } = node;
    node.served = undefined;
    if (nodes.every((other) => !other.served)) serving = Promise.withResolvers<void>();
    await served?.kill();
    faults.kills++;
  };
  // Who does not wait for it hears of it from the clients, which find nobody.
  crashed.promise.catch(() => undefined);
  const restartDatabase = async ({ restart }: PostgresServer) => {
    wentAway = Number.POSITIVE_INFINITY;
    await restart();
    wentAway = performance.now();
    faults.databaseRestarts++;
  };
  for (const node of nodes) await start(node);
  const served = () => nodes.flatMap((node) => (node.served ? [node.served.address] : []));
  return {
    relay: ground.relay,
    crashed: crashed.promise,
    losses: 0,
    faults,
    canLook: nodes.length === 1,
    get mayBeAway() {
      return performance.now() - wentAway < AFTERMATH_MS;
    },
    get nodes() {
      return served();
    },
    // Where nobody serves the address is one that refuses: the loss is waited out by who asked.
    address: (random) => (served().length > 0 ? random.pick(served()) : 'http://127.0.0.1:1'),
    whenServing: () => serving.promise,
    fail: async (random) => {
      if (ground.postgres && random.chance(DATABASE_RESTARTS)) return restartDatabase(ground.postgres);
      const node = random.pick(nodes);
      await kill(node);
      await start(node);
    },
    restartAll: async () => {
      await Promise.all(nodes.map(kill));
      await endLeases(ground);
      for (const node of nodes) await start(node);
    },
    verify: () => verify(ground),
    stop: async () => {
      await Promise.all(nodes.map(kill));
      await ground.log.close();
      await ground.relay.stop();
      await ground.s3?.stop();
      await ground.postgres?.stop();
      await rm(ground.dataDir, { recursive: true, force: true });
    },
  };
}

async function prepareGround(setting: Setting): Promise<Ground> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-torture-'));
  const postgres = setting === 'sqlite' ? undefined : await startPostgres();
  const s3 = setting === 'two nodes' ? await startS3() : undefined;
  const relay = await startRelay();
  const settings = {
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_SMTP_RELAY: relay.url,
    ...(postgres && { ATRIUM_DATABASE_URL: postgres.url }),
    ...(s3 && { ATRIUM_BLOBS: s3.blobs, ...s3.env }),
  };
  const log = await open(join(tmpdir(), LOG), 'w');
  return { dataDir, postgres, s3, relay, log, settings };
}

async function endLeases({ dataDir, postgres }: Ground): Promise<void> {
  const database = await openDatabase({ dataDir, databaseUrl: postgres?.url });
  await database.write((tx) => tx.updateTable('mail_outbox').set({ next_attempt_at: 0 }).execute());
  await database.close();
}

async function verify({ settings }: Ground): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'verify', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...settings },
  });
  const exit = once(child, 'exit');
  const said = await text(child.stdout);
  assert.deepEqual(await exit, [0, null], said);
  assert.deepEqual(JSON.parse(said).problems, [], said);
}

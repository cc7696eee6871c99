import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDatabase } from '../../src/storage/open.ts';
import { MAIN } from '../areas/served-process.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { type S3, startS3 } from '../s3.ts';
import { makeNodes } from './nodes.ts';
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
  /** What the servers have logged. */
  readonly log: string;
  /** Of a node that serves, by choice. */
  address(random: Random): string;
  addressOf(index: number): string;
  whenServing(): Promise<void>;
  /** Kills a node, or the database where that is a server, and starts it again. Resolves when it serves. */
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
const DATABASE_RESTARTS = 0.3;
/** A request under way when the database went may hear of it so much later. */
const AFTERMATH_MS = 60_000;

interface Ground {
  dataDir: string;
  postgres: PostgresServer | undefined;
  s3: S3 | undefined;
  relay: TestRelay;
  /** What the nodes say. */
  log: FileHandle;
  logPath: string;
  /** The environment of a node. */
  settings: Record<string, string>;
}

export async function startCluster(setting: Setting): Promise<Cluster> {
  const ground = await prepareGround(setting);
  const { postgres } = ground;
  const nodes = makeNodes(ground.settings, ground.log.fd);
  const indices = setting === 'two nodes' ? [0, 1] : [0];
  const faults = { kills: 0, databaseRestarts: 0 };
  let wentAway = Number.NEGATIVE_INFINITY;
  const restartDatabase = async ({ restart }: PostgresServer) => {
    faults.databaseRestarts++;
    wentAway = Number.POSITIVE_INFINITY;
    await restart();
    wentAway = performance.now();
  };
  const restartNode = async (index: number) => {
    faults.kills++;
    await nodes.kill(index);
    await nodes.start(index);
  };
  for (const index of indices) await nodes.start(index);
  return {
    relay: ground.relay,
    log: ground.logPath,
    crashed: nodes.crashed,
    losses: 0,
    faults,
    canLook: indices.length === 1,
    get mayBeAway() {
      return performance.now() - wentAway < AFTERMATH_MS;
    },
    address: (random) => (nodes.addresses.length > 0 ? random.pick(nodes.addresses) : NOBODY),
    addressOf: (index) => nodes.addresses[index] ?? NOBODY,
    whenServing: nodes.whenServing,
    fail: (random) =>
      postgres && random.chance(DATABASE_RESTARTS)
        ? restartDatabase(postgres)
        : restartNode(random.pick(indices)),
    restartAll: async () => {
      faults.kills += indices.length;
      await Promise.all(indices.map(nodes.kill));
      await endLeases(ground);
      for (const index of indices) await nodes.start(index);
    },
    verify: () => verify(ground),
    stop: async (options) => {
      await Promise.all(indices.map(nodes.kill));
      await clear(ground, options);
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
  const logPath = `${dataDir}.log`;
  return { dataDir, postgres, s3, relay, log: await open(logPath, 'w'), logPath, settings };
}

async function clear(ground: Ground, { keepLog } = { keepLog: false }): Promise<void> {
  await ground.relay.stop();
  await ground.s3?.stop();
  await ground.postgres?.stop();
  await ground.log.close();
  if (!keepLog) await rm(ground.logPath);
  await rm(ground.dataDir, { recursive: true, force: true });
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

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDatabase } from '../../src/storage/open.ts';
import { PROGRAM, programEnvironment } from '../program.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { type S3, startS3 } from '../s3.ts';
import { type PostgresOnSmallDisk, startPostgresOnSmallDisk } from './postgres-on-small-disk.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** What the nodes run on: everything in one directory; a PostgreSQL; or two nodes on a PostgreSQL and an S3 store. */
export type Setting = 'sqlite' | 'postgres' | 'two nodes';

/** What the nodes keep their state in, and whom they send mail to. */
export interface Ground {
  dataDir: string;
  /** The file system of the directory, where it has one of its own. */
  disk: SmallDisk | undefined;
  postgres: PostgresOnSmallDisk | undefined;
  s3: S3 | undefined;
  relay: TestRelay;
  /** What the nodes say. */
  log: FileHandle;
  logPath: string;
  /** The environment of a node. */
  settings: Record<string, string>;
}

export async function prepareGround(setting: Setting): Promise<Ground> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-torture-'));
  const disk = setting === 'sqlite' ? mountSmallDisk(dataDir) : undefined;
  const postgres = setting === 'sqlite' ? undefined : await startPostgresOnSmallDisk();
  const s3 = setting === 'two nodes' ? await startS3() : undefined;
  const relay = await startRelay();
  const settings = {
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_SMTP_RELAY: relay.url,
    ...(postgres && { ATRIUM_DATABASE_URL: postgres.url }),
    ...(s3 && { ATRIUM_BLOBS: s3.blobs, ...s3.env }),
  };
  const logPath = `${dataDir}.log`;
  return { dataDir, disk, postgres, s3, relay, log: await open(logPath, 'w'), logPath, settings };
}

/** Ends and removes all of it; the log stays where it is wanted. */
export async function clearGround(ground: Ground, { keepLog } = { keepLog: false }): Promise<void> {
  await ground.relay.stop();
  await ground.s3?.stop();
  await ground.postgres?.stop();
  await ground.log.close();
  ground.disk?.unmount();
  if (!keepLog) await rm(ground.logPath);
  await rm(ground.dataDir, { recursive: true, force: true });
}

/** Where leases are. */
interface EndedLeases {
  dataDir: string;
  postgres: { url: string } | undefined;
}

/** Makes all mail that waits due, as time would. */
export async function endLeases({ dataDir, postgres }: EndedLeases): Promise<void> {
  const database = await openDatabase({ dataDir, databaseUrl: postgres?.url });
  await database.write((tx) => tx.updateTable('mail_outbox').set({ next_attempt_at: 0 }).execute());
  await database.close();
}

/** Holds all that is stored against the rules, as `atrium verify` does. */
export async function verifyGround({ settings }: Pick<Ground, 'settings'>): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'verify', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...programEnvironment(), ...settings },
  });
  const exit = once(child, 'exit');
  const said = await text(child.stdout);
  assert.deepEqual(await exit, [0, null], said);
  assert.deepEqual(JSON.parse(said).problems, [], said);
}

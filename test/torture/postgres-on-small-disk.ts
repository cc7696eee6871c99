import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** A PostgreSQL whose data have a file system of their own, where the system lets us mount one. */
export interface PostgresOnSmallDisk extends PostgresServer {
  readonly disk: SmallDisk | undefined;
  /** Writes log, which nobody reads, until the disk that is full has no room for more: then the server ends. */
  useUpLog(): Promise<void>;
}

const SOME_LOG = "select pg_logical_emit_message(true, 'test', repeat('x', 1000000))";

export async function startPostgresOnSmallDisk(): Promise<PostgresOnSmallDisk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-postgres-disk-'));
  const disk = mountSmallDisk(dataDir);
  const server = await startPostgres(dataDir);
  const stop = async () => {
    await server.stop();
    disk?.unmount();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...server, stop, disk, useUpLog: () => useUpLog(server.url) };
}

async function useUpLog(url: string): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  const writing = async () => {
    await client.connect();
    for (;;) await client.query(SOME_LOG);
  };
  // Of those that write, one panics, and the others are ended.
  await assert.rejects(writing, ({ severity }) => severity !== 'ERROR');
  await client.end();
}

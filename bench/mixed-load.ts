/**
 * Every area read and written by 64 connections for a minute, beside 200 that are slow, idle or do not read, on SQLite and
 * on PostgreSQL. To reach: no
 * answer but a success, and no more memory in the last third than in the second.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/postgres.ts';
import { OWNER_KEY, type Server, startAtrium, startAtriumOnPostgres } from './mail/servers.ts';
import { mixedLoad } from './mixed-load/run.ts';
import type { Figure } from './report.ts';

const LOAD = { seconds: 60, connections: 64, crowd: 200 };

export async function bench(): Promise<Figure[]> {
  return [...(await onSqlite()), ...(await onPostgres())];
}

function onSqlite(): Promise<Figure[]> {
  return inDirectory(async (directory) => measured('SQLite', await startAtrium(directory)));
}

async function onPostgres(): Promise<Figure[]> {
  const database = await startPostgres();
  try {
    return await inDirectory(async (directory) =>
      measured('PostgreSQL', await startAtriumOnPostgres(directory, database.url)),
    );
  } finally {
    await database.stop();
  }
}

async function inDirectory(work: (directory: string) => Promise<Figure[]>): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function measured(engine: string, atrium: Server): Promise<Figure[]> {
  try {
    const { result, resident, processor, crowd } = await mixedLoad({ ...atrium, key: OWNER_KEY }, LOAD);
    crowd.disperse();
    if (result.errors > 0) throw new Error(`${result.errors} of ${result.requests}: ${result.firstError}`);
    const [, second, last] = resident;
    const figures = [
      { name: 'requests answered', value: result.requestsPerSecond, unit: '/s' },
      { name: 'half of them within', value: result.p50, unit: 'ms' },
      { name: '99 of 100 within', value: result.p99, unit: 'ms' },
      { name: 'processor time of one', value: (processor / result.requests) * 1e3, unit: 'ms' },
      { name: 'memory in the last third, beside the second', value: last, unit: 'MB', ceiling: second },
    ];
    return figures.map((figure) => ({ ...figure, name: `${engine}, ${figure.name}` }));
  } finally {
    await atrium.stop();
  }
}

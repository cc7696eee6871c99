/**
 * Every area read and written by 64 connections for a minute, beside 200 that are slow, idle or do not read. To reach: no
 * answer but a success, and no more memory in the last third than in the second.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNER_KEY, startAtrium } from './mail/servers.ts';
import { mixedLoad } from './mixed-load/run.ts';
import type { Figure } from './report.ts';

const LOAD = { seconds: 60, connections: 64, crowd: 200 };

export async function bench(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  const atrium = await startAtrium(directory);
  try {
    const { result, resident, processor, crowd } = await mixedLoad({ ...atrium, key: OWNER_KEY }, LOAD);
    crowd.disperse();
    if (result.errors > 0) throw new Error(`${result.errors} of ${result.requests}: ${result.firstError}`);
    const [, second, last] = resident;
    return [
      { name: 'requests answered', value: result.requestsPerSecond, unit: '/s' },
      { name: 'half of them within', value: result.p50, unit: 'ms' },
      { name: '99 of 100 within', value: result.p99, unit: 'ms' },
      { name: 'processor time of one', value: (processor / result.requests) * 1e3, unit: 'ms' },
      { name: 'memory in the last third, beside the second', value: last, unit: 'MB', ceiling: second },
    ];
  } finally {
    await atrium.stop();
    await rm(directory, { recursive: true });
  }
}

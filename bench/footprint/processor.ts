import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** What /proc says of a process: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
interface Stat {
  readonly parent: number;
  readonly own: number;
  readonly ofEnded: number;
}

/**
 * Seconds of processor time that the PostgreSQL server of this URL and all its processes have used, also those that have
 * ended. The server runs on this machine, which is Linux.
 */
export async function processorOfDatabase(url: string): Promise<number> {
  const server = await serverOf(url);
  if (server === undefined) throw new Error('The database is not on this machine, or it is not Linux');
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(async (pid) => [pid, await statOf(pid)] as const));
  const ticks = stats.map(([pid, stat]) => {
    if (pid === server) return (stat?.own ?? 0) + (stat?.ofEnded ?? 0);
    return stat?.parent === server ? stat.own : 0;
  });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS;
}

/** The process of which all others of the server are children. */
async function serverOf(url: string): Promise<number | undefined> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return (await statOf(rows[0].pid))?.parent;
  } finally {
    await client.end();
  }
}

async function statOf(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program may have spaces and brackets.
  const fields = text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (fields === undefined) return undefined;
  const at = (field: number) => fields[field - 3] ?? 0;
  return { parent: at(4), own: at(14) + at(15), ofEnded: at(16) + at(17) };
}

/**
 * Starting `atrium serve` on a data directory with 20,000 messages, and what it holds when idle; beside the bare
 * node:http server. To reach: the first answer within a second, and less than 130 MB.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { importedMailbox } from './mail/import-mailbox.ts';
import { get, residentMegabytes, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';

const MESSAGES = 20_000;
const STARTS = 5;
const IDLE_MS = 2_000;
const PATH = '/v1/messages?unread=true';

/** Milliseconds to the first answer, and megabytes some time after it. */
interface Start {
  answered: number;
  resident: number;
}

export async function bench(): Promise<Figure[]> {
  const dataDir = await importedMailbox(MESSAGES);
  const atrium: Start[] = [];
  const bare: Start[] = [];
  for (let i = 0; i < STARTS; i++) {
    atrium.push(await measure(() => startAtrium(dataDir)));
    bare.push(await measure(() => startBare({ [PATH]: { data: [], pagination: {} } })));
  }
  return [
    figure('start to first answer', 'ms', atrium, bare, 'answered'),
    figure('memory when idle', 'MB', atrium, bare, 'resident'),
  ];
}

async function measure(start: () => Promise<Server>): Promise<Start> {
  const begin = performance.now();
  const server = await start();
  try {
    await get(server, PATH);
    const answered = performance.now() - begin;
    await sleep(IDLE_MS);
    return { answered, resident: residentMegabytes(server) };
  } finally {
    await server.stop();
  }
}

function figure(name: string, unit: string, atrium: Start[], bare: Start[], key: keyof Start): Figure {
  return { name, unit, value: median(atrium, key), ceiling: median(bare, key) };
}

function median(starts: Start[], key: keyof Start): number {
  const values = starts.map((start) => start[key]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}

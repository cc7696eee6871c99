/**
 * Starting `atrium serve` on a data directory with 20,000 messages, and what it holds when idle: from the sources of a
 * clone, and compiled as an installed package runs it; beside the bare node:http server. To reach: the first answer
 * within a second, and less than 130 MB.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPILED_PROGRAM, compile } from '../scripts/compile.ts';
import { importedMailbox } from './mail/import-mailbox.ts';
import { get, residentMegabytes, type Server, startAtrium, startBare, startProgram } from './mail/servers.ts';
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
  await withIndex(dataDir);
  await compile();
  const atrium: Start[] = [];
  const compiled: Start[] = [];
  const bare: Start[] = [];
  // A first start writes the code that Node has compiled; later ones read it.
  await measure(() => startProgram(COMPILED_PROGRAM, dataDir));
  for (let i = 0; i < STARTS; i++) {
    atrium.push(await measure(() => startAtrium(dataDir)));
    compiled.push(await measure(() => startProgram(COMPILED_PROGRAM, dataDir)));
    bare.push(await measure(() => startBare({ [PATH]: { data: [], pagination: {} } })));
  }
  return [
    figure('start to first answer', 'ms', atrium, bare, 'answered'),
    figure('memory when idle', 'MB', atrium, bare, 'resident'),
    figure('start to first answer, of the package', 'ms', compiled, bare, 'answered'),
    figure('memory when idle, of the package', 'MB', compiled, bare, 'resident'),
  ];
}

/** A server that builds its index is not idle. */
async function withIndex(dataDir: string): Promise<void> {
  await (await startAtrium(dataDir)).stop();
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

/** What the server holds in memory after ever more mail of 13 KB by SMTP: no more than before. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metric } from './mail/measuring.ts';
import { residentMegabytes, startAtriumWithSmtp } from './mail/servers.ts';
import { smtpLoad } from './mail/smtp-load.ts';
import type { Figure } from './report.ts';

const MARKS = [20_000, 50_000, 100_000];
const CONNECTIONS = 16;
const TURN_SECONDS = 2;

export async function bench(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  const atrium = await startAtriumWithSmtp(join(directory, 'product'));
  const figures: Figure[] = [];
  try {
    let delivered = 0;
    for (const mark of MARKS) {
      while (delivered < mark) delivered += await deliver(atrium.smtpPort);
      const after = `after ${mark.toLocaleString('en')} deliveries`;
      const heap = (await metric(atrium, 'nodejs_heap_size_used_bytes')) / 1e6;
      figures.push({ name: `memory ${after}`, value: residentMegabytes(atrium), unit: 'MB' });
      figures.push({ name: `heap ${after}`, value: heap, unit: 'MB' });
    }
    return figures;
  } finally {
    await atrium.stop();
    await rm(directory, { recursive: true });
  }
}

/** Answers how many messages were delivered in one turn. */
async function deliver(port: number): Promise<number> {
  const load = { port, recipient: 'owner@localhost', connections: CONNECTIONS, seconds: TURN_SECONDS };
  return (await smtpLoad(load)).perSecond * TURN_SECONDS;
}

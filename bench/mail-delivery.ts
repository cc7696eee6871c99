/**
 * Mail of 13 KB by SMTP: durable, parsed, threaded and filtered before the yes. Beside it a server that accepts and keeps
 * nothing, and single-row durable writes through the storage port.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durableWrites } from './mail/durable-writes.ts';
import { processorSeconds } from './mail/measuring.ts';
import { residentMegabytes, type SmtpServer, startAtriumWithSmtp } from './mail/servers.ts';
import { smtpLoad } from './mail/smtp-load.ts';
import type { Figure } from './report.ts';

const RECIPIENT = 'owner@localhost';
const TURN_SECONDS = 2;
const ROUNDS = 3;
/** Turns that count for nothing. */
const WARM_UPS = 4;
const CONNECTIONS = [4, 16];

export async function bench(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  const atrium = await startAtriumWithSmtp(join(directory, 'product'));
  const bare = await startBareSmtp();
  try {
    for (let round = 0; round < WARM_UPS; round++) await rate(atrium.smtpPort, 16);
    const figures: Figure[] = [];
    for (const connections of CONNECTIONS)
      figures.push(...(await beside(atrium, bare.port, directory, connections)));
    figures.push({ name: 'memory after it', value: residentMegabytes(atrium), unit: 'MB' });
    return figures;
  } finally {
    bare.stop();
    await atrium.stop();
    await rm(directory, { recursive: true });
  }
}

/** What so many connections deliver, in turns with what it stands beside; the medians. */
async function beside(
  atrium: SmtpServer,
  bare: number,
  directory: string,
  connections: number,
): Promise<Figure[]> {
  const delivered: number[] = [];
  const accepted: number[] = [];
  const written: number[] = [];
  const before = await processorSeconds(atrium);
  for (let round = 0; round < ROUNDS; round++) {
    delivered.push(await rate(atrium.smtpPort, connections));
    accepted.push(await rate(bare, connections));
    written.push(
      await durableWrites(
        join(directory, `writes-${connections}-${round}.sqlite`),
        connections,
        TURN_SECONDS,
      ),
    );
  }
  const deliveries = delivered.reduce((sum, perSecond) => sum + perSecond * TURN_SECONDS, 0);
  const cost = (await processorSeconds(atrium)) - before;
  const name = `deliveries, ${connections} connections`;
  return [
    {
      name: `${name}, beside a server that keeps nothing`,
      value: median(delivered),
      unit: '/s',
      ceiling: median(accepted),
    },
    {
      name: `${name}, beside writes of one row`,
      value: median(delivered),
      unit: '/s',
      ceiling: median(written),
    },
    {
      name: `processor time of one, ${connections} connections`,
      value: (cost / deliveries) * 1e3,
      unit: 'ms',
    },
  ];
}

async function rate(port: number, connections: number): Promise<number> {
  const { perSecond } = await smtpLoad({ port, recipient: RECIPIENT, connections, seconds: TURN_SECONDS });
  return perSecond;
}

async function startBareSmtp(): Promise<{ port: number; stop(): void }> {
  const process_ = fork(join(import.meta.dirname, 'mail/bare-smtp.ts'));
  const [port] = await once(process_, 'message');
  return { port: Number(port), stop: () => void process_.kill() };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Messages of 2 KB sent over HTTP to a recipient here: composed, parsed, stored in Sent and in an inbox, durable before
 * the answer. Beside it single-row durable writes through the storage port.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, SEQUENCE } from './load.ts';
import { durableWrites } from './mail/durable-writes.ts';
import { processorSeconds } from './mail/measuring.ts';
import { HEADERS, type Server, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const TURN_SECONDS = 2;
const ROUNDS = 3;
const CLIENTS = 16;
const TEXT = 'Some words of a message.\n'.repeat(80);

export async function bench(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  const atrium = await startAtrium(join(directory, 'product'));
  try {
    await rate(atrium);
    return await beside(atrium, directory);
  } finally {
    await atrium.stop();
    await rm(directory, { recursive: true });
  }
}

/** What the clients send, in turns with what it stands beside; the medians. */
async function beside(atrium: Server, directory: string): Promise<Figure[]> {
  const sent: number[] = [];
  const written: number[] = [];
  const before = await processorSeconds(atrium);
  for (let round = 0; round < ROUNDS; round++) {
    sent.push(await rate(atrium));
    written.push(await durableWrites(join(directory, `writes-${round}.sqlite`), CLIENTS, TURN_SECONDS));
  }
  const cost = (await processorSeconds(atrium)) - before;
  const messages = sent.reduce((sum, perSecond) => sum + perSecond * TURN_SECONDS, 0);
  return [
    {
      name: `messages sent, ${CLIENTS} clients, beside writes of one row`,
      value: median(sent),
      unit: '/s',
      ceiling: median(written),
    },
    { name: 'processor time of one', value: (cost / messages) * 1e3, unit: 'ms' },
  ];
}

async function rate({ url }: Server): Promise<number> {
  const result = await load({
    url,
    connections: CLIENTS,
    seconds: TURN_SECONDS,
    requests: [
      {
        method: 'POST',
        path: '/v1/messages',
        headers: { ...HEADERS, 'content-type': 'application/json', 'idempotency-key': `sent-${SEQUENCE}` },
        body: JSON.stringify({ to: ['owner@localhost'], subject: 'Measured', text: TEXT }),
      },
    ],
  });
  if (result.errors > 0) throw new Error(String(result.firstError));
  return result.requestsPerSecond;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * What the change feed costs: flags, deliveries by SMTP, uploads and cells, each beside the same on a server that keeps no
 * changes and is the same else, in turns, on both engines. What a write reads to know who sees its changes is done on both
 * sides, and nothing is indexed on either: the full-text index follows the feed. To reach: 0.95 of the rate, and 1.05 of the
 * server's processor time, which other programs disturb less.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../test/postgres.ts';
import { type LoadRequest, load, SEQUENCE } from './load.ts';
import { medianOf, type Pair, processorSeconds } from './mail/measuring.ts';
import { OWNER_KEY, type PreloadedServer, startPreloaded } from './mail/servers.ts';
import { smtpLoad } from './mail/smtp-load.ts';
import type { Figure } from './report.ts';

const WITHOUT_INDEX = join(import.meta.dirname, 'changes/without-index.ts');
const WITHOUT_FEED = join(import.meta.dirname, 'changes/without-feed.ts');
const ROUNDS = Number(process.env.ATRIUM_BENCH_ROUNDS ?? 12);
const WARM_UPS = 2;
const SECONDS = 0.5;
/** Of the load generators. */
const WARM_UP_SECONDS = 0.5;
const CONNECTIONS = 16;
/** So many that an object or value has been another one meanwhile when its turn comes again. */
const VARIANTS = 64;
const FILE = 'x'.repeat(10_000);

/** One kind of write: how many a second a server does. */
type Rate = (server: Prepared) => Promise<number>;

/** A server and what is written on it. */
interface Prepared extends PreloadedServer {
  readonly folder: string;
  readonly messages: readonly string[];
  readonly spreadsheet: string;
}

const RATES: Readonly<Record<string, Rate>> = {
  flags: (server) =>
    requests(server, [
      ...server.messages.map((id) => flag(server, 'add', id)),
      ...server.messages.map((id) => flag(server, 'remove', id)),
    ]),
  deliveries: async ({ smtpPort }) => {
    const asked = { port: smtpPort, recipient: 'owner@localhost', connections: CONNECTIONS };
    return (await smtpLoad({ ...asked, seconds: SECONDS })).perSecond;
  },
  uploads: (server) =>
    requests(server, [
      {
        method: 'POST',
        path: '/v1/files?filename=measured.bin',
        headers: { 'content-type': 'application/octet-stream' },
        body: FILE,
      },
    ]),
  cells: (server) =>
    requests(
      server,
      // The same value again would be no change.
      Array.from({ length: VARIANTS }, (_, n) => ({
        method: 'PUT',
        path: `/v1/spreadsheets/${server.spreadsheet}/values/A1`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ values: [[n]] }),
      })),
    ),
};

export async function bench(): Promise<Figure[]> {
  const sqlite = await onBoth('SQLite', async () => ({}));
  const postgres = await startPostgres();
  try {
    return [...sqlite, ...(await onBoth('PostgreSQL', () => emptyDatabase(postgres.url)))];
  } finally {
    await postgres.stop();
  }
}

async function onBoth(engine: string, settings: () => Promise<NodeJS.ProcessEnv>): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-changes-'));
  const start = async (name: string, preload: string) =>
    prepared(await startPreloaded(join(directory, name), preload, await settings()));
  const fed = await start('fed', WITHOUT_INDEX);
  const without = await start('without', WITHOUT_FEED);
  try {
    const figures: Figure[] = [];
    for (const [kind, rate] of Object.entries(RATES)) {
      const { rates, times } = await inPairs(rate, fed, without);
      const name = `${kind} on ${engine}`;
      figures.push(
        { name, unit: '/s', ...rates },
        { name: `processor time of ${name}`, unit: 'ms', ...times },
      );
    }
    if ((await changesOf(fed)) === 0 || (await changesOf(without)) > 0)
      throw new Error('The servers do not differ in the feed');
    return figures;
  } finally {
    await Promise.all([fed.stop(), without.stop()]);
    await rm(directory, { recursive: true });
  }
}

/** What a server did in one round. */
interface Round {
  perSecond: number;
  processorSeconds: number;
}

/** Each goes first in every other round. Rates of the median round, and milliseconds of processor time of all rounds. */
async function inPairs(rate: Rate, fed: Prepared, without: Prepared): Promise<{ rates: Pair; times: Pair }> {
  const ofFed: Round[] = [];
  const ofOther: Round[] = [];
  for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
    const isFirst = round % 2 === 0;
    const first = await roundOf(rate, isFirst ? fed : without);
    const second = await roundOf(rate, isFirst ? without : fed);
    if (round < WARM_UPS) continue;
    ofFed.push(isFirst ? first : second);
    ofOther.push(isFirst ? second : first);
  }
  const pairs = ofFed.map(({ perSecond }, i) => ({
    value: perSecond,
    ceiling: ofOther[i]?.perSecond ?? Number.NaN,
  }));
  return { rates: medianOf(pairs), times: { value: timeOf(ofFed), ceiling: timeOf(ofOther) } };
}

async function roundOf(rate: Rate, server: Prepared): Promise<Round> {
  const before = await processorSeconds(server);
  const perSecond = await rate(server);
  return { perSecond, processorSeconds: (await processorSeconds(server)) - before };
}

/** Milliseconds of a write; what is written before the measured time runs counts as the same rate. */
function timeOf(rounds: readonly Round[]): number {
  const writes = rounds.reduce((sum, { perSecond }) => sum + perSecond * (SECONDS + WARM_UP_SECONDS), 0);
  return (rounds.reduce((sum, round) => sum + round.processorSeconds, 0) / writes) * 1000;
}

async function emptyDatabase(serverUrl: string): Promise<NodeJS.ProcessEnv> {
  const name = `changes_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(serverUrl);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { ATRIUM_DATABASE_URL: url.href };
}

async function prepared(server: PreloadedServer): Promise<Prepared> {
  const folder = String((await ask(server, 'POST', '/v1/folders', { name: 'Measured' })).id);
  const messages: string[] = [];
  for (let n = 0; n < VARIANTS; n++) {
    const raw = `Subject: Message ${n}\r\n\r\nText ${n}\r\n`;
    messages.push(String((await ask(server, 'POST', `/v1/folders/${folder}/messages`, raw)).id));
  }
  const document = { type: 'spreadsheet', title: 'Measured' };
  const spreadsheet = String((await ask(server, 'POST', '/v1/documents', document)).id);
  return { ...server, folder, messages, spreadsheet };
}

async function changesOf(server: Prepared): Promise<number> {
  const { cursor } = await ask(server, 'GET', '/v1/changes');
  await ask(server, 'POST', '/v1/folders', { name: randomUUID() });
  const { changes } = await ask(server, 'GET', `/v1/changes?cursor=${cursor}&wait=2`);
  return (changes as unknown[]).length;
}

function flag({ folder }: Prepared, op: string, id: string): LoadRequest {
  return {
    method: 'POST',
    path: `/v1/folders/${folder}/messages/flags`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message_ids: [id], op, flags: ['starred'] }),
  };
}

/** Requests a second. Rejects when one is refused. */
async function requests({ url }: Prepared, list: readonly LoadRequest[]): Promise<number> {
  const run = randomUUID();
  const own = { authorization: `Bearer ${OWNER_KEY}`, 'idempotency-key': `${run}-${SEQUENCE}` };
  const all = list.map((request) => ({ ...request, headers: { ...request.headers, ...own } }));
  const result = await load({ url, connections: CONNECTIONS, seconds: SECONDS, requests: all });
  if (result.errors > 0) throw new Error(result.firstError);
  return result.requestsPerSecond;
}

async function ask(
  { url }: PreloadedServer,
  method: string,
  path: string,
  body?: object | string,
): Promise<Record<string, unknown>> {
  const isJson = typeof body === 'object';
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${OWNER_KEY}`,
      ...(body !== undefined && {
        'content-type': isJson ? 'application/json' : 'message/rfc822',
        'idempotency-key': randomUUID(),
      }),
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

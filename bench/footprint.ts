/**
 * What an installation needs on PostgreSQL, for `npm run plan`: bytes of rows and of indexes for each object, and processor
 * time of a request of the mixed load, in the node and in the database; where ATRIUM_TEST_CITUS_URL names a cluster on this
 * machine, in its coordinator and its workers, too. Nothing to reach.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { CITUS_URL, makeCitusDatabase } from '../test/citus.ts';
import { startPostgres } from '../test/postgres.ts';
import { processorOfDatabase } from './footprint/processor.ts';
import { load } from './load.ts';
import { generateMail, rfc822 } from './mail/generated-mail.ts';
import { processorSeconds } from './mail/measuring.ts';
import { get, HEADERS, OWNER_KEY, type Server, startAtriumOnPostgres } from './mail/servers.ts';
import { makeWorld } from './mixed-load/world.ts';
import type { Figure } from './report.ts';

const OBJECTS = Number(process.env.ATRIUM_BENCH_OBJECTS ?? 3_000);
const FILE = 'x'.repeat(10_000);
const AT_ONCE = 8;
const LOAD = { connections: 8, seconds: 10 };
const LOOK_EVERY_MS = 100;
/** Rows that are removed when their time is over: so many as there are writes within it. */
const STORED_ANSWERS = 'idempotency_records';
const CHANGES = 'changes';
/** What is asked of the cluster itself. */
const STATEMENTS = 1_000;

/** A server, and the servers of its database; the first is the one that it asks. */
interface Measured {
  readonly atrium: Server;
  readonly databases: readonly string[];
}

export async function bench(): Promise<Figure[]> {
  const plain = await onPlain(async (measured) => [
    ...(await bytes(measured)),
    ...(await times(measured, ['the database'])),
  ]);
  if (CITUS_URL === undefined) return plain;
  return [...plain, ...(await onCluster(CITUS_URL))];
}

async function onPlain(work: (measured: Measured) => Promise<Figure[]>): Promise<Figure[]> {
  const database = await startPostgres();
  try {
    return await served([database.url], work);
  } finally {
    await database.stop();
  }
}

async function onCluster(cluster: string): Promise<Figure[]> {
  const { url, remove } = await makeCitusDatabase(cluster);
  try {
    const { rows } = await asked(url, 'select nodeport as port from pg_dist_node where groupid <> 0');
    const workers = rows.map(({ port }) => Object.assign(new URL(url), { port: String(port) }).href);
    const figures = await served([url, ...workers], (measured) =>
      times(measured, ['the coordinator', 'the workers']),
    );
    figures.push(...(await wholeCluster(url, workers)));
    return figures.map((figure) => ({ ...figure, name: `Citus, ${figure.name}` }));
  } finally {
    await remove();
  }
}

async function served(
  databases: readonly string[],
  work: (measured: Measured) => Promise<Figure[]>,
): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-footprint-'));
  try {
    const atrium = await startAtriumOnPostgres(directory, databases[0] ?? '');
    try {
      return await work({ atrium, databases });
    } finally {
      await atrium.stop();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Bytes of each kind of object: of rows with what is kept outside of them, and of indexes. */
async function bytes({ atrium, databases: [url = ''] }: Measured): Promise<Figure[]> {
  const create = creating(atrium);
  const [book, calendar] = [
    await create('/v1/address-books', { name: 'Footprint' }),
    await create('/v1/calendars', { name: 'Footprint' }),
  ];
  const mail = [...generateMail(OBJECTS)].map(rfc822);
  const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString();
  const kinds: Record<string, (n: number) => Promise<string>> = {
    message: (n) => create('/v1/folders/inbox/messages', mail[n] ?? ''),
    file: (n) => create(`/v1/files?filename=report${n}.txt`, Buffer.from(`${n} ${FILE}`)),
    contact: (n) =>
      create('/v1/contacts', {
        address_book_id: book,
        name: `Person Number ${n}`,
        emails: [{ address: `p${n}@example.org` }],
      }),
    event: (n) =>
      create(`/v1/calendars/${calendar}/events`, {
        starts_at: day(n),
        ends_at: day(n + 1),
      }),
  };
  const mean = mail.reduce((sum, one) => sum + one.length, 0) / OBJECTS;
  const figures: Figure[] = [{ name: 'bytes of a message', value: mean, unit: 'B' }];
  for (const [kind, make] of Object.entries(kinds)) {
    const before = await sizes(url);
    await severalAtOnce(make);
    await indexed(atrium);
    const after = await sizes(url);
    const each = (name: keyof typeof after) => (after[name] - before[name]) / OBJECTS;
    figures.push(
      { name: `rows of a ${kind}`, value: each('rows'), unit: 'B' },
      { name: `indexes of a ${kind}`, value: each('indexes'), unit: 'B' },
      { name: `stored answer of a ${kind}`, value: each('answers'), unit: 'B' },
      { name: `changes of a ${kind}`, value: each('changes'), unit: 'B' },
    );
  }
  return figures;
}

async function severalAtOnce(make: (n: number) => Promise<string>): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < OBJECTS) await make(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

/** Resolves when what was written before is in the index of the search. */
async function indexed(atrium: Server): Promise<void> {
  const word = `w${randomUUID().replaceAll('-', '')}`;
  await creating(atrium)(
    '/v1/folders/inbox/messages',
    `From: a@x.example\r\nSubject: ${word}\r\n\r\n${word}\r\n`,
  );
  while ((await get(atrium, `/v1/search?q=${word}`)).data.length === 0) await pause(LOOK_EVERY_MS);
}

/** Bytes of tables and indexes. */
interface Sizes {
  rows: number;
  indexes: number;
  answers: number;
  changes: number;
}

async function sizes(url: string): Promise<Sizes> {
  await asked(url, 'vacuum analyze');
  const { rows } = await asked(
    url,
    `select tablename as name, pg_table_size(tablename::regclass)::int as rows,
      pg_indexes_size(tablename::regclass)::int as indexes
      from pg_tables where schemaname = 'public'`,
  );
  const sum = { rows: 0, indexes: 0, answers: 0, changes: 0 };
  for (const table of rows) {
    if (table.name === STORED_ANSWERS) sum.answers += table.rows + table.indexes;
    else if (table.name === CHANGES) sum.changes += table.rows + table.indexes;
    else {
      sum.rows += table.rows;
      sum.indexes += table.indexes;
    }
  }
  return sum;
}

/** Processor time of a request: in the node, in the server that it asks, and in those behind that. */
async function times({ atrium, databases }: Measured, names: readonly string[]): Promise<Figure[]> {
  const { requests } = await makeWorld({ url: atrium.url, key: OWNER_KEY });
  const used = async () => {
    const [asked = 0, ...behind] = await Promise.all(databases.map(processorOfDatabase));
    return [await processorSeconds(atrium), asked, behind.reduce((sum, one) => sum + one, 0)];
  };
  const before = await used();
  const result = await load({ url: atrium.url, ...LOAD, requests });
  if (result.errors > 0) throw new Error(`${result.errors} of ${result.requests}: ${result.firstError}`);
  const after = await used();
  return ['the node', ...names].map((name, i) => ({
    name: `processor time of a request in ${name}`,
    value: (((after[i] ?? 0) - (before[i] ?? 0)) / result.requests) * 1e3,
    unit: 'ms',
  }));
}

/** What asks all shards, and what every server writes: processor time of one for each shard and for each server. */
async function wholeCluster(url: string, workers: readonly string[]): Promise<Figure[]> {
  const used = async () => {
    const [asked = 0, ...behind] = await Promise.all([url, ...workers].map(processorOfDatabase));
    return [asked, behind.reduce((sum, one) => sum + one, 0) / behind.length] as const;
  };
  const each = async (statement: string): Promise<[coordinator: number, worker: number]> => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      await client.query(statement);
      const before = await used();
      for (let n = 0; n < STATEMENTS; n++) await client.query(statement);
      const after = await used();
      return [((after[0] - before[0]) / STATEMENTS) * 1e3, ((after[1] - before[1]) / STATEMENTS) * 1e3];
    } finally {
      await client.end();
    }
  };
  const { rows } = await asked(
    url,
    "select count(*)::int as shards from pg_dist_shard where logicalrelid = 'changes'::regclass",
  );
  const [all] = await each('select number from changes order by number limit 1');
  const [, everywhere] = await each("update server_secrets set name = name where name = 'era of changes'");
  return [
    {
      name: 'processor time of a question to all shards in the coordinator, for each',
      value: all / rows[0].shards,
      unit: 'ms',
    },
    {
      name: 'processor time of a write that every server makes, in each worker',
      value: everywhere,
      unit: 'ms',
    },
  ];
}

/** Makes an object of a text of a message, of bytes or of JSON; answers its id. */
function creating({ url }: Server) {
  return async (path: string, body: string | Buffer | object): Promise<string> => {
    const isMail = typeof body === 'string';
    const isFile = Buffer.isBuffer(body);
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        ...HEADERS,
        'content-type': isMail ? 'message/rfc822' : isFile ? 'application/octet-stream' : 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: (isMail || isFile ? body : JSON.stringify(body)) as string,
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
}

async function asked(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/**
 * Shared folders on both engines: the newest 50 and 50 in the middle of a folder of 100,000 files that ten people share, as one
 * of them sees them, beside a folder of 100,000 that nobody shares, as its owner does. To reach: 1.3 times the cost. All that
 * is shared with somebody, in a hundred folders, is measured to be known.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { openServices } from '../src/start/composition.ts';
import { readConfig } from '../src/start/config.ts';
import { startPostgres } from '../test/postgres.ts';
import { fileRow } from './files/node-rows.ts';
import { inTurns, type Pair, processorSeconds } from './mail/measuring.ts';
import { OWNER_KEY, type Server, startPreloaded } from './mail/servers.ts';
import type { Figure } from './report.ts';

const FILES = 100_000;
const PEOPLE = 10;
const SHARED_FOLDERS = 100;
const FILES_OF_OTHERS = 500;
/** Behind those of what a new workspace has. */
const FIRST_NUMBER = 1_000_000;
const ROWS = 500;
const ROUNDS = Number(process.env.ATRIUM_BENCH_ROUNDS ?? 9);
const REQUESTS = 300;
const AT_ONCE = 4;

/** One listing of one caller. */
interface Question {
  path: string;
  key: string;
}

interface World {
  /** The folder that nobody shares, as its owner asks for it. */
  unshared: Question;
  /** The folder that ten people share: as one of them asks for it, and as its owner does. */
  reader: Question;
  owner: Question;
  /** All that is shared with the reader. */
  everything: Question;
  /** How many files each folder is to have. */
  files: ReadonlyMap<string, number>;
}

export async function bench(): Promise<Figure[]> {
  const sqlite = await onEngine('SQLite', {});
  const postgres = await startPostgres();
  try {
    return [
      ...sqlite,
      ...(await onEngine('PostgreSQL', { ATRIUM_DATABASE_URL: await emptyDatabase(postgres.url) })),
    ];
  } finally {
    await postgres.stop();
  }
}

async function onEngine(engine: string, settings: Record<string, string>): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-sharing-'));
  const started = async <T>(work: (server: Server) => Promise<T>): Promise<T> => {
    const server = await startPreloaded(directory, undefined, settings);
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  };
  try {
    const world = await started(makeWorld);
    await fill({ ATRIUM_DATA_DIR: directory, ATRIUM_OWNER_KEY: OWNER_KEY, ...settings }, world);
    return await started((server) => figures(engine, server, world));
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function figures(engine: string, server: Server, world: World): Promise<Figure[]> {
  const { unshared, reader, owner, everything } = world;
  const middle = async (question: Question) => ({
    ...question,
    path: await pageAt(server, question, FILES / 2),
  });
  const compared: [what: string, shared: Question, beside: Question][] = [
    ['newest 50 of a folder that ten share, for a reader', reader, unshared],
    ['newest 50 of it, for its owner', owner, unshared],
    ['50 in its middle, for a reader', await middle(reader), await middle(unshared)],
    ['newest 50 of all that is shared', everything, unshared],
  ];
  const all: Figure[] = [];
  for (const [what, shared, beside] of compared)
    all.push({ name: `${what}, ${engine}`, unit: 'µs', ...(await costs(server, shared, beside)) });
  return all;
}

function costs(server: Server, shared: Question, beside: Question): Promise<Pair> {
  return inTurns({ value: () => cost(server, shared), ceiling: () => cost(server, beside) }, ROUNDS);
}

/** Microseconds of processor time of the server for each request. */
async function cost(server: Server, question: Question): Promise<number> {
  const before = await processorSeconds(server);
  let left = REQUESTS;
  const client = async () => {
    while (left-- > 0) await ask(server, question);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return (((await processorSeconds(server)) - before) / REQUESTS) * 1e6;
}

async function ask({ url }: Server, { path, key }: Question) {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as { data: unknown[]; pagination: { next_cursor: string } };
}

/** The page that follows so many items. */
async function pageAt(server: Server, { path, key }: Question, items: number): Promise<string> {
  let cursor = '';
  for (let passed = 0; passed < items; passed += 100) {
    const from = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    cursor = (await ask(server, { path: `${path}&limit=100${from}`, key })).pagination.next_cursor;
  }
  return `${path}&cursor=${encodeURIComponent(cursor)}`;
}

async function makeWorld(server: Server): Promise<World> {
  const made = async (path: string, body: object, key = OWNER_KEY): Promise<{ id: string; key: string }> => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    };
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status !== 201) throw new Error(`${path}: ${await response.text()}`);
    return ((await response.json()) as { data: { id: string; key: string } }).data;
  };
  const permissions = ['files.read', 'files.write', 'files.share'];
  const people: { id: string; key: string }[] = [];
  for (let i = 0; i < PEOPLE; i++) {
    const { id } = await made('/v1/users', { email: `person${i}@example.org`, name: `Person ${i}` });
    people.push({ id, key: (await made('/v1/api-keys', { name: 'bench', permissions, user_id: id })).key });
  }
  const [reader = { id: '', key: '' }] = people;
  const folder = async (name: string, readers: readonly { id: string }[]) => {
    const { id } = await made('/v1/file-folders', { name });
    for (const one of readers)
      await made(`/v1/file-folders/${id}/permissions`, { principal_id: one.id, role: 'viewer' });
    return id;
  };
  const [unshared, shared] = [await folder('Unshared', []), await folder('Shared', people)];
  const others: string[] = [];
  for (let i = 1; i < SHARED_FOLDERS; i++) others.push(await folder(`Folder ${i}`, [reader]));
  const of = (id: string) => `/v1/files?folder_id=${id}`;
  return {
    unshared: { path: of(unshared), key: OWNER_KEY },
    owner: { path: of(shared), key: OWNER_KEY },
    reader: { path: of(shared), key: reader.key },
    everything: { path: '/v1/files?shared=true', key: reader.key },
    files: new Map([
      [unshared, FILES],
      [shared, FILES],
      ...others.map((id) => [id, FILES_OF_OTHERS] as const),
    ]),
  };
}

/** Puts files without bytes into the folders, straight into the table. */
async function fill(settings: Record<string, string>, { files }: World): Promise<void> {
  const config = readConfig(settings);
  const { database, directory, close } = await openServices(config);
  try {
    const owner = await database.read((tx) => directory.findUser(tx, config.ownerEmail));
    if (!owner) throw new Error(`There is no user ${config.ownerEmail}`);
    let number = FIRST_NUMBER;
    for (const [folderId, count] of files)
      for (let i = 0; i < count; i += ROWS) {
        const rows = Array.from({ length: Math.min(ROWS, count - i) }, () => {
          const title = `Minutes of meeting ${number}.pdf`;
          return fileRow(owner, { folderId, number: number++, title });
        });
        await database.write((tx) => tx.insertInto('nodes').values(rows).execute());
      }
    if (database.engine === 'postgres')
      await database.write((tx) => tx.executeQuery(CompiledQuery.raw('analyze')));
  } finally {
    await close();
  }
}

async function emptyDatabase(serverUrl: string): Promise<string> {
  const name = `sharing_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(serverUrl);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

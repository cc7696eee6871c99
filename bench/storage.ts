/**
 * The storage port on SQLite, beside what plain node:sqlite does on the same disk in the same minute: durable
 * single-row writes beside one fsync each, reads beside a prepared statement.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ReadTransaction, WriteTransaction } from '../src/storage/database.ts';
import { statement } from '../src/storage/query/statement.ts';
import { schemaOf } from '../src/storage/schema/schema.ts';
import type { StorageEngine } from '../src/storage/schema/schema-transaction.ts';
import { openSqlite } from '../src/storage/sqlite/sqlite.ts';
import type { Figure } from './report.ts';

/** Every activity has its turn in every round, so that a disk that changes its pace changes it for all. */
const ROUNDS = 4;
const TURN_MS = 250;
const QUERIES_PER_READ = 100;
const VALUE = new Uint8Array(200);

/** What so many clients do at once, each waiting for the answer before it does it again. */
interface Activity {
  readonly name: string;
  readonly clients: number;
  readonly action: () => unknown;
  /** Name of the activity that is this one's ceiling. */
  readonly beside?: string;
  /** How many operations one action counts for. */
  readonly operations?: number;
}

const insertSecret = statement((tx: WriteTransaction, p: { name: string; value: Uint8Array }) =>
  tx.insertInto('server_secrets').values({ name: p.name, value: p.value }),
);
const findSecret = statement((tx, p: { name: string }) => secretNamed(tx, p.name));

function secretNamed(tx: ReadTransaction, name: string) {
  return tx.selectFrom('server_secrets').select(['name', 'value']).where('name', '=', name);
}

export async function bench(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  const database = await openSqlite(join(directory, 'port.sqlite'));
  const plain = new DatabaseSync(join(directory, 'plain.sqlite'));
  try {
    await createTables(database, plain);
    return await measure([...writes(database, plain), ...reads(database, plain)]);
  } finally {
    plain.close();
    await database.close();
    await rm(directory, { recursive: true });
  }
}

async function createTables(database: StorageEngine, plain: DatabaseSync): Promise<void> {
  await database.alter(async (tx) => {
    const { clusteredTable, text, bytes } = schemaOf(tx);
    await clusteredTable('server_secrets')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('value', bytes)
      .execute();
  });
  plain.exec('pragma journal_mode = wal; pragma synchronous = full');
  plain.exec('create table server_secrets (name text primary key, value blob) strict, without rowid');
}

function writes(database: StorageEngine, plain: DatabaseSync): Activity[] {
  let sequence = 0;
  const insert = plain.prepare('insert into server_secrets (name, value) values (?, ?)');
  const write = () => database.write((tx) => insertSecret(tx, { name: `w${sequence++}`, value: VALUE }));
  const read = () => database.read((tx) => findSecret(tx, { name: `w${sequence - 1}` }));
  const beside = 'plain: one fsync a write';
  return [
    { name: beside, clients: 1, action: () => insert.run(`w${sequence++}`, VALUE) },
    { name: 'durable writes, 1 client', clients: 1, action: write, beside },
    { name: 'durable writes, 16 clients', clients: 16, action: write, beside },
    { name: 'durable writes, 64 clients', clients: 64, action: write, beside },
    { name: 'a write and four reads, 16 clients', clients: 16, action: oneOfFive(write, read), beside },
  ];
}

function oneOfFive(first: () => unknown, others: () => unknown): () => unknown {
  let call = 0;
  return () => (call++ % 5 === 0 ? first() : others());
}

function reads(database: StorageEngine, plain: DatabaseSync): Activity[] {
  const name = 'w0';
  const select = plain.prepare('select name, value from server_secrets where name = ?');
  const queries = (query: (tx: ReadTransaction) => Promise<unknown>) => () =>
    database.read(async (tx) => {
      for (let i = 0; i < QUERIES_PER_READ; i++) await query(tx);
    });
  const beside = 'plain: a prepared select';
  const prepared = queries((tx) => findSecret(tx, { name }));
  const built = queries((tx) => secretNamed(tx, name).execute());
  return [
    { name: beside, clients: 1, action: () => select.all(name) },
    {
      name: 'reads of one query',
      clients: 1,
      action: () => database.read((tx) => findSecret(tx, { name })),
      beside,
    },
    {
      name: 'prepared queries of one read',
      clients: 1,
      action: prepared,
      operations: QUERIES_PER_READ,
      beside,
    },
    { name: 'built queries of one read', clients: 1, action: built, operations: QUERIES_PER_READ, beside },
  ];
}

async function measure(activities: readonly Activity[]): Promise<Figure[]> {
  const actions = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const activity of activities) {
      actions.set(activity.name, (actions.get(activity.name) ?? 0) + (await turn(activity)));
    }
  }
  const perSecond = (name: string) => ((actions.get(name) ?? 0) / (ROUNDS * TURN_MS)) * 1_000;
  return activities.map(({ name, beside, operations = 1 }) => ({
    name,
    value: perSecond(name) * operations,
    unit: '/s',
    ...(beside !== undefined && { ceiling: perSecond(beside) }),
  }));
}

async function turn({ clients, action }: Activity): Promise<number> {
  let actions = 0;
  const end = performance.now() + TURN_MS;
  const client = async () => {
    for (; performance.now() < end; actions++) await action();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return actions;
}

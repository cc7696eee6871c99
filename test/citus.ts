import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openPostgres } from '../src/storage/postgres/postgres.ts';
import { distribute, planDistribution } from '../src/storage/schema/distribution.ts';
import { migrate } from '../src/storage/schema/migrate.ts';
import { dropDatabase } from './drop-database.ts';

/** Names a database of a coordinator that knows its workers; tests then run on that cluster instead of on one server. */
export const CITUS_URL = process.env.ATRIUM_TEST_CITUS_URL;

/** Few, because every test makes all tables anew. */
const SHARDS = 4;

interface Worker {
  nodename: string;
  nodeport: number;
}

/** Gives the URL at which a worker is to be found instead of this one. */
type PlaceWorker = (url: string) => string | Promise<string>;

/** A database whose tables are spread over the workers of a cluster by workspace. */
export interface CitusDatabase {
  /** At the coordinator. */
  readonly url: string;
  /** At each worker. */
  readonly workerUrls: readonly string[];
  remove(): Promise<void>;
}

/**
 * Makes a database on a coordinator and on its workers, with all tables of Atrium spread over them. `place` says where the
 * coordinator finds a worker of it, if not at its own address.
 */
export async function makeCitusDatabase(cluster: string, place?: PlaceWorker): Promise<CitusDatabase> {
  const made = await makeEmptyCitusDatabase(cluster, place);
  await spread(made.url);
  return made;
}

/** Makes a database on a coordinator and on its workers, in which there is nothing. */
export async function makeEmptyCitusDatabase(
  cluster: string,
  place: PlaceWorker = (url) => url,
): Promise<CitusDatabase> {
  const name = `atrium_test_${randomUUID().replaceAll('-', '')}`;
  const workers = await asked<Worker>(
    cluster,
    "select nodename, nodeport from pg_dist_node where groupid <> 0 and noderole = 'primary' order by nodeid",
  );
  const addresses = workers.map(({ nodename, nodeport }) => withPlace(cluster, nodename, nodeport));
  const url = withName(cluster, name);
  for (const address of [...addresses, cluster]) {
    await asked(address, `create database ${name}`);
    await asked(withName(address, name), 'create extension citus');
  }
  await joined(url, await Promise.all(addresses.map(place)));
  const remove = async () => {
    for (const address of [cluster, ...addresses]) await dropDatabase((sql) => asked(address, sql), name);
  };
  return { url, workerUrls: addresses.map((address) => withName(address, name)), remove };
}

/** Makes the tables and spreads them as the command does. */
async function spread(url: string): Promise<void> {
  const database = openPostgres(url);
  try {
    await migrate(database);
    await distribute(database, await planDistribution(database, SHARDS));
  } finally {
    await database.close();
  }
}

async function joined(url: string, workers: readonly string[]): Promise<void> {
  const { hostname, port } = new URL(url);
  await asked(url, `select citus_set_coordinator_host('${hostname}', ${port})`);
  for (const worker of workers.map((at) => new URL(at)))
    await asked(url, `select citus_add_node('${worker.hostname}', ${worker.port})`);
}

async function asked<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

function withPlace(url: string, host: string, port: number): string {
  const at = new URL(url);
  at.hostname = host;
  at.port = String(port);
  at.pathname = '/postgres';
  return at.href;
}

function withName(url: string, name: string): string {
  const at = new URL(url);
  at.pathname = `/${name}`;
  return at.href;
}

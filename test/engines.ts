import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import pg from 'pg';
import type { Engine } from '../src/storage/database.ts';
import { openPostgres } from '../src/storage/postgres/postgres.ts';
import { migrate } from '../src/storage/schema/migrate.ts';
import type { StorageEngine } from '../src/storage/schema/schema-transaction.ts';
import { openSqlite } from '../src/storage/sqlite/sqlite.ts';
import { CITUS_URL, makeCitusDatabase } from './citus.ts';
import { dropDatabase } from './drop-database.ts';
import { NODES } from './nodes/count.ts';
import { postgresUrl } from './postgres.ts';

/** Names a pooler: applications reach their databases through it, administration does not. */
const POOLER_URL = process.env.ATRIUM_TEST_POOLER_URL;
/** Where the files of a test run keep what each of them would make alike; undefined where one runs by itself. */
const TEMPLATES = process.env.ATRIUM_TEST_TEMPLATES;
const MIGRATIONS = new URL('../src/storage/schema/migrations/', import.meta.url);

/** Settings of a database that one test has to itself. */
export interface TestDatabase {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** Removes it with all that is in it; whoever is still connected loses it. */
  remove(): Promise<void>;
}

/** Declares the same tests for each engine; where applications are to be of several nodes, for the one that allows it. */
export function forEachEngine(declare: (engine: Engine) => void): void {
  const engines = NODES > 1 ? (['postgres'] as const) : (['sqlite', 'postgres'] as const);
  for (const engine of engines) describe(engine, () => declare(engine));
}

/** For tests that are not about the engine: the quicker one, or where applications are to be of several nodes, the other. */
export const ANY_ENGINE: Engine = NODES > 1 ? 'postgres' : 'sqlite';

/** A database with nothing in it. */
export function freshDatabase(engine: Engine): Promise<TestDatabase> {
  return createDatabase(engine, () => Promise.resolve('template1'));
}

/**
 * A database that needs no migration; on SQLite, where they take little time, a file that runs by itself still does them
 * when it opens one. Where a cluster of Citus is given, one that is spread over it.
 */
export async function migratedDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres' && CITUS_URL !== undefined) return createSpreadDatabase(CITUS_URL);
  const database = await createDatabase(engine, migratedTemplate);
  if (engine === 'sqlite' && TEMPLATES !== undefined)
    await copyFile(await migratedFile(TEMPLATES), join(database.dataDir, 'atrium.sqlite'));
  return database;
}

/** Made by whichever processes need it first, each under a name of its own until it is whole. */
async function migratedFile(directory: string): Promise<string> {
  const path = join(directory, 'migrated.sqlite');
  if (existsSync(path)) return path;
  const unfinished = join(directory, `${randomUUID()}.sqlite`);
  await migrateAndClose(await openSqlite(unfinished));
  await rename(unfinished, path);
  return path;
}

async function createSpreadDatabase(cluster: string): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-test-'));
  const { url, remove } = await makeCitusDatabase(cluster);
  return {
    databaseUrl: url,
    dataDir,
    remove: async () => {
      await remove();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function createDatabase(engine: Engine, template: () => Promise<string>): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-test-'));
  const removeDirectory = () => rm(dataDir, { recursive: true });
  if (engine === 'sqlite') return { databaseUrl: undefined, dataDir, remove: removeDirectory };
  const name = `atrium_test_${randomUUID().replaceAll('-', '')}`;
  await administer(`create database ${name} template ${await template()}`);
  const remove = async () => {
    await dropDatabase(administer, name);
    await removeDirectory();
  };
  return { databaseUrl: await urlOf(name, POOLER_URL), dataDir, remove };
}

let template: Promise<string> | undefined;

function migratedTemplate(): Promise<string> {
  template ??= findOrMakeTemplate();
  return template;
}

/** Made by whichever process needs it first, under a name that says which migrations it has. */
async function findOrMakeTemplate(): Promise<string> {
  const name = `atrium_template_${digestOfMigrations()}`;
  const client = new pg.Client(await postgresUrl());
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext('atrium template'))");
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) await makeTemplate(client, name);
    return name;
  } finally {
    await client.end();
  }
}

async function makeTemplate(client: pg.Client, name: string): Promise<void> {
  const unfinished = `${name}_unfinished`;
  await client.query(`drop database if exists ${unfinished}`);
  await client.query(`create database ${unfinished}`);
  await migrateAndClose(openPostgres(await urlOf(unfinished)));
  await client.query(`alter database ${unfinished} rename to ${name}`);
}

async function migrateAndClose(database: StorageEngine): Promise<void> {
  await migrate(database).finally(() => database.close());
}

function digestOfMigrations(): string {
  const hash = createHash('sha256');
  for (const file of globSync('*.ts', { cwd: MIGRATIONS }).sort())
    hash.update(readFileSync(new URL(file, MIGRATIONS)));
  return hash.digest('hex').slice(0, 16);
}

let administrators: pg.Pool | undefined;

async function administer(sql: string): Promise<void> {
  administrators ??= new pg.Pool({ connectionString: await postgresUrl(), max: 2, allowExitOnIdle: true }).on(
    'error',
    // A server that a test has crash ends idle connections too.
    () => undefined,
  );
  await administrators.query(sql);
}

async function urlOf(database: string, server?: string): Promise<string> {
  const url = new URL(server ?? (await postgresUrl()));
  url.pathname = `/${database}`;
  return url.href;
}

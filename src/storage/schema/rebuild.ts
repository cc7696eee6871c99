import { CompiledQuery } from 'kysely';
import { type FeedHolder, findFeedHolder } from '../changes.ts';
import type { Engine, ReadTransaction } from '../database.ts';
import { type Cluster, findCluster, findWorkerStates, type WorkerState } from './cluster.ts';
import { MigrationError, migrate, refuseUnknown } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { hasOwnTables, ownTables } from './own-tables.ts';
import type { SchemaTransaction, StorageEngine } from './schema-transaction.ts';

/** SQLSTATE dependent_objects_still_exist. */
const OTHERS_DEPEND = '2BP01';

/** Whether the database has tables of Atrium of any version. Creates none. */
export async function hasTables(database: StorageEngine): Promise<boolean> {
  return database.read(hasOwnTables);
}

/**
 * Drops all tables of Atrium and nothing else. Rejects with MigrationError if a newer version has created them, and if
 * foreign objects depend on them.
 */
export async function removeTables(database: StorageEngine): Promise<void> {
  const names = await database.read(async (tx) => (await ownTables(tx)).map(({ name }) => name));
  await database.alter(async (tx) => {
    for (const name of names) await removeTable(tx, name);
  });
}

async function removeTable(tx: SchemaTransaction, name: string): Promise<void> {
  try {
    await tx.schema.dropTable(name).execute();
  } catch (error) {
    if ((error as { code?: unknown }).code !== OTHERS_DEPEND) throw error;
    throw new MigrationError(
      `Something in the database, such as a view, is made of the table ${name}: remove it, and make it again afterwards`,
      { cause: error },
    );
  }
}

/**
 * Creates the tables as they were after the last of these migrations, by default all. Rejects with MigrationError for
 * an unknown migration.
 */
export async function makeTables(database: StorageEngine, steps?: readonly string[]): Promise<void> {
  if (steps === undefined) return migrate(database);
  refuseUnknown('The backup', steps);
  await migrate(database, migrations.slice(0, steps.length));
}

/** The version, migrations and clock of a database. */
export interface InspectedDatabase {
  engine: Engine;
  version: string;
  /** The migrations that it does not have yet, in order. */
  missing: string[];
  /** A migration that it has and this program does not know; undefined when there is none. */
  unknown: string | undefined;
  /** When a migration was last applied, in milliseconds since the epoch; 0 for never. */
  lastChange: number;
  /** How far its clock is ahead, in milliseconds. */
  skewMs: number;
  /** What holds back the change feed. */
  feedHolder: FeedHolder | undefined;
  /** What it is part of; undefined where that is no cluster. */
  cluster: InspectedCluster | undefined;
}

/** A cluster, and how its workers answer. */
export interface InspectedCluster extends Cluster {
  states: WorkerState[];
}

const VERSION = {
  sqlite: 'select sqlite_version() as version',
  postgres: "select current_setting('server_version') as version",
} as const;

/** Inspects a database without changing it. Rejects with StorageUnavailable. */
export async function inspect(database: StorageEngine): Promise<InspectedDatabase> {
  const isMade = await hasTables(database);
  const cluster = await inspectCluster(database);
  return database.read(async (tx) => {
    const { rows } = await tx.executeQuery<{ version: string }>(CompiledQuery.raw(VERSION[tx.engine]));
    const skewMs = (await tx.now()) - Date.now();
    const version = rows[0]?.version ?? '';
    const feedHolder = await findFeedHolder(tx);
    return { engine: tx.engine, version, skewMs, feedHolder, cluster, ...(await stepsOf(tx, isMade)) };
  });
}

async function inspectCluster(database: StorageEngine): Promise<InspectedCluster | undefined> {
  const cluster = await database.read(findCluster);
  if (cluster === undefined) return undefined;
  return { ...cluster, states: await database.read(findWorkerStates) };
}

async function stepsOf(tx: ReadTransaction, isMade: boolean) {
  const query = 'select name, applied_at from migrations order by position';
  const { rows: applied } = isMade
    ? await tx.executeQuery<{ name: string; applied_at: number }>(CompiledQuery.raw(query))
    : { rows: [] };
  return {
    missing: migrations.slice(applied.length).map(({ name }) => name),
    unknown: applied.find(({ name }, i) => migrations[i]?.name !== name)?.name,
    lastChange: Math.max(0, ...applied.map(({ applied_at: at }) => Number(at))),
  };
}

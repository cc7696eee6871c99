import { join, resolve } from 'node:path';
import { makeDirectory } from '../platform/directories.ts';
import { refuseUnsuitable } from './postgres/suitability.ts';
import type { StorageEngine } from './schema/schema-transaction.ts';
import { openSqlite } from './sqlite/sqlite.ts';

/** The location of the data. Without a URL it is a SQLite file in the data directory, which is created if missing. */
export interface StorageSettings {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
}

/**
 * Opens the database that the settings name. The caller migrates and closes it. Rejects with StorageUnavailable, and
 * with UnsuitableDatabase for a database that cannot give the guarantees of the storage port.
 */
export async function openDatabase({ databaseUrl, dataDir }: StorageSettings): Promise<StorageEngine> {
  if (databaseUrl !== undefined) {
    // Loaded on demand: a start on SQLite does not load the PostgreSQL client.
    const { openPostgres } = await import('./postgres/postgres.ts');
    return openSuitable(openPostgres(databaseUrl));
  }
  await makeDirectory(resolve(dataDir));
  return openSqlite(join(dataDir, 'atrium.sqlite'));
}

async function openSuitable(database: StorageEngine): Promise<StorageEngine> {
  try {
    await refuseUnsuitable(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

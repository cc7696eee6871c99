import { join, resolve } from 'node:path';
import { makeDirectory } from '../platform/directories.ts';
import { refuseUnsuitable } from './postgres/suitability.ts';
import type { StorageEngine } from './schema/schema-transaction.ts';
import { openSqlite } from './sqlite/sqlite.ts';

/** Where the data is. Without a URL it is a SQLite file in the data directory, which is made where there is none. */
export interface StorageSettings {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
}

/**
 * Opens the database that the settings name. The caller migrates and closes it. Rejects with StorageUnavailable, and
 * with UnsuitableDatabase for one that cannot keep what Atrium promises.
 */
export async function openDatabase({ databaseUrl, dataDir }: StorageSettings): Promise<StorageEngine> {
  if (databaseUrl !== undefined) {
    // Loaded only where it is used: a start on SQLite pays nothing for the client of another database.
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

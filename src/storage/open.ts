import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres } from './postgres.ts';
import type { StorageEngine } from './schema-transaction.ts';
import { openSqlite } from './sqlite.ts';

/** Where the data is. Without a URL it is a SQLite file in the data directory, which is made where there is none. */
export interface StorageSettings {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
}

/** Opens the database that the settings name. The caller migrates and closes it. Rejects with StorageUnavailable. */
export async function openDatabase({ databaseUrl, dataDir }: StorageSettings): Promise<StorageEngine> {
  if (databaseUrl !== undefined) return openPostgres(databaseUrl);
  await mkdir(dataDir, { recursive: true });
  return openSqlite(join(dataDir, 'atrium.sqlite'));
}

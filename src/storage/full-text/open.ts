import { join } from 'node:path';
import type { Database } from '../database.ts';
import type { FullTextIndex } from './full-text-index.ts';
import { SqliteIndex } from './sqlite/sqlite-index.ts';

/** The full-text index of a database: a file beside that of SQLite, tables in that of PostgreSQL. */
export async function openFullTextIndex(database: Database, dataDir: string): Promise<FullTextIndex> {
  if (database.engine === 'sqlite') return new SqliteIndex(join(dataDir, 'search.sqlite'));
  // Loaded on demand, as the client of PostgreSQL is.
  const { PostgresIndex } = await import('./postgres/postgres-index.ts');
  return new PostgresIndex(database);
}

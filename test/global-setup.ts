import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, providePostgres } from './postgres.ts';

let postgres: PostgresServer | undefined;
let templates: string | undefined;

/** Called by Node's test runner before the first test file: one PostgreSQL serves them all, and one migrated SQLite file. */
export async function globalSetup(): Promise<void> {
  postgres = await providePostgres();
  templates = await mkdtemp(join(tmpdir(), 'atrium-templates-'));
  process.env.ATRIUM_TEST_TEMPLATES = templates;
}

/** Called when all have ended, and on Ctrl-C. */
export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
  if (templates !== undefined) await rm(templates, { recursive: true, force: true });
}

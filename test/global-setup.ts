import { type PostgresServer, providePostgres } from './postgres.ts';

let postgres: PostgresServer | undefined;

/** Called by Node's test runner before the first test file: one PostgreSQL serves them all. */
export async function globalSetup(): Promise<void> {
  postgres = await providePostgres();
}

/** Called when all have ended, and on Ctrl-C. */
export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
}

/**
 * Searches among 100,000 messages of about 1.5 KB, on both engines, beside notmuch (Xapian) where it is installed. To reach: 50 ms.
 */
import { startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';
import { beside, indexed, latencies } from './search/latency.ts';
import { searchableMailbox } from './search/mailbox.ts';
import { startSearchableOnPostgres } from './search/postgres-mailbox.ts';

const MESSAGES = 100_000;

export async function bench(): Promise<Figure[]> {
  const others = await beside(MESSAGES);
  const sqlite = await startAtrium(await searchableMailbox(MESSAGES));
  const figures: Figure[] = [];
  try {
    await indexed(sqlite, MESSAGES);
    figures.push(...(await latencies(sqlite, 'SQLite', others)));
  } finally {
    await sqlite.stop();
  }
  const postgres = await startSearchableOnPostgres(MESSAGES);
  try {
    await indexed(postgres, MESSAGES);
    figures.push(...(await latencies(postgres, 'PostgreSQL', others)));
  } finally {
    await postgres.stop();
  }
  return figures;
}

/**
 * Searches among 1,000,000 messages on both engines, beside notmuch (Xapian) where it is installed, of as many messages that
 * are all different. To reach: 50 ms. 100,000 messages come in through the product's own door and are multiplied: see
 * search/multiplied-sqlite.ts and search/multiplied-postgres.ts. Takes an hour and 40 GB the first time; what it makes is
 * kept for the next.
 */
import { startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';
import { beside, latencies } from './search/latency.ts';
import { multipliedMailbox } from './search/multiplied-sqlite.ts';
import { startSearchableOnPostgres } from './search/postgres-mailbox.ts';

const MESSAGES = 1_000_000;
const IMPORTED = 100_000;
const TIMES = MESSAGES / IMPORTED;

export async function bench(): Promise<Figure[]> {
  const others = await beside(MESSAGES);
  const figures: Figure[] = [];
  const sqlite = await startAtrium(await multipliedMailbox(IMPORTED, TIMES));
  try {
    figures.push(...(await latencies(sqlite, 'SQLite, multiplied', others)));
  } finally {
    await sqlite.stop();
  }
  const postgres = await startSearchableOnPostgres(IMPORTED, TIMES);
  try {
    figures.push(...(await latencies(postgres, 'PostgreSQL, multiplied', others)));
  } finally {
    await postgres.stop();
  }
  return figures;
}

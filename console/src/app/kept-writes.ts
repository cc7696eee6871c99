import { openDB } from 'idb';
import { OUTBOX_DATABASE, WRITES } from './outbox-store.ts';

/**
 * How many writes wait in this browser, of whomever: while no server answers, nobody knows whose session it has. 0 where the
 * browser keeps none, or does not tell.
 */
export async function countKeptWrites(): Promise<number> {
  try {
    // Opening a database that is not there would make one.
    const known = await indexedDB.databases();
    if (!known.some(({ name }) => name === OUTBOX_DATABASE)) return 0;
    const database = await openDB(OUTBOX_DATABASE);
    const count = await database.count(WRITES);
    database.close();
    return count;
  } catch {
    return 0;
  }
}

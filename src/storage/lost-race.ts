import { setTimeout as sleep } from 'node:timers/promises';
import { LostRace, StorageUnavailable } from './database.ts';

const PATIENCE_MS = 10_000;
const LONGEST_PAUSE_MS = 20;

/**
 * Runs `action` again, after a short random pause, as long as it rejects with LostRace: for about ten seconds,
 * then rejects with StorageUnavailable. The pause is random so that those who met do not meet again.
 */
export async function retryLostRaces<T>(action: () => T | Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let ceiling = 1; ; ceiling = Math.min(2 * ceiling, LONGEST_PAUSE_MS)) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof LostRace)) throw error;
      if (performance.now() > giveUpAt) throw new StorageUnavailable(error.message, { cause: error });
      await sleep(Math.random() * ceiling);
    }
  }
}

const MINUTE_MS = 60_000;
const LONGEST_MS = 4 * 60 * MINUTE_MS;

/** RFC 5321, 4.5.4.1: "the give-up time generally needs to be at least 4-5 days". */
export const GIVE_UP_AFTER_MS = 5 * 24 * 60 * MINUTE_MS;

/**
 * Milliseconds until the next attempt, after so many: from about a minute, doubling, to about four hours; a quarter more
 * or less, so that what failed together does not come back together. `chance` is from 0 to 1.
 */
export function retryDelay(attempts: number, chance: number): number {
  const usual = Math.min(MINUTE_MS * 2 ** Math.min(attempts - 1, 30), LONGEST_MS);
  return Math.round(usual * (0.75 + chance / 2));
}

import { setImmediate as nextTurn } from 'node:timers/promises';

const LONGEST_MS = 5;

/**
 * Resolves when a turn of the event loop brings no more, when there are `most`, and after five milliseconds anyway: so
 * long it pays to wait for those who go on sending, for what is done together shares what doing it costs.
 */
export async function gather(count: () => number, most: number): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  let isMore = true;
  while (isMore && performance.now() < until) {
    const gathered = count();
    await nextTurn();
    isMore = count() > gathered && count() < most;
  }
}

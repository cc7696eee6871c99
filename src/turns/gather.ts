import { setImmediate as nextTurn } from 'node:timers/promises';

const LONGEST_MS = 5;

/**
 * Waits for more items: resolves when a turn of the event loop brings none, when there are `most`, or after five
 * milliseconds. For so long it pays off to wait for concurrent senders, because work done together shares its fixed
 * cost.
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

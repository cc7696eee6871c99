import { setImmediate as nextTurn } from 'node:timers/promises';

/** How often the event loop had its turn until the work was done: very often where it is done elsewhere, however slow the machine is. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const finished = work.finally(() => {
    isDone = true;
  });
  for (; !isDone; turns++) await nextTurn();
  await finished;
  return turns;
}

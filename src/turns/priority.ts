import { getPriority, setPriority } from 'node:os';

/** A thread of this niceness gets a tenth of a processor beside one that answers requests (setpriority(2), sched(7)). */
const BACKGROUND = 10;

/**
 * Makes the calling thread give way to others where processors are busy. On Linux alone a priority is of a thread; elsewhere
 * it would be of the process, so nothing changes there.
 */
export function giveWayToOtherThreads(): void {
  if (process.platform === 'linux') setPriority(Math.max(getPriority(), BACKGROUND));
}

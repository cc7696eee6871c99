import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects what nothing refers to any more. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that this process, servers in it included, still refers to: the figure does not depend on when garbage is collected. */
export function liveBytes(): number {
  collectGarbage();
  // Array buffers are freed on another thread, for which the next collection waits.
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Collects only what is young, as most collections of a server do. */
export const collectYoungGarbage = () =>
  (collectGarbage as (options: { type: 'minor' }) => void)({ type: 'minor' });

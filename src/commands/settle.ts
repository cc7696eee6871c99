import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compileThreads } from '../product.ts';

/** The first answers go first, and what they load and compile is kept as well. */
const AFTER_MS = 1_000;

/**
 * To be called once a server is ready. A moment later, keeps what was compiled for the next start, also when this
 * process will be killed, and gives the memory back that only starting needed: a sixth of what an idle server would
 * hold on to, because without work the engine sees no reason to collect it.
 */
export function settleSoon(): void {
  setTimeout(settle, AFTER_MS).unref();
}

async function settle(): Promise<void> {
  await compileThreads();
  flushCompileCache();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}

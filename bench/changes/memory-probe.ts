/** Loaded before a server: answers what memory it holds once nothing is left to collect, in millions of bytes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a process holds. */
export interface Memory {
  resident: number;
  /** Of objects of JavaScript, and of buffers outside of its heap. */
  used: number;
}

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

process.on('message', () => {
  collect();
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ resident: rss / 1e6, used: (heapUsed + external) / 1e6 } satisfies Memory);
});
process.channel?.unref();

/** Loaded before a server: measures how long its event loop stands still, and tells its parent process when asked. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { slowness } from './yardstick.ts';

/** What a server has done since it was asked before. */
export interface LongestTurn {
  /** The longest time between two turns of the event loop, in milliseconds: of the clock, and of this thread's processor time. */
  clockMs: number;
  processorMs: number;
  /** The most memory that the process had, in bytes. */
  memory: number;
}

/** Asked for the longest turn, a server answers that; asked for its slowness, how many times as long as usual it takes at present. */
export type Question = 'longest turn' | 'slowness';

const EVERY_MS = 5;

// Threads of the server load this too.
if (isMainThread) measure();

function measure(): void {
  const delay = monitorEventLoopDelay({ resolution: EVERY_MS });
  delay.enable();
  let processorMs = 0;
  let memory = 0;
  let last = processorTime();
  setInterval(() => {
    const now = processorTime();
    processorMs = Math.max(processorMs, now - last);
    last = now;
    memory = Math.max(memory, process.memoryUsage.rss());
  }, EVERY_MS).unref();
  process.on('message', async ({ question }: { question: Question }) => {
    if (question === 'slowness') {
      process.send?.(slowness());
      return;
    }
    // What measures has its turn after what is to be measured.
    await pause(4 * EVERY_MS);
    process.send?.({ clockMs: delay.max / 1e6, processorMs, memory } satisfies LongestTurn);
    delay.reset();
    last = processorTime();
    processorMs = 0;
    memory = 0;
  });
}

/** Processor time of this thread, in milliseconds. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Loaded before a server: measures how long its event loop stands still, and tells its parent process when asked. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { slowness, warmUp } from './yardstick.ts';

/** What a server has done since it was asked before. */
export interface LongestTurn {
  /** The longest time between two turns of the event loop, in milliseconds: of the clock, and of this thread's processor time. */
  clockMs: number;
  processorMs: number;
  /** The most memory that the process had, in bytes. */
  memory: number;
  /** How many times as long as usual this thread takes at present for what it does otherwise; at least 1. */
  slowness: number;
}

const EVERY_MS = 5;

// Threads of the server load this too.
if (isMainThread) measure();

function measure(): void {
  warmUp();
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
  process.on('message', async () => {
    // What measures has its turn after what is to be measured.
    await pause(4 * EVERY_MS);
    const turn = { clockMs: delay.max / 1e6, processorMs, memory };
    process.send?.({ ...turn, slowness: slowness() } satisfies LongestTurn);
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

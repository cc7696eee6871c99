import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOtherThreads } from './priority.ts';

/** What a worker is told. */
export interface WorkerEntry {
  readonly module: string;
  readonly isBackground: boolean;
}

// The entry module of every worker: it imports the worker's module and then reports "loaded". Requests sent
// earlier wait in the port's queue.
if (parentPort) {
  const { module, isBackground } = workerData as WorkerEntry;
  if (isBackground) giveWayToOtherThreads();
  await import(module);
  parentPort.postMessage('loaded');
}

import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOtherThreads } from './priority.ts';
import type { WorkerEntry } from './request-worker.ts';

// The entry module of every worker: it imports the worker's module and then reports "loaded". Requests sent
// earlier wait in the port's queue.
if (parentPort) {
  const { module, isBackground } = workerData as WorkerEntry;
  if (isBackground) giveWayToOtherThreads();
  await import(module);
  parentPort.postMessage('loaded');
}

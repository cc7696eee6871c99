import { parentPort, workerData } from 'node:worker_threads';

// The entry module of every worker: it imports the worker's module and then reports "loaded". Requests sent
// earlier wait in the port's queue.
if (typeof workerData === 'string') {
  await import(workerData);
  parentPort?.postMessage('loaded');
}

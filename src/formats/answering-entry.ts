import { parentPort, workerData } from 'node:worker_threads';

// What every answering worker begins with: it loads its module, and then says so. Its questions wait meanwhile.
if (typeof workerData === 'string') {
  await import(workerData);
  parentPort?.postMessage('loaded');
}

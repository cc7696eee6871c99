import { parentPort } from 'node:worker_threads';
import type { WrittenHead } from './head-thread.ts';
import { readHeaders } from './message-headers.ts';

parentPort?.on('message', ({ fields, charset }: WrittenHead) => {
  parentPort?.postMessage(readHeaders(fields, charset));
});

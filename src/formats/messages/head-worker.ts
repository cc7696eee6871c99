import { parentPort } from 'node:worker_threads';
import { readHeaders, type WrittenHead } from './message-headers.ts';

parentPort?.on('message', ({ fields, charset }: WrittenHead) => {
  parentPort?.postMessage(readHeaders(fields, charset));
});

import { parentPort } from 'node:worker_threads';
import { type RawHead, readHeaders } from './message-headers.ts';

parentPort?.on('message', ({ fields, charset }: RawHead) => {
  parentPort?.postMessage(readHeaders(fields, charset));
});

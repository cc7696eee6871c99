import { parentPort } from 'node:worker_threads';
import { LAST_REPLY } from '../../turns/request-worker.ts';
import { type ExtractionRequest, extract } from './extract.ts';

parentPort?.on('message', async ({ kind, bytes, limits }: ExtractionRequest) => {
  const extraction = await extract(kind, bytes, limits);
  if (kind === 'pdf' && (await import('./pdf-text.ts')).isPdfiumSpent()) parentPort?.postMessage(LAST_REPLY);
  parentPort?.postMessage(extraction);
});

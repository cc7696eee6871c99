import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointMode } from './checkpointer.ts';

const { path, patienceMs } = workerData as { path: string; patienceMs: number };
const port = parentPort;

// This thread has nothing else to do, so here, unlike on the main thread, SQLite may wait for locks by blocking.
const db = new DatabaseSync(path, { timeout: patienceMs });
db.exec('pragma synchronous = full');

function checkpoint(mode: CheckpointMode): CheckpointAnswer {
  try {
    const row = db.prepare(`pragma wal_checkpoint(${mode})`).get();
    return { complete: row?.busy === 0 };
  } catch (error) {
    return { error };
  }
}

port?.on('message', (request: CheckpointMode | 'close') => {
  if (request !== 'close') {
    port.postMessage(checkpoint(request));
    return;
  }
  db.close();
  port.close();
});

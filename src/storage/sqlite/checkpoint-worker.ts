import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type {
  CheckpointAnswer,
  CheckpointedFile,
  CheckpointMode,
  CheckpointQuestion,
} from './checkpoint-question.ts';

if (parentPort) serve(parentPort, workerData as CheckpointedFile);

function serve(port: MessagePort, { path, patienceMs }: CheckpointedFile): void {
  // This thread has nothing else to do, so here, unlike on the main thread, SQLite may wait for locks by blocking.
  const db = new DatabaseSync(path, { timeout: patienceMs });
  db.exec('pragma synchronous = full');
  port.on('message', (request: CheckpointQuestion) => {
    if (request !== 'close') {
      port.postMessage(checkpoint(db, request));
      return;
    }
    db.close();
    port.close();
  });
}

function checkpoint(db: DatabaseSync, mode: CheckpointMode): CheckpointAnswer {
  try {
    const row = db.prepare(`pragma wal_checkpoint(${mode})`).get();
    return { complete: row?.busy === 0 };
  } catch (error) {
    return { error };
  }
}

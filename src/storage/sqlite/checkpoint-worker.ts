import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type {
  CheckpointedFile,
  CheckpointMode,
  CheckpointReply,
  CheckpointRequest,
} from './checkpoint-messages.ts';

if (parentPort) serve(parentPort, workerData as CheckpointedFile);

function serve(port: MessagePort, { path, patienceMs }: CheckpointedFile): void {
  // Unlike on the main thread, SQLite may block here while it waits for locks.
  const db = new DatabaseSync(path, { timeout: patienceMs });
  db.exec('pragma synchronous = full');
  port.on('message', (request: CheckpointRequest) => {
    if (request !== 'close') {
      port.postMessage(checkpoint(db, request));
      return;
    }
    db.close();
    port.close();
  });
}

function checkpoint(db: DatabaseSync, mode: CheckpointMode): CheckpointReply {
  try {
    const row = db.prepare(`pragma wal_checkpoint(${mode})`).get();
    return { complete: row?.busy === 0 };
  } catch (error) {
    return { error };
  }
}

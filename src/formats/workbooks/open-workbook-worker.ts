import { parentPort, workerData } from 'node:worker_threads';
import { type PackedPortion, packPortion } from './packed-portion.ts';
import { readWorkbook } from './read.ts';
import { type ReadResult, UnreadableWorkbook } from './workbook.ts';

/** The thread's reply to each request: first the sheets, then portions of cells, at last the result of the file. */
export type ReadingReply =
  | { sheets: readonly string[] }
  | { portion: PackedPortion }
  | { unreadable: string }
  | { done: ReadResult };

async function* replies(bytes: Uint8Array): AsyncGenerator<ReadingReply> {
  try {
    const { sheets, portions } = await readWorkbook(bytes);
    yield { sheets };
    for (;;) {
      const { done, value } = await portions.next();
      if (done) return yield { done: value };
      yield { portion: packPortion(value) };
    }
  } catch (error) {
    if (!(error instanceof UnreadableWorkbook)) throw error;
    yield { unreadable: error.message };
  }
}

const reading = replies(workerData as Uint8Array);
parentPort?.on('message', async () => {
  const { value } = await reading.next();
  parentPort?.postMessage(value);
});

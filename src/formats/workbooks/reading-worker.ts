import { parentPort, workerData } from 'node:worker_threads';
import { type PackedPortion, packPortion } from './packed-portion.ts';
import { readWorkbook } from './read.ts';
import { type ReadOutcome, UnreadableWorkbook } from './workbook.ts';

/** What the thread answers each time it is asked for more: first the sheets, then portions of cells, in the end what became of the file. */
export type ReadingAnswer =
  | { sheets: readonly string[] }
  | { portion: PackedPortion }
  | { unreadable: string }
  | { done: ReadOutcome };

async function* answers(bytes: Uint8Array): AsyncGenerator<ReadingAnswer> {
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

const reading = answers(workerData as Uint8Array);
parentPort?.on('message', async () => {
  const { value } = await reading.next();
  parentPort?.postMessage(value);
});

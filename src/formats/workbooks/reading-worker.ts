import { parentPort, workerData } from 'node:worker_threads';
import { type PackedPortion, packPortion } from './packed-portion.ts';
import { readWorkbook } from './read.ts';
import { UnreadableWorkbook } from './workbook.ts';

/** What the thread answers each time it is asked for more: first the sheets, then portions of cells. */
export type ReadingAnswer =
  | { sheets: readonly string[] }
  | { portion: PackedPortion }
  | { unreadable: string }
  | { done: true };

async function* answers(bytes: Uint8Array): AsyncGenerator<ReadingAnswer> {
  try {
    const { sheets, portions } = await readWorkbook(bytes);
    yield { sheets };
    for await (const portion of portions) yield { portion: packPortion(portion) };
    yield { done: true };
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

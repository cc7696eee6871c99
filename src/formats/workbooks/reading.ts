import { FairGate } from '../../turns/fair-gate.ts';
import { SMALL_READ_HEAP_MIB } from './limits.ts';
import { unpackPortion } from './packed-portion.ts';
import { measureFor, type ReadingMeasure, ReadingThread } from './reading-thread.ts';
import type { ReadOutcome, SheetPortion, WorkbookContent } from './workbook.ts';

/** A workbook that is being read; who does not read it to its end closes it. */
export interface OpenWorkbook extends WorkbookContent {
  close(): Promise<void>;
}

/**
 * Threads at a time, each of which may need the memory that limits.ts states. Those of small files wait for no large ones,
 * and nobody has all of them: who imports one after the other leaves the others theirs.
 */
const LARGE = new FairGate({ all: 2, each: 1 });
const SMALL = new FairGate({ all: 12, each: 1 });

/**
 * Opens the workbook in the bytes of an .xlsx or .csv file, to be read beside the event loop; it waits for earlier ones
 * while too many are read, and asks for the bytes only then. They are taken over: they are empty afterwards.
 * @throws UnreadableWorkbook when there is no workbook in them; the reading of its portions may throw it too
 * @throws TooManyWaiting when too many wait already
 */
export async function openWorkbook(
  bytes: () => Promise<Uint8Array<ArrayBuffer>>,
  measure: ReadingMeasure = measureFor(Number.POSITIVE_INFINITY),
): Promise<OpenWorkbook> {
  const leave = await (measure.heapMiB <= SMALL_READ_HEAP_MIB ? SMALL : LARGE).enter();
  let thread: ReadingThread | undefined;
  const close = async () => {
    try {
      await thread?.close();
    } finally {
      leave();
    }
  };
  try {
    thread = new ReadingThread(await bytes(), measure);
    const answer = await thread.ask();
    return { sheets: 'sheets' in answer ? answer.sheets : [], portions: portionsOf(thread, close), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* portionsOf(
  thread: ReadingThread,
  close: () => Promise<void>,
): AsyncGenerator<SheetPortion, ReadOutcome> {
  try {
    for (;;) {
      const answer = await thread.ask();
      if ('done' in answer) return answer.done;
      if ('portion' in answer) yield unpackPortion(answer.portion);
    }
  } finally {
    await close();
  }
}

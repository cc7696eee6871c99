import { unpackPortion } from './packed-portion.ts';
import { type ReadingMeasure, ReadingThread, USUAL_MEASURE } from './reading-thread.ts';
import type { SheetPortion, WorkbookContent } from './workbook.ts';

/** A workbook that is being read; who does not read it to its end closes it. */
export interface OpenWorkbook extends WorkbookContent {
  close(): Promise<void>;
}

/** Threads at a time; each may need the memory that limits.ts states. */
const AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

/**
 * Opens the workbook in the bytes of an .xlsx or .csv file, to be read beside the event loop; it waits for earlier ones
 * while too many are read, and asks for the bytes only then. They are taken over: they are empty afterwards.
 * @throws UnreadableWorkbook when there is no workbook in them; the reading of its portions may throw it too
 */
export async function openWorkbook(
  bytes: () => Promise<Uint8Array<ArrayBuffer>>,
  measure: ReadingMeasure = USUAL_MEASURE,
): Promise<OpenWorkbook> {
  const leave = await enter();
  let thread: ReadingThread | undefined;
  const close = async () => {
    leave();
    await thread?.close();
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

async function* portionsOf(thread: ReadingThread, close: () => Promise<void>): AsyncGenerator<SheetPortion> {
  try {
    for (;;) {
      const answer = await thread.ask();
      if (!('portion' in answer)) return;
      yield unpackPortion(answer.portion);
    }
  } finally {
    await close();
  }
}

/** Resolves when another thread may run, with what says, once, that it has ended. */
async function enter(): Promise<() => void> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  let hasLeft = false;
  return () => {
    if (hasLeft) return;
    hasLeft = true;
    running--;
    waiting.shift()?.();
  };
}

import { Worker } from 'node:worker_threads';
import { FairGate } from '../../turns/fair-gate.ts';
import { unpackPortion } from './packed-portion.ts';
import type { ReadingAnswer } from './reading-worker.ts';
import {
  READ_HEAP_MIB,
  READ_WITHIN_MS,
  type ReadOutcome,
  type SheetPortion,
  SMALL_FILE,
  SMALL_READ_HEAP_MIB,
  UnreadableWorkbook,
  type WorkbookContent,
} from './workbook.ts';

/** What one reading may take; the usual measure is in limits.ts. */
interface ReadingMeasure {
  /** Time of the thread, without that in which nobody asked it for more. */
  readonly withinMs: number;
  readonly heapMiB: number;
}

/** What the reading of a file of so many bytes may take. */
export function measureFor(size: number): ReadingMeasure {
  return { withinMs: READ_WITHIN_MS, heapMiB: size <= SMALL_FILE ? SMALL_READ_HEAP_MIB : READ_HEAP_MIB };
}

const YOUNG_MIB = 32;

/** One workbook being read beside the event loop, as far as it was asked for. */
class ReadingThread {
  readonly #worker: Worker;
  readonly #measure: ReadingMeasure;
  #leftMs: number;
  #asked: PromiseWithResolvers<ReadingAnswer> | undefined;

  /** Takes the bytes over: they are empty afterwards. */
  constructor(bytes: Uint8Array<ArrayBuffer>, measure: ReadingMeasure) {
    this.#measure = measure;
    this.#leftMs = measure.withinMs;
    this.#worker = new Worker(new URL('./reading-worker.ts', import.meta.url), {
      workerData: bytes,
      transferList: [bytes.buffer],
      resourceLimits: { maxOldGenerationSizeMb: measure.heapMiB, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    this.#worker.on('message', (answer: ReadingAnswer) => this.#asked?.resolve(answer));
    this.#worker.on('error', (cause) => this.#asked?.reject(this.#failure(cause)));
    this.#worker.on('exit', () =>
      this.#asked?.reject(new Error('the thread that reads a workbook has ended')),
    );
  }

  /**
   * The next answer, one at a time.
   * @throws UnreadableWorkbook when there is no workbook in the bytes, or it takes more time or memory than it may
   */
  async ask(): Promise<Exclude<ReadingAnswer, { unreadable: string }>> {
    const asked = Promise.withResolvers<ReadingAnswer>();
    this.#asked = asked;
    const timer = setTimeout(() => asked.reject(this.#tooSlow()), this.#leftMs);
    const startedAt = performance.now();
    try {
      this.#worker.postMessage('more');
      const answer = await asked.promise;
      if ('unreadable' in answer) throw new UnreadableWorkbook(answer.unreadable);
      return answer;
    } finally {
      clearTimeout(timer);
      this.#leftMs -= performance.now() - startedAt;
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #failure(cause: unknown): unknown {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') return cause;
    const reason = `reading it takes more than ${this.#measure.heapMiB} MiB of memory`;
    return new UnreadableWorkbook(reason, { cause });
  }

  #tooSlow(): UnreadableWorkbook {
    return new UnreadableWorkbook(`reading it takes longer than ${this.#measure.withinMs / 1000} seconds`);
  }
}

/** A workbook that is being read; who does not read it to its end closes it. */
interface OpenWorkbook extends WorkbookContent {
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

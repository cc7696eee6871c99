import { Worker } from 'node:worker_threads';
import { FairGate } from '../../turns/fair-gate.ts';
import type { ReadingReply } from './open-workbook-worker.ts';
import { unpackPortion } from './packed-portion.ts';
import {
  READ_HEAP_MIB,
  READ_WITHIN_MS,
  type ReadResult,
  type SheetPortion,
  SMALL_FILE,
  SMALL_READ_HEAP_MIB,
  UnreadableWorkbook,
  type WorkbookContent,
} from './workbook.ts';

/** Limits of one reading; workbook.ts has the usual values. */
interface ReadingLimits {
  /** Run time of the thread; excludes the time between requests. */
  readonly withinMs: number;
  readonly heapMiB: number;
}

/** The limits for a file of this size. */
export function readingLimitsFor(size: number): ReadingLimits {
  return { withinMs: READ_WITHIN_MS, heapMiB: size <= SMALL_FILE ? SMALL_READ_HEAP_MIB : READ_HEAP_MIB };
}

const YOUNG_MIB = 32;

/** A thread that reads one workbook, portion by portion on request. */
class ReadingThread {
  readonly #worker: Worker;
  readonly #limits: ReadingLimits;
  #leftMs: number;
  #pending: PromiseWithResolvers<ReadingReply> | undefined;

  /** Transfers the bytes to the thread; the caller's array is empty afterwards. */
  constructor(bytes: Uint8Array<ArrayBuffer>, limits: ReadingLimits) {
    this.#limits = limits;
    this.#leftMs = limits.withinMs;
    this.#worker = new Worker(new URL('./open-workbook-worker.ts', import.meta.url), {
      workerData: bytes,
      transferList: [bytes.buffer],
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMiB, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    this.#worker.on('message', (reply: ReadingReply) => this.#pending?.resolve(reply));
    this.#worker.on('error', (cause) => this.#pending?.reject(this.#failure(cause)));
    this.#worker.on('exit', () =>
      this.#pending?.reject(new Error('the thread that reads a workbook has ended')),
    );
  }

  /**
   * The next reply; call it only after the previous one.
   * @throws UnreadableWorkbook when the bytes are no workbook, or reading exceeds the time or memory limit
   */
  async ask(): Promise<Exclude<ReadingReply, { unreadable: string }>> {
    const pending = Promise.withResolvers<ReadingReply>();
    this.#pending = pending;
    const timer = setTimeout(() => pending.reject(this.#tooSlow()), this.#leftMs);
    const startedAt = performance.now();
    try {
      this.#worker.postMessage('more');
      const reply = await pending.promise;
      if ('unreadable' in reply) throw new UnreadableWorkbook(reply.unreadable);
      return reply;
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
    const reason = `reading it takes more than ${this.#limits.heapMiB} MiB of memory`;
    return new UnreadableWorkbook(reason, { cause });
  }

  #tooSlow(): UnreadableWorkbook {
    return new UnreadableWorkbook(`reading it takes longer than ${this.#limits.withinMs / 1000} seconds`);
  }
}

/** A workbook during reading. Close it unless it is read to the end. */
interface OpenWorkbook extends WorkbookContent {
  close(): Promise<void>;
}

/**
 * Concurrent threads, each with the memory limit of workbook.ts. Small files do not wait for large ones, and one
 * user's imports run one at a time, so that others get their slots.
 */
const LARGE = new FairGate({ all: 2, each: 1 });
const SMALL = new FairGate({ all: 12, each: 1 });

/**
 * Opens an .xlsx or .csv file for reading outside the event loop. Waits for a slot and requests the bytes only
 * then. Transfers the bytes: the caller's array is empty afterwards.
 * @throws UnreadableWorkbook when the bytes are no workbook; reading the portions may throw it too
 * @throws TooManyWaiting when the queue is full
 */
export async function openWorkbook(
  bytes: () => Promise<Uint8Array<ArrayBuffer>>,
  limits: ReadingLimits = readingLimitsFor(Number.POSITIVE_INFINITY),
): Promise<OpenWorkbook> {
  const leave = await (limits.heapMiB <= SMALL_READ_HEAP_MIB ? SMALL : LARGE).enter();
  let thread: ReadingThread | undefined;
  const close = async () => {
    try {
      await thread?.close();
    } finally {
      leave();
    }
  };
  try {
    thread = new ReadingThread(await bytes(), limits);
    const reply = await thread.ask();
    return { sheets: 'sheets' in reply ? reply.sheets : [], portions: portionsOf(thread, close), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* portionsOf(
  thread: ReadingThread,
  close: () => Promise<void>,
): AsyncGenerator<SheetPortion, ReadResult> {
  try {
    for (;;) {
      const reply = await thread.ask();
      if ('done' in reply) return reply.done;
      if ('portion' in reply) yield unpackPortion(reply.portion);
    }
  } finally {
    await close();
  }
}

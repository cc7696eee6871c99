import { Worker } from 'node:worker_threads';
import { READ_HEAP_MIB, READ_WITHIN_MS, SMALL_FILE, SMALL_READ_HEAP_MIB } from './limits.ts';
import type { ReadingAnswer } from './reading-worker.ts';
import { UnreadableWorkbook } from './workbook.ts';

/** What one reading may take; the usual measure is in limits.ts. */
export interface ReadingMeasure {
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
export class ReadingThread {
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

import { FairGate } from '../../../turns/fair-gate.ts';
import type { Workbook } from './workbook.ts';

/** How long a stopped version is not computed again; the time doubles with each further stop. */
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 600_000;
/** Maximum number of recorded workbooks. The one with the oldest stop is dropped first. */
const REMEMBERED = 10_000;

interface Stopped {
  readonly revision: string;
  readonly restMs: number;
  readonly untilMs: number;
}

/** Versions of workbooks that exceeded their time or memory. A repeated request does not start the same calculation at once. */
export class StoppedWorkbooks {
  readonly #stopped = new Map<string, Stopped>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add({ id, revision }: Pick<Workbook, 'id' | 'revision'>): void {
    const before = this.#stopped.get(id);
    const restMs =
      before?.revision === revision ? Math.min(before.restMs * 2, LONGEST_REST_MS) : FIRST_REST_MS;
    this.#stopped.delete(id);
    this.#stopped.set(id, { revision, restMs, untilMs: this.#now() + restMs });
    const [oldest] = this.#stopped.keys();
    if (this.#stopped.size > REMEMBERED && oldest !== undefined) this.#stopped.delete(oldest);
  }

  /** Whether this version must not be computed now. A write creates another version. */
  mustRest({ id, revision }: Pick<Workbook, 'id' | 'revision'>): boolean {
    const stopped = this.#stopped.get(id);
    return stopped !== undefined && stopped.revision === revision && this.#now() < stopped.untilMs;
  }
}

/**
 * Concurrency limits for work that keeps a transaction open while threads compute. Together they leave PostgreSQL
 * almost half of its ten connections for all other requests.
 */
const LARGE_OPENINGS = { each: 1, all: 2 };
const SNAPSHOTS = { each: 1, all: 3 };
const LONG_CALCULATIONS = { each: 1, all: 1 };
/** For openings without a transaction; one at a time per user, because each holds cells in memory. */
const OPENINGS = { each: 1, all: Number.POSITIVE_INFINITY };

/** Requests that may wait per user and in total, and the same for long calculations. A waiting request holds no resources. */
const WAITING = { each: 1_000, all: 10_000 };
const LONG_WAITING = { each: 20, all: 1_000 };

/** How often a request leaves a gate because another request uses the spreadsheet. */
const ATTEMPTS = 5;

/** Work that gets a function to leave the gate before the work ends. */
type GatedWork<T> = (leave: () => void) => Promise<T>;

/**
 * Access to spreadsheets. Work that computes values has exclusive access to its spreadsheet, so that no other request
 * refreshes it to another version meanwhile. Work that needs memory or transactions passes one gate before that. Nobody
 * waits for a gate while having exclusive access: other readers of the spreadsheet would wait for a limit that concerns
 * only that user.
 */
export class WorkbookAccess {
  readonly #openings = new FairGate(OPENINGS, WAITING);
  readonly #largeOpenings = new FairGate(LARGE_OPENINGS, WAITING);
  readonly #snapshots = new FairGate(SNAPSHOTS, WAITING);
  readonly #longCalculations = new FairGate(LONG_CALCULATIONS, LONG_WAITING);
  /** The end of the last work with each spreadsheet. */
  readonly #lastWork = new Map<string, Promise<unknown>>();

  /** Runs work with one spreadsheet one after the other. The work must not wait for another spreadsheet or a gate. */
  async exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lastWork.get(id);
    const running = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    this.#lastWork.set(id, running);
    try {
      return await running;
    } finally {
      if (this.#lastWork.get(id) === running) this.#lastWork.delete(id);
    }
  }

  /** Runs work that opens a workbook outside of transactions, with exclusive access. Rejects with TooManyWaiting. */
  inOpening<T>(id: string, work: GatedWork<T>): Promise<T> {
    return this.#inGate(this.#openings, id, work);
  }

  /** The same for a workbook whose cells are read in a transaction while it is opened. */
  inLargeOpening<T>(id: string, work: GatedWork<T>): Promise<T> {
    return this.#inGate(this.#largeOpenings, id, work);
  }

  /** The same for work that reads a whole spreadsheet in one transaction. */
  inSnapshot<T>(id: string, work: GatedWork<T>): Promise<T> {
    return this.#inGate(this.#snapshots, id, work);
  }

  /** The same for a long calculation: there is one thread for those, and they wait before they start anything. */
  inLongCalculation<T>(id: string, work: GatedWork<T>): Promise<T> {
    return this.#inGate(this.#longCalculations, id, work);
  }

  async #inGate<T>(gate: FairGate, id: string, work: GatedWork<T>): Promise<T> {
    const leave = await this.#enter(gate, id);
    try {
      return await this.exclusively(id, () => work(leave));
    } finally {
      leave();
    }
  }

  /**
   * Enters the gate when nobody uses the spreadsheet, so that a request that waits for the spreadsheet occupies no
   * slot; after some attempts, in any case.
   */
  async #enter(gate: FairGate, id: string): Promise<() => void> {
    for (let attempt = 1; ; attempt++) {
      await this.#lastWork.get(id)?.catch(() => undefined);
      const leave = await gate.enter();
      if (!this.#lastWork.has(id) || attempt === ATTEMPTS) return leave;
      leave();
    }
  }
}

import { FairGate } from '../../../turns/fair-gate.ts';
import type { Workbook } from './workbook.ts';

/** For so long a version is not computed again after it was stopped; twice as long each time after that. */
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 600_000;
/** So many are remembered; the longest unstopped are forgotten first. */
const REMEMBERED = 10_000;

interface Stopped {
  readonly revision: string;
  readonly restMs: number;
  readonly untilMs: number;
}

/** Versions of workbooks that took more time or memory than they may: who asks again does not get it again at once. */
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

  /** Whether this version is not to be computed now. A write makes another version. */
  mustRest({ id, revision }: Pick<Workbook, 'id' | 'revision'>): boolean {
    const stopped = this.#stopped.get(id);
    return stopped !== undefined && stopped.revision === revision && this.#now() < stopped.untilMs;
  }
}

/**
 * How many may be at a time at what keeps a transaction open while threads compute. Together they leave PostgreSQL almost
 * half of its ten connections for all other requests.
 */
const LARGE_OPENINGS = { each: 1, all: 2 };
const SNAPSHOTS = { each: 1, all: 3 };
const LONG_CALCULATIONS = { each: 1, all: 1 };
/** Openings that keep no transaction open; of one user one at a time, for each holds cells in memory. */
const OPENINGS = { each: 1, all: Number.POSITIVE_INFINITY };

/** Requests that may wait for their user's turn, and for that of long calculations; they hold nothing meanwhile. */
const WAITING = { each: 1_000, all: 10_000 };
const LONG_WAITING = { each: 20, all: 1_000 };

/** How often a gate is left because somebody else is at the spreadsheet. */
const ATTEMPTS = 5;

/** Does a work, which is told how to leave the gate before it ends. */
type GatedWork<T> = (leave: () => void) => Promise<T>;

/**
 * Who is at which spreadsheet. What computes values of one does so in the spreadsheet's turn, so that none is given
 * another version under its hands; what takes room or transactions goes through one gate before that. Nobody waits for a
 * gate in the turn of a spreadsheet: others who may read it would wait for what only that user has to wait for.
 */
export class WorkbookTurns {
  readonly #openings = new FairGate(OPENINGS, WAITING);
  readonly #largeOpenings = new FairGate(LARGE_OPENINGS, WAITING);
  readonly #snapshots = new FairGate(SNAPSHOTS, WAITING);
  readonly #longCalculations = new FairGate(LONG_CALCULATIONS, LONG_WAITING);
  /** The end of the last work with each spreadsheet. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** Does works with one spreadsheet one after the other. A work waits for no other turn, and for no gate. */
  async inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(id);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    this.#turns.set(id, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    }
  }

  /** In its turn, does a work that opens a workbook outside of transactions. Rejects with TooManyWaiting. */
  inOpening<T>(id: string, work: GatedWork<T>): Promise<T> {
    return this.#inGate(this.#openings, id, work);
  }

  /** The same of a workbook that is read in a transaction while it is opened. */
  inLargeOpening<T>(id: string, work: GatedWork<T>): Promise<T> {
    return this.#inGate(this.#largeOpenings, id, work);
  }

  /** The same of a work that reads a whole spreadsheet in one transaction. */
  inSnapshot<T>(id: string, work: GatedWork<T>): Promise<T> {
    return this.#inGate(this.#snapshots, id, work);
  }

  /** The same of a calculation that takes long: there is one thread for those, and they wait before they begin with anything. */
  inLongCalculation<T>(id: string, work: GatedWork<T>): Promise<T> {
    return this.#inGate(this.#longCalculations, id, work);
  }

  async #inGate<T>(gate: FairGate, id: string, work: GatedWork<T>): Promise<T> {
    const leave = await this.#enter(gate, id);
    try {
      return await this.inTurn(id, () => work(leave));
    } finally {
      leave();
    }
  }

  /** Enters when nobody is at the spreadsheet, so that who waits for it takes no place; after some attempts all the same. */
  async #enter(gate: FairGate, id: string): Promise<() => void> {
    for (let attempt = 1; ; attempt++) {
      await this.#turns.get(id)?.catch(() => undefined);
      const leave = await gate.enter();
      if (!this.#turns.has(id) || attempt === ATTEMPTS) return leave;
      leave();
    }
  }
}

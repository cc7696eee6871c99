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

import { ApiError } from '../contract/errors.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { forWhom, onBehalfOf } from '../turns/for-whom.ts';
import { gather } from '../turns/gathering.ts';

/** A request among those that are done together. */
export interface JointRequest {
  /** No two of one transaction have the same: the second needs the answer of the first. */
  readonly key: string;
  /** Bytes of its body. */
  readonly size: number;
}

/** What one transaction does at most, so that nobody waits for all of them; of a larger request, that one. */
const MOST_REQUESTS = 100;
const MOST_BYTES = 64 * 1024;

/** Does requests together; answers what each came to, or the error that it is refused with. */
type Work<R, A> = (tx: WriteTransaction, requests: readonly R[]) => Promise<ReadonlyMap<R, A | Error>>;

interface Waiting<R, A> {
  readonly whom: string;
  /** Who came later has a higher one. */
  readonly arrival: number;
  readonly request: R;
  readonly resolve: (answer: A) => void;
  readonly reject: (reason: unknown) => void;
}

/** The requests of one transaction. */
interface Portion<R, A> {
  readonly taken: readonly Waiting<R, A>[];
  /** Whether others were there that have to wait for another one. */
  readonly isFull: boolean;
}

/**
 * Requests that wait for the same lock, done in one transaction: it takes those that are there once it has the lock;
 * who comes later is of the next one. Alone they would share nothing, and on PostgreSQL, where the lock is held until
 * the commit, wait for one commit after the other, each with a connection of its own.
 */
export class JointWrites<R extends JointRequest, A> {
  readonly #database: Database;
  readonly #work: Work<R, A>;
  /** By lock, those that no transaction has taken yet. */
  readonly #waiting = new Map<string, Lines<R, A>>();
  #arrivals = 0;

  constructor(database: Database, work: Work<R, A>) {
    this.#database = database;
    this.#work = work;
  }

  /** Answers once it is durable. Rejects as the storage does, and with what the request is refused with. */
  do(lock: string, request: R): Promise<A> {
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const waiting = { whom: forWhom(), arrival: this.#arrivals++, request, resolve, reject };
    const others = this.#waiting.get(lock);
    if (others) {
      others.add(waiting);
    } else {
      this.#waiting.set(lock, new Lines(waiting));
      void this.#serve(lock);
    }
    return promise;
  }

  async #serve(lock: string): Promise<void> {
    // The storage gathers transactions: it does not see who joins one.
    await gather(() => this.#countWaiting(lock), MOST_REQUESTS);
    const cameBefore = this.#arrivals;
    let portion: Portion<R, A> | undefined;
    // Once: a work that has to be run again is of the same requests.
    const take = (until = Number.POSITIVE_INFINITY) => (portion ??= this.#take(lock, until));
    try {
      await this.#doTogether(lock, () => take().taken);
    } catch (error) {
      // Where the lock was not even had, who came meanwhile has not waited for as long.
      const { taken } = take(cameBefore);
      if (error instanceof ApiError && taken.length > 1) await this.#doEach(lock, taken);
      else for (const { reject } of taken) reject(error);
    }
    if (take().isFull) void this.#serveNext(lock);
  }

  /** Those who are left have not come with the ones before: they wait in the name of whose turn is next. */
  #serveNext(lock: string): Promise<void> {
    return onBehalfOf(this.#waiting.get(lock)?.nextUser ?? '', () => this.#serve(lock));
  }

  async #doTogether(lock: string, take: () => readonly Waiting<R, A>[]): Promise<void> {
    const outcomes = await this.#database.write(async (tx) => {
      await tx.lock(lock);
      const requests = take().map(({ request }) => request);
      return this.#work(tx, requests);
    });
    for (const waiting of take()) settle(waiting, outcomes.get(waiting.request));
  }

  /** A refusal of all that does not say whose it is: each alone is done, or refused for what it asks for. */
  async #doEach(lock: string, taken: readonly Waiting<R, A>[]): Promise<void> {
    for (const waiting of taken) await this.#doTogether(lock, () => [waiting]).catch(waiting.reject);
  }

  #countWaiting(lock: string): number {
    return this.#waiting.get(lock)?.size ?? 0;
  }

  #take(lock: string, until: number): Portion<R, A> {
    const waiting = this.#waiting.get(lock);
    const taken = waiting?.take(until) ?? [];
    const isFull = waiting !== undefined && waiting.size > 0;
    if (!isFull) this.#waiting.delete(lock);
    return { taken, isFull };
  }
}

/** Requests that wait for one lock, a line for each user: users come in turn, and of one user who came first. */
class Lines<R extends JointRequest, A> {
  /** By user, whose turn is next first. */
  readonly #lines = new Map<string, Waiting<R, A>[]>();
  #size = 0;

  constructor(first: Waiting<R, A>) {
    this.add(first);
  }

  get size(): number {
    return this.#size;
  }

  add(waiting: Waiting<R, A>): void {
    const line = this.#lines.get(waiting.whom);
    if (line) line.push(waiting);
    else this.#lines.set(waiting.whom, [waiting]);
    this.#size++;
  }

  get nextUser(): string | undefined {
    return this.#lines.keys().next().value;
  }

  /** Those of one transaction, of those with a lower arrival than `until`. Who has no room in it is the first of the next one. */
  take(until: number): Waiting<R, A>[] {
    const taken: Waiting<R, A>[] = [];
    const keys = new Set<string>();
    let size = 0;
    for (const [whom, line] of this.#lines) {
      const next = line[0];
      if (next === undefined || next.arrival >= until || keys.has(next.request.key)) continue;
      size += next.request.size;
      if (taken.length > 0 && (taken.length >= MOST_REQUESTS || size > MOST_BYTES)) break;
      keys.add(next.request.key);
      taken.push(next);
      line.shift();
      // At the end, where this loop comes by again.
      this.#lines.delete(whom);
      if (line.length > 0) this.#lines.set(whom, line);
    }
    this.#size -= taken.length;
    return taken;
  }
}

function settle<R, A>({ resolve, reject }: Waiting<R, A>, outcome: A | Error | undefined): void {
  if (outcome === undefined) reject(new TypeError('A request was passed over'));
  else if (outcome instanceof Error) reject(outcome);
  else resolve(outcome);
}

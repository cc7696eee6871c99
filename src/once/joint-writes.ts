import { ApiError } from '../contract/errors.ts';
import type { Database, WorkspaceLock, WriteTransaction } from '../storage/database.ts';
import { currentUser, onBehalfOf } from '../turns/current-user.ts';
import { gather } from '../turns/gather.ts';

/** A request that may be carried out together with others. */
export interface JointRequest {
  /** Unique within a transaction: a second request with the same key needs the answer of the first. */
  readonly key: string;
  /** Bytes of its body. */
  readonly size: number;
}

/**
 * Limits for one transaction, so that nobody waits for a large number of requests; a single larger request gets a
 * transaction of its own.
 */
const MOST_REQUESTS = 100;
const MOST_BYTES = 64 * 1024;

/** What a transaction asks whatever its requests are, behind the lock and in its round trip. It may run more than once. */
type Beginning<B> = (tx: WriteTransaction, lock: WorkspaceLock) => Promise<B>;

/** Carries out requests together. Returns for each its result, or the error that refuses it. */
type Work<R, A, B> = (
  tx: WriteTransaction,
  requests: readonly R[],
  begun: B,
) => Promise<ReadonlyMap<R, A | Error>>;

interface Waiting<R, A> {
  readonly user: string;
  /** Ascending in order of arrival. */
  readonly arrival: number;
  readonly request: R;
  readonly resolve: (answer: A) => void;
  readonly reject: (reason: unknown) => void;
}

/** The requests of one transaction. */
interface Portion<R, A> {
  readonly taken: readonly Waiting<R, A>[];
  /** Whether more requests are waiting for the next transaction. */
  readonly isFull: boolean;
}

/**
 * Carries out requests that wait for the same lock in one transaction: it takes all requests that are waiting once it
 * has the lock; later ones go into the next transaction. Separate transactions would share no work, and in PostgreSQL,
 * which holds the lock until the commit, each would wait for the commit before it and occupy a connection.
 */
export class JointWrites<R extends JointRequest, A, B> {
  readonly #database: Database;
  readonly #begin: Beginning<B>;
  readonly #work: Work<R, A, B>;
  /** By the scope of a lock, the requests that no transaction has taken yet. */
  readonly #waiting = new Map<string, UserQueues<R, A>>();
  #arrivals = 0;

  constructor(database: Database, begin: Beginning<B>, work: Work<R, A, B>) {
    this.#database = database;
    this.#begin = begin;
    this.#work = work;
  }

  /**
   * Resolves when the write is durable. Rejects with the errors of the storage, and with the error that refuses the
   * request.
   */
  do(lock: WorkspaceLock, request: R): Promise<A> {
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const waiting = { user: currentUser(), arrival: this.#arrivals++, request, resolve, reject };
    const others = this.#waiting.get(lock.scope);
    if (others) {
      others.add(waiting);
    } else {
      this.#waiting.set(lock.scope, new UserQueues(waiting));
      void this.#serve(lock);
    }
    return promise;
  }

  async #serve(lock: WorkspaceLock): Promise<void> {
    // `JointWrites` gathers requests itself: the storage gathers transactions and does not see requests that join one.
    await gather(() => this.#countWaiting(lock), MOST_REQUESTS);
    const cameBefore = this.#arrivals;
    let portion: Portion<R, A> | undefined;
    // Only once: a retried transaction carries out the same requests.
    const take = (until = Number.POSITIVE_INFINITY) => (portion ??= this.#take(lock, until));
    try {
      await this.#writeTogether(lock, () => take().taken);
    } catch (error) {
      // If getting the lock failed, only the requests that had arrived before fail; later ones have not waited as long.
      const { taken } = take(cameBefore);
      if (error instanceof ApiError && taken.length > 1) await this.#writeSeparately(lock, taken);
      else for (const { reject } of taken) reject(error);
    }
    if (take().isFull) void this.#serveNext(lock);
  }

  /** Serves the remaining requests on behalf of the user who is next. */
  #serveNext(lock: WorkspaceLock): Promise<void> {
    return onBehalfOf(this.#waiting.get(lock.scope)?.nextUser ?? '', () => this.#serve(lock));
  }

  async #writeTogether(lock: WorkspaceLock, take: () => readonly Waiting<R, A>[]): Promise<void> {
    const results = await this.#database.write(async (tx) => {
      await tx.lock(lock);
      const [begun] = await Promise.all([this.#begin(tx, lock), tx.settled()]);
      const requests = take().map(({ request }) => request);
      return this.#work(tx, requests, begun);
    });
    for (const waiting of take()) settle(waiting, results.get(waiting.request));
  }

  /** Repeats the requests one by one after a refusal that does not tell which request caused it. */
  async #writeSeparately(lock: WorkspaceLock, taken: readonly Waiting<R, A>[]): Promise<void> {
    for (const waiting of taken) await this.#writeTogether(lock, () => [waiting]).catch(waiting.reject);
  }

  #countWaiting(lock: WorkspaceLock): number {
    return this.#waiting.get(lock.scope)?.size ?? 0;
  }

  #take(lock: WorkspaceLock, until: number): Portion<R, A> {
    const waiting = this.#waiting.get(lock.scope);
    const taken = waiting?.take(until) ?? [];
    const isFull = waiting !== undefined && waiting.size > 0;
    if (!isFull) this.#waiting.delete(lock.scope);
    return { taken, isFull };
  }
}

/** Requests that wait for one lock, in a queue for each user. Users alternate; the requests of one user stay in order. */
class UserQueues<R extends JointRequest, A> {
  /** By user; the user who is next comes first. */
  readonly #queues = new Map<string, Waiting<R, A>[]>();
  #size = 0;

  constructor(first: Waiting<R, A>) {
    this.add(first);
  }

  get size(): number {
    return this.#size;
  }

  add(waiting: Waiting<R, A>): void {
    const queue = this.#queues.get(waiting.user);
    if (queue) queue.push(waiting);
    else this.#queues.set(waiting.user, [waiting]);
    this.#size++;
  }

  get nextUser(): string | undefined {
    return this.#queues.keys().next().value;
  }

  /**
   * Takes the requests for one transaction, among those that arrived before `until`. The first request that does not
   * fit begins the next transaction.
   */
  take(until: number): Waiting<R, A>[] {
    const taken: Waiting<R, A>[] = [];
    const keys = new Set<string>();
    let size = 0;
    for (const [user, queue] of this.#queues) {
      const next = queue[0];
      if (next === undefined || next.arrival >= until || keys.has(next.request.key)) continue;
      size += next.request.size;
      if (taken.length > 0 && (taken.length >= MOST_REQUESTS || size > MOST_BYTES)) break;
      keys.add(next.request.key);
      taken.push(next);
      queue.shift();
      // Moves the user to the end of the map, where this loop arrives again.
      this.#queues.delete(user);
      if (queue.length > 0) this.#queues.set(user, queue);
    }
    this.#size -= taken.length;
    return taken;
  }
}

function settle<R, A>({ resolve, reject }: Waiting<R, A>, result: A | Error | undefined): void {
  if (result === undefined) reject(new TypeError('A request was passed over'));
  else if (result instanceof Error) reject(result);
  else resolve(result);
}

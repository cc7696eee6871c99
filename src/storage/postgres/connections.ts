import type { Pool, PoolClient } from 'pg';
import { FairGate } from '../../turns/fair-gate.ts';
import { UNBOUNDED } from '../../turns/fair-queue.ts';
import { SHORT_HALF_LIFE_MS, Usage } from '../../turns/usage.ts';

/** Waiting for a connection that others use counts too: a node that is busy answers late rather than not at all. */
export const CONNECT_TIMEOUT_MS = 30_000;
/** So many connections nobody takes who has all others: the next request need not wait for one of theirs. */
const LEFT_TO_OTHERS = 2;

/** A connection that is lent. */
export interface Lent {
  readonly client: PoolClient;
  /** Gives it back, once; what is broken is not lent again. */
  giveBack(isBroken: boolean): void;
}

/** Lends the connections of a pool, to those first who have had them for the least time of late. */
export class PostgresConnections {
  readonly #pool: Pool;
  readonly #gate: FairGate;

  /** `count`: the most that the pool opens. */
  constructor(pool: Pool, count: number) {
    this.#pool = pool;
    const places = { all: count, each: Math.max(count - LEFT_TO_OTHERS, 1) };
    this.#gate = new FairGate(places, UNBOUNDED, new Usage(SHORT_HALF_LIFE_MS));
  }

  /** Lends a connection on behalf of whom the present work is for. Rejects when there is none in time, and as pg does. */
  async lend(): Promise<Lent> {
    const leave = await this.#enter();
    try {
      const client = await this.#pool.connect();
      return {
        client,
        giveBack: (isBroken) => {
          client.release(isBroken);
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #enter(): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const timer = setTimeout(() => reject(new Error('others use all connections')), CONNECT_TIMEOUT_MS);
    let isLate = false;
    promise.catch(() => {
      isLate = true;
    });
    this.#gate.enter().then((leave) => {
      clearTimeout(timer);
      // Nobody waits for the turn any more.
      if (isLate) leave();
      else resolve(leave);
    }, reject);
    return promise;
  }
}

import type { Pool, PoolClient } from 'pg';
import { FairGate } from '../../turns/fair-gate.ts';
import { UNBOUNDED } from '../../turns/fair-queue.ts';
import { SHORT_HALF_LIFE_MS, Usage } from '../../turns/usage.ts';

/** Includes the wait for a free connection: a busy node should answer late rather than not at all. */
export const CONNECT_TIMEOUT_MS = 30_000;
/** Connections that a single user cannot take, so that requests of other users find a free one. */
const LEFT_TO_OTHERS = 2;

/** A lent connection. */
export interface LentConnection {
  readonly client: PoolClient;
  /** Gives the connection back, once; a broken one is not lent again. */
  giveBack(isBroken: boolean): void;
}

/** Lends the connections of a pool, first to the users that recently had them for the least time. */
export class PostgresConnections {
  readonly #pool: Pool;
  readonly #gate: FairGate;

  /** `count`: the maximum number of connections of the pool. */
  constructor(pool: Pool, count: number) {
    this.#pool = pool;
    const slots = { all: count, each: Math.max(count - LEFT_TO_OTHERS, 1) };
    this.#gate = new FairGate(slots, UNBOUNDED, new Usage(SHORT_HALF_LIFE_MS));
  }

  /** Lends a connection on behalf of the current user. Rejects on timeout, and with the errors of pg. */
  async lend(): Promise<LentConnection> {
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
      // The caller has timed out: release the slot.
      if (isLate) leave();
      else resolve(leave);
    }, reject);
    return promise;
  }
}

import type { Pool, PoolClient } from 'pg';
import { FairGate, type Slots } from '../../turns/fair-gate.ts';
import { UNBOUNDED } from '../../turns/fair-queue.ts';
import { SHORT_HALF_LIFE_MS, Usage } from '../../turns/usage.ts';

/** Includes the wait for a free connection: a busy node should answer late rather than not at all. */
export const CONNECT_TIMEOUT_MS = 30_000;
/** Connections that a single user cannot take, so that requests of other users find a free one. */
const LEFT_TO_OTHERS = 2;
/** Connections that writes cannot take: they hold theirs as long as a COMMIT waits for a standby, and reads go on. */
const LEFT_TO_READS = 2;

/** What a connection is for. */
export type Purpose = 'read' | 'write';

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
  /** What writes pass before that one. */
  readonly #writes: FairGate;

  /** `count`: the maximum number of connections of the pool. */
  constructor(pool: Pool, count: number) {
    this.#pool = pool;
    const most = { all: count, each: Math.max(count - LEFT_TO_OTHERS, 1) };
    this.#gate = gateFor(most);
    // A user's own reads find a free connection, too.
    this.#writes = gateFor({ all: Math.max(count - LEFT_TO_READS, 1), each: Math.max(most.each - 1, 1) });
  }

  /** Lends a connection on behalf of the current user. Rejects on timeout, and with the errors of pg. */
  async lend(purpose: Purpose): Promise<LentConnection> {
    const leave = await this.#enter(purpose);
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

  #enter(purpose: Purpose): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const timer = setTimeout(() => reject(new Error('others use all connections')), CONNECT_TIMEOUT_MS);
    let isLate = false;
    promise.catch(() => {
      isLate = true;
    });
    this.#pass(purpose).then((leave) => {
      clearTimeout(timer);
      // The caller has timed out: release the slot.
      if (isLate) leave();
      else resolve(leave);
    }, reject);
    return promise;
  }

  async #pass(purpose: Purpose): Promise<() => void> {
    if (purpose === 'read') return await this.#gate.enter();
    const leaveWrites = await this.#writes.enter();
    const leave = await this.#gate.enter();
    return () => {
      leave();
      leaveWrites();
    };
  }
}

function gateFor(slots: Slots): FairGate {
  return new FairGate(slots, UNBOUNDED, new Usage(SHORT_HALF_LIFE_MS));
}

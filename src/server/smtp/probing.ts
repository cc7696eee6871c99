import { setTimeout as sleep } from 'node:timers/promises';
import { networkOf } from '../network.ts';
import { Refusal } from './replies.ts';

/** So many unknown recipients are mistakes; with each one more the answer comes later. */
const FREE_REFUSALS = 10;

/** Milliseconds by which an answer is later than the one before, and by which it is later at most. */
const STEP_MS = 50;
const LATEST_MS = 1_000;

/** After so many on one connection it ends. */
const MOST_REFUSALS = 100;

/** Refusals of an address are forgotten after this long without one, in milliseconds; of so many addresses they are known. */
const FORGOTTEN_AFTER = 10 * 60_000;
const MOST_NETWORKS = 10_000;

/** Slows those who try out which addresses exist. Those who name recipients that do are never slowed. */
export class Probing {
  readonly #bySession = new Map<string, number>();
  readonly #byNetwork = new Map<string, { count: number; at: number }>();

  /** To be awaited before a recipient is refused. Throws the refusal that ends the connection. */
  async refused(sessionId: string, remoteAddress: string): Promise<void> {
    const ofSession = (this.#bySession.get(sessionId) ?? 0) + 1;
    this.#bySession.set(sessionId, ofSession);
    const over = this.#count(networkOf(remoteAddress)) - FREE_REFUSALS;
    if (over > 0) await sleep(Math.min(over * STEP_MS, LATEST_MS), undefined, { ref: false });
    if (ofSession >= MOST_REFUSALS) throw new Refusal(421, 'Too many unknown recipients');
  }

  /** The connection of a session has closed. */
  forget(sessionId: string): void {
    this.#bySession.delete(sessionId);
  }

  #count(network: string): number {
    const now = Date.now();
    const known = this.#byNetwork.get(network);
    const count = known && now - known.at < FORGOTTEN_AFTER ? known.count + 1 : 1;
    // The one that was refused last stands last.
    this.#byNetwork.delete(network);
    this.#byNetwork.set(network, { count, at: now });
    const [oldest] = this.#byNetwork.keys();
    if (oldest !== undefined && this.#byNetwork.size > MOST_NETWORKS) this.#byNetwork.delete(oldest);
    return count;
  }
}

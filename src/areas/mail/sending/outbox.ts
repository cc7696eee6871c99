import { setTimeout as pause } from 'node:timers/promises';
import { LostRace, type WriteTransaction } from '../../../storage/database.ts';
import { onBehalfOf, userKey } from '../../../turns/current-user.ts';
import { type AttemptDependencies, type AttemptResult, attempt } from './attempt.ts';
import { findDue, isAnyDue, leaseOutgoing, type Outgoing } from './outbox-store.ts';
import { RELAY_CONNECTIONS } from './smtp-relay.ts';

/** A lease without renewal expires after this time, and another node may attempt the message. */
const LEASE_MS = 60_000;

/** Receives the results of attempts, and errors. */
export interface OutboxReport {
  attempted(outgoing: Outgoing, attempted: AttemptResult): void;
  failed(error: unknown): void;
}

/** A message leased by this process, and the time of the lease in milliseconds. */
interface Claimed {
  outgoing: Outgoing;
  now: number;
}

/**
 * Offers waiting messages to the relay, several at once, on any number of nodes. A node leases a message before it
 * attempts it; the lease of a dead process expires. Users take turns: however many messages of one user wait, the next
 * message of another user waits only for the attempts under way.
 */
export class Outbox {
  readonly #dependencies: AttemptDependencies;
  readonly #runs = new Set<Promise<void>>();
  /** Ids of attempts under way in this process: it never leases them again, even if the clock jumps past the lease. */
  readonly #attempted = new Set<string>();
  #report: OutboxReport | undefined;
  /** The user whose message was leased last. */
  #lastUser = '';
  /** Whether wake() was called while all runs were busy. */
  #wokenWhileBusy = false;

  constructor(dependencies: AttemptDependencies) {
    this.#dependencies = dependencies;
  }

  /** Enables wake(); before, it does nothing. */
  start(report: OutboxReport): void {
    this.#report = report;
  }

  /** Starts a run that attempts the messages that are due. */
  wake(): void {
    const report = this.#report;
    if (!report) return;
    this.#wokenWhileBusy = this.#runs.size >= RELAY_CONNECTIONS;
    if (this.#wokenWhileBusy) return;
    // The run serves all users, not the user whose request woke it.
    const run = onBehalfOf('', () => this.#attemptEach(report)).finally(() => {
      this.#runs.delete(run);
      if (this.#wokenWhileBusy) this.wake();
    });
    this.#runs.add(run);
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  /** Starts no more attempts. Aborts those that do not end within this time; they are repeated later. */
  async stop(withinMs: number): Promise<void> {
    this.#report = undefined;
    const ended = this.settled();
    const patience = new AbortController();
    await Promise.race([
      ended,
      pause(withinMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    this.#dependencies.relay.close();
    await ended;
  }

  async #attemptEach(report: OutboxReport): Promise<void> {
    try {
      while (this.#report) {
        const claimed = await this.#claim();
        if (!claimed) return;
        report.attempted(claimed.outgoing, await this.#attempt(claimed));
      }
    } catch (error) {
      report.failed(error);
    }
  }

  /** Leases the next message, the users taking turns. */
  async #claim(): Promise<Claimed | undefined> {
    const { database } = this.#dependencies;
    // Mostly nothing is due, and a read blocks no writer.
    const isDue = await database.read(async (tx) => isAnyDue(tx, await tx.now()));
    if (!isDue) return undefined;
    return database.write((tx) => this.#lease(tx));
  }

  /** Of two nodes that choose the same message, one chooses again. */
  async #lease(tx: WriteTransaction): Promise<Claimed | undefined> {
    const now = await tx.now();
    const due = await findDue(tx, this.#lastUser, { now, skipped: this.#attempted });
    if (!due) return undefined;
    // Set before the commit, so that leases of one batch go to different users. If the commit fails, a user misses one
    // turn.
    this.#lastUser = due.user_id;
    const attempts = due.attempts + 1;
    if (!(await leaseOutgoing(tx, due, attempts, now + LEASE_MS)))
      throw new LostRace('Another node has leased the message meanwhile');
    return { outgoing: { ...due, attempts }, now };
  }

  #attempt(claimed: Claimed): Promise<AttemptResult> {
    const { workspace_id: workspaceId, user_id: userId } = claimed.outgoing;
    return onBehalfOf(userKey({ workspaceId, userId }), () => this.#attemptRenewing(claimed));
  }

  async #attemptRenewing({ outgoing, now }: Claimed): Promise<AttemptResult> {
    const renewal = setInterval(() => void this.#renew(outgoing), LEASE_MS / 3);
    this.#attempted.add(outgoing.id);
    try {
      return await attempt(this.#dependencies, outgoing, now);
    } finally {
      this.#attempted.delete(outgoing.id);
      clearInterval(renewal);
    }
  }

  async #renew(outgoing: Outgoing): Promise<void> {
    try {
      await this.#dependencies.database.write(async (tx) => {
        await leaseOutgoing(tx, outgoing, outgoing.attempts, (await tx.now()) + LEASE_MS);
      });
    } catch (error) {
      this.#report?.failed(error);
    }
  }
}

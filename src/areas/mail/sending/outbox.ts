import { setTimeout as pause } from 'node:timers/promises';
import type { WriteTransaction } from '../../../storage/database.ts';
import { onBehalfOf, userKey } from '../../../turns/current-user.ts';
import { type AttemptDependencies, type Attempted, attempt } from './attempt.ts';
import { findDue, isAnyDue, leaseOutgoing, type Outgoing } from './outbox-store.ts';
import { RELAY_CONNECTIONS } from './smtp-relay.ts';

/** How long an attempt may be silent before another node takes its message over; it is renewed while it runs. */
const LEASE_MS = 60_000;

/** Told what attempts came to, and what failed on the way. */
export interface OutboxReport {
  attempted(outgoing: Outgoing, attempted: Attempted): void;
  failed(error: unknown): void;
}

/** A message that is ours to attempt, and when that began, in milliseconds. */
interface Claimed {
  outgoing: Outgoing;
  now: number;
}

/**
 * Brings messages that wait to the relay, several at once, on any number of nodes: whoever leases a message attempts it,
 * and a lease that a process took with it when it died ends by itself. Users take turns: however many messages of one
 * wait, the next of another waits for those that are under way.
 */
export class Outbox {
  readonly #parts: AttemptDependencies;
  readonly #runs = new Set<Promise<void>>();
  /** What is under way here: however the clock is put meanwhile, this process does not take it for left behind. */
  readonly #attempted = new Set<string>();
  #report: OutboxReport | undefined;
  /** Whose message was leased last. */
  #lastUser = '';
  /** Woken while every run was busy. */
  #overlooked = false;

  constructor(parts: AttemptDependencies) {
    this.#parts = parts;
  }

  /** From now on it does its work when it is woken. */
  start(report: OutboxReport): void {
    this.#report = report;
  }

  /** Looks for messages that are due. */
  wake(): void {
    const report = this.#report;
    if (!report) return;
    this.#overlooked = this.#runs.size >= RELAY_CONNECTIONS;
    if (this.#overlooked) return;
    // Whoever wakes it, what it does is for all.
    const run = onBehalfOf('', () => this.#attemptEach(report)).finally(() => {
      this.#runs.delete(run);
      if (this.#overlooked) this.wake();
    });
    this.#runs.add(run);
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  /** Begins nothing more; what is not done in this time is cut off, and attempted again later. */
  async stop(withinMs: number): Promise<void> {
    this.#report = undefined;
    const ended = this.settled();
    const patience = new AbortController();
    await Promise.race([
      ended,
      pause(withinMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    this.#parts.relay.close();
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

  /** Leases the message whose turn it is. */
  async #claim(): Promise<Claimed | undefined> {
    const { database } = this.#parts;
    // Most looks find nothing, and a read costs nobody anything.
    const isDue = await database.read(async (tx) => isAnyDue(tx, await tx.now()));
    if (!isDue) return undefined;
    return database.write((tx) => this.#lease(tx));
  }

  /** One node after the other, so that no two choose the same. */
  async #lease(tx: WriteTransaction): Promise<Claimed | undefined> {
    await tx.lock('mail outbox');
    const now = await tx.now();
    const due = await findDue(tx, this.#lastUser, { now, passedOver: this.#attempted });
    if (!due) return undefined;
    // Before the commit, for the leases of one batch are to be of several users; without it somebody misses a turn.
    this.#lastUser = due.user_id;
    const attempts = due.attempts + 1;
    await leaseOutgoing(tx, due, attempts, now + LEASE_MS);
    return { outgoing: { ...due, attempts }, now };
  }

  #attempt(claimed: Claimed): Promise<Attempted> {
    const { workspace_id: workspaceId, user_id: userId } = claimed.outgoing;
    return onBehalfOf(userKey({ workspaceId, userId }), () => this.#attemptRenewing(claimed));
  }

  async #attemptRenewing({ outgoing, now }: Claimed): Promise<Attempted> {
    const renewal = setInterval(() => void this.#renew(outgoing), LEASE_MS / 3);
    this.#attempted.add(outgoing.id);
    try {
      return await attempt(this.#parts, outgoing, now);
    } finally {
      this.#attempted.delete(outgoing.id);
      clearInterval(renewal);
    }
  }

  async #renew(outgoing: Outgoing): Promise<void> {
    try {
      await this.#parts.database.write(async (tx) => {
        await leaseOutgoing(tx, outgoing, outgoing.attempts, (await tx.now()) + LEASE_MS);
      });
    } catch (error) {
      this.#report?.failed(error);
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { WriteTransaction } from '../../../storage/database.ts';
import { type Attempted, type AttemptParts, attempt } from './attempt.ts';
import { findDue, leaseOutgoing, type Outgoing } from './outbox-store.ts';
import { RELAY_CONNECTIONS } from './smtp-relay.ts';

/** How long an attempt may be silent before another node takes its message over; it is renewed while it runs. */
const LEASE_MS = 60_000;

/** Told what attempts came to, and what failed on the way. */
export interface OutboxReport {
  attempted(outgoing: Outgoing, attempted: Attempted): void;
  failed(error: unknown): void;
}

/**
 * Brings messages that wait to the relay, several at once, on any number of nodes: whoever leases a message attempts it,
 * and a lease that a process took with it when it died ends by itself.
 */
export class Outbox {
  readonly #parts: AttemptParts;
  readonly #runs = new Set<Promise<void>>();
  #report: OutboxReport | undefined;
  /** Woken while every run was busy. */
  #overlooked = false;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** From now on it does its work when it is woken. */
  start(report: OutboxReport): void {
    this.#report = report;
  }

  /** Looks for messages that are due at a time (milliseconds). */
  wake(now = Date.now()): void {
    const report = this.#report;
    if (!report) return;
    this.#overlooked = this.#runs.size >= RELAY_CONNECTIONS;
    if (this.#overlooked) return;
    const run = this.#attemptEach(now, report).finally(() => {
      this.#runs.delete(run);
      if (this.#overlooked) this.wake();
    });
    this.#runs.add(run);
  }

  /** Attempts everything that is due at a time (milliseconds); resolves when that is done. */
  async attemptDue(now: number): Promise<void> {
    while (this.#runs.size < RELAY_CONNECTIONS && this.#report) this.wake(now);
    while (this.#runs.size > 0) await Promise.all(this.#runs);
  }

  /** Begins nothing more; what is not done in this time is cut off, and attempted again later. */
  async stop(withinMs: number): Promise<void> {
    this.#report = undefined;
    const ended = Promise.all(this.#runs);
    const patience = new AbortController();
    await Promise.race([
      ended,
      pause(withinMs, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    this.#parts.relay.close();
    await ended;
  }

  async #attemptEach(now: number, report: OutboxReport): Promise<void> {
    try {
      while (this.#report) {
        const outgoing = await this.#claim(now);
        if (!outgoing) return;
        report.attempted(outgoing, await this.#attempt(outgoing, now));
      }
    } catch (error) {
      report.failed(error);
    }
  }

  /** Leases the message that has waited longest. */
  async #claim(now: number): Promise<Outgoing | undefined> {
    const { database } = this.#parts;
    // Most looks find nothing, and a read costs nobody anything.
    if (!(await database.read((tx) => findDue(tx, now)))) return undefined;
    return database.write((tx) => lease(tx, now));
  }

  async #attempt(outgoing: Outgoing, now: number): Promise<Attempted> {
    const begun = performance.now();
    const renewal = setInterval(
      () => void this.#renew(outgoing, now + performance.now() - begun),
      LEASE_MS / 3,
    );
    try {
      return await attempt(this.#parts, outgoing, now);
    } finally {
      clearInterval(renewal);
    }
  }

  async #renew(outgoing: Outgoing, now: number): Promise<void> {
    try {
      const until = Math.round(now + LEASE_MS);
      await this.#parts.database.write((tx) => leaseOutgoing(tx, outgoing, outgoing.attempts, until));
    } catch (error) {
      this.#report?.failed(error);
    }
  }
}

/** One node after the other, so that no two choose the same. */
async function lease(tx: WriteTransaction, now: number): Promise<Outgoing | undefined> {
  await tx.lock('mail outbox');
  const due = await findDue(tx, now);
  if (!due) return undefined;
  const attempts = due.attempts + 1;
  await leaseOutgoing(tx, due, attempts, now + LEASE_MS);
  return { ...due, attempts };
}

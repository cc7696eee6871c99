import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../../platform/ids.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import { onBehalfOf } from '../../../turns/current-user.ts';
import { endOfFeed, type FeedPosition, settledPosition } from '../change-store.ts';
import type { PlacedChange } from '../feed.ts';
import type { Change } from '../schema.ts';
import { accepted, failed, MOST_REFUSALS, type Progress, progressOf } from './delivery.ts';
import {
  endLease,
  insertDead,
  isAnyActive,
  leaseWebhook,
  listAttempts,
  listDue,
  removeDead,
  storeAttempt,
  updateDead,
  type WebhookDeadDeliveries,
} from './delivery-store.ts';
import { type Found, Offers } from './offers.ts';
import { changeIn } from './records.ts';
import { type Sender, TRY_MS, type TryResult } from './sender.ts';
import { findByKey, type WebhookKey, type Webhooks } from './webhook-store.ts';
import type { FindPrincipalOf } from './webhooks.ts';

/**
 * Milliseconds until another process takes over from a dead one. The lease covers two tries, and the writes between
 * them.
 */
const LEASE_MS = 60_000;
const POLL_INTERVAL_MS = 250;
/** The interval where no webhook is active; other nodes then notice within it that one is. */
const IDLE_POLL_INTERVAL_MS = 2_000;
/** The interval of the search for work without a new change: retries, and leases of dead processes. */
const FULL_POLL_INTERVAL_MS = 1_000;
/** Webhooks that a node serves concurrently. */
const MOST_AT_ONCE = 32;
/** Those of one user: with endpoints that never answer, a user would otherwise hold up those of all others. */
const MOST_OF_A_USER = 8;
const UNWANTED = 'The webhook does not have this type any more.';
/** Maximum number of deliveries in a row, so other webhooks are served in between. */
const MOST_A_TURN = 50;

/** Receives the results of tries, and errors. */
export interface DeliveriesReport {
  tried(webhook: string, change: string, outcome: TryResult): void;
  failed(error: unknown): void;
}

/** A prepared message; the transaction that disables the webhook delivers it. */
export interface Notice {
  deliver(tx: WriteTransaction): Promise<void>;
  /** Releases its resources when no transaction has delivered the message. */
  discard(): Promise<void>;
}

/** The dependencies of deliveries. */
export interface DeliveriesDependencies {
  database: Database;
  sender: Sender;
  findPrincipalOf: FindPrincipalOf;
  era: () => Promise<string>;
  /** Prepares the message to the owner of a webhook that is disabled. */
  noticeOf: (webhook: Webhooks) => Promise<Notice>;
}

/** A webhook that this process has leased. */
interface Held {
  readonly row: Webhooks;
  /** The time on the clock that all nodes share, and the same moment on the clock of this process. */
  readonly now: number;
  readonly at: number;
}

/** A try, and the change that it delivered. */
interface Tried {
  readonly change: Change;
  readonly outcome: TryResult;
  readonly at: number;
}

class LostLease extends Error {}

/** The process's work for one webhook. */
interface Serving {
  readonly userId: string;
  readonly ended: Promise<void>;
}

/**
 * Delivers changes to the endpoints of webhooks, on any number of nodes. A node leases a webhook before it tries, so
 * the changes of a webhook are sent one at a time; the lease of a dead process expires.
 */
export class Deliveries {
  readonly #dependencies: DeliveriesDependencies;
  readonly #offers: Offers;
  /** By the id of the webhook. */
  readonly #serving = new Map<string, Serving>();
  #report: DeliveriesReport | undefined;
  #loop: Promise<void> | undefined;
  #rest = new AbortController();
  #seen: FeedPosition | undefined;
  #lookedAtAll = Number.NEGATIVE_INFINITY;
  #isAnyActive = true;

  constructor(dependencies: DeliveriesDependencies) {
    this.#dependencies = dependencies;
    this.#offers = new Offers(dependencies.findPrincipalOf);
  }

  start(report: DeliveriesReport): void {
    this.#report = report;
    // The loop serves all users.
    this.#loop = onBehalfOf('', () => this.#look(report));
  }

  /** Searches for work immediately. */
  wake(): void {
    this.#isAnyActive = true;
    this.#lookedAtAll = Number.NEGATIVE_INFINITY;
    this.#rest.abort();
  }

  /** Starts no further tries. Tries that do not end within this time are aborted, and repeated later. */
  async stop(withinMs: number): Promise<void> {
    this.#report = undefined;
    this.#rest.abort();
    await this.#loop;
    const ended = Promise.all([...this.#serving.values()].map((serving) => serving.ended));
    const patience = new AbortController();
    const patient = pause(withinMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([ended, patient]);
    patience.abort();
    this.#dependencies.sender.stop();
    await ended;
  }

  async #look(report: DeliveriesReport): Promise<void> {
    while (this.#report) {
      this.#rest = new AbortController();
      const { signal } = this.#rest;
      try {
        if (await this.#hasNews()) await this.#serveDue();
      } catch (error) {
        this.#isAnyActive = false;
        report.failed(error);
      }
      const ms = this.#isAnyActive ? POLL_INTERVAL_MS : IDLE_POLL_INTERVAL_MS;
      if (this.#report) await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Whether anything was written since the last check, or the last full check is too long ago. */
  async #hasNews(): Promise<boolean> {
    const now = performance.now();
    const position = await this.#dependencies.database.read(endOfFeed);
    const isSame = position.transaction === this.#seen?.transaction && position.number === this.#seen.number;
    if (isSame && now - this.#lookedAtAll < FULL_POLL_INTERVAL_MS) return false;
    this.#seen = position;
    this.#lookedAtAll = now;
    return true;
  }

  async #serveDue(): Promise<void> {
    const { database } = this.#dependencies;
    this.#isAnyActive = await database.read(isAnyActive);
    if (!this.#isAnyActive) return;
    const era = await this.#dependencies.era();
    const due = await database.read(async (tx) => listDue(tx, await tx.now(), era));
    for (const webhook of due) {
      if (this.#serving.size >= MOST_AT_ONCE) break;
      if (this.#serving.has(webhook.id) || this.#servedOf(webhook.user_id) >= MOST_OF_A_USER) continue;
      const ended = this.#serve(webhook, era).finally(() => this.#serving.delete(webhook.id));
      this.#serving.set(webhook.id, { userId: webhook.user_id, ended });
    }
  }

  #servedOf(user: string): number {
    return [...this.#serving.values()].filter(({ userId }) => userId === user).length;
  }

  async #serve(key: WebhookKey, era: string): Promise<void> {
    try {
      for (let turns = 0; turns < MOST_A_TURN && this.#report; turns++) {
        const found = await this.#dependencies.database.read((tx) => this.#offers.find(tx, key, era));
        const held = found && (await this.#lease(found.row));
        if (!held) return;
        await this.#deliver(held, found, era);
      }
    } catch (error) {
      if (!(error instanceof LostLease)) this.#report?.failed(error);
    }
  }

  async #lease(row: Webhooks): Promise<Held | undefined> {
    const at = performance.now();
    const now = await this.#dependencies.database.write(async (tx) => {
      const time = await tx.now();
      return (await leaseWebhook(tx, row, time, time + LEASE_MS)) ? time : undefined;
    });
    return now === undefined ? undefined : { row: { ...row, lease: row.lease + 1 }, now, at };
  }

  async #deliver(held: Held, { offer }: Found, era: string): Promise<void> {
    try {
      switch (offer.kind) {
        case 'redelivery':
          return await this.#redeliver(held, offer.dead);
        case 'unwanted':
          return await this.#record(held, [], progressOf(held.row), (tx) =>
            updateDead(tx, offer.dead, { redelivering: 0, error: UNWANTED }),
          );
        case 'next':
          return await this.#deliverNext(held, offer.head, offer.next);
        case 'past':
          return await this.#deliverPast(held, offer.head, offer.next, progressOf(held.row), []);
        case 'position':
          return await this.#storePosition(held, offer.position, era);
      }
    } catch (error) {
      // A stop ends the lease, so the next process can repeat the try immediately. Otherwise the lease expires by
      // itself, which limits the rate of retries.
      if (!this.#report) await this.#dependencies.database.write((tx) => endLease(tx, held.row));
      throw error;
    }
  }

  async #storePosition(held: Held, position: FeedPosition | 'now', era: string): Promise<void> {
    await this.#dependencies.database.write(async (tx) => {
      const { transaction, number } =
        position === 'now' ? await settledPosition(tx, held.row.workspace_id) : position;
      await endLease(tx, held.row, { era, transaction_id: transaction, number });
    });
  }

  async #redeliver(held: Held, dead: WebhookDeadDeliveries): Promise<void> {
    const tried = await this.#try(held, changeIn(dead));
    const { status, error } = tried.outcome;
    const before = progressOf(held.row);
    const progress: Progress = {
      ...before,
      ...(error === null && { last_delivered_at: nowOf(held), failing_since: null }),
      disabled_reason: status === 410 ? 'gone' : before.disabled_reason,
    };
    await this.#record(held, [tried], progress, async (tx) => {
      if (error === null) await removeDead(tx, dead);
      else await updateDead(tx, dead, { redelivering: 0, at: tried.at, status, error });
    });
  }

  async #deliverNext(held: Held, head: PlacedChange, next: PlacedChange | undefined): Promise<void> {
    const tried = await this.#try(held, head.change);
    const { outcome } = tried;
    const before = progressOf(held.row);
    if (outcome.error === null)
      return this.#record(held, [tried], accepted(before, head, nowOf(held)), nothingMore);
    const after = failed(before, head, outcome, { now: nowOf(held), chance: Math.random() });
    const isRefusedForGood = after.refusals > before.refusals && after.refusals >= MOST_REFUSALS;
    if (isRefusedForGood && next && after.disabled_reason === null)
      return this.#deliverPast(held, head, next, after, [tried]);
    return this.#record(held, [tried], after, nothingMore);
  }

  /**
   * Tries the change after one that is finally refused: the refused one is given up only where the later one is
   * accepted.
   */
  async #deliverPast(
    held: Held,
    head: PlacedChange,
    next: PlacedChange,
    before: Progress,
    earlier: readonly Tried[],
  ): Promise<void> {
    const tried = await this.#try(held, next.change);
    const all = [...earlier, tried];
    if (tried.outcome.error === null)
      return this.#record(held, all, accepted(before, next, nowOf(held)), (tx) =>
        bury(tx, held, head.change),
      );
    // Counts beyond the maximum: the later change is tried again only after another refusal of the first.
    const refusals = Math.max(before.refusals, MOST_REFUSALS + 1);
    const isGone = tried.outcome.status === 410;
    const after = { ...before, refusals, disabled_reason: isGone ? 'gone' : before.disabled_reason };
    return this.#record(held, all, after, nothingMore);
  }

  async #try(held: Held, change: Change): Promise<Tried> {
    // A process that was suspended must not continue after another process has taken over.
    if (performance.now() - held.at > LEASE_MS - TRY_MS) throw new LostLease();
    const at = nowOf(held);
    const { id, type, at: writtenAt } = change;
    const outcome = await this.#dependencies.sender.post(held.row, { id, type, at: writtenAt, data: change });
    this.#report?.tried(held.row.id, id, outcome);
    return { change, outcome, at };
  }

  /** Ends the lease, and stores the tries and all their consequences; stores nothing where the lease was lost. */
  async #record(
    { row }: Held,
    tries: readonly Tried[],
    progress: Progress,
    further: (tx: WriteTransaction) => Promise<void>,
  ): Promise<void> {
    const notice =
      progress.disabled_reason === 'failing' ? await this.#dependencies.noticeOf(row) : undefined;
    try {
      await this.#dependencies.database.write(async (tx) => {
        // This comes first, because it takes locks.
        await notice?.deliver(tx);
        const now = await findByKey(tx, row);
        const isChanged = now?.updated_at !== row.updated_at;
        // A caller who has changed the webhook meanwhile expects an immediate try.
        const columns = isChanged ? { ...progress, next_attempt_at: await tx.now() } : progress;
        if (!(await endLease(tx, row, columns))) throw new LostLease();
        for (const tried of tries) await storeAttempt(tx, row, attemptOf(tried));
        await further(tx);
      });
    } catch (error) {
      await notice?.discard();
      throw error;
    }
  }
}

/** Adds a change to the dead deliveries, with the endpoint's last reply. */
async function bury(tx: WriteTransaction, { row, now }: Held, change: Change): Promise<void> {
  const attempts = await listAttempts(tx, row);
  const last = attempts.find(({ change_id }) => change_id === change.id);
  await insertDead(tx, {
    workspace_id: row.workspace_id,
    webhook_id: row.id,
    id: newId('whd'),
    change: JSON.stringify(change),
    at: last?.at ?? now,
    status: last?.status ?? null,
    error: last?.error ?? null,
    redelivering: 0,
  });
}

async function nothingMore(): Promise<void> {}

function nowOf({ now, at }: Held): number {
  return Math.round(now + performance.now() - at);
}

function attemptOf({ change, outcome, at }: Tried) {
  const { status, durationMs, error } = outcome;
  return {
    id: newId('wha'),
    change_id: change.id,
    type: change.type,
    at,
    status,
    duration_ms: durationMs,
    error,
  };
}

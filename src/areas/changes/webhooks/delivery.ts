import type { Webhooks } from '../../../storage/schema/tables.ts';
import type { PlacedChange } from '../feed.ts';
import type { TryResult } from './sender.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits after the first, second and further failures of a change; later failures use the longest wait. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const LONGEST_WAIT_MS = 24 * HOUR_MS;
/** Endpoints that failed together are retried at different times. */
const JITTER = 0.1;
/** An endpoint that has accepted nothing for this long is not tried again. */
const GIVE_UP_AFTER_MS = 5 * 24 * HOUR_MS;
/**
 * Number of refusals of a change before later changes may overtake it. At most 11: the waits before a twelfth are longer than
 * GIVE_UP_AFTER_MS.
 */
export const MOST_REFUSALS = 8;
const GONE = 410;

/** The columns of a webhook that a try changes. */
export type Progress = Pick<
  Webhooks,
  | 'transaction_id'
  | 'number'
  | 'attempts'
  | 'refusals'
  | 'next_attempt_at'
  | 'failing_since'
  | 'head_at'
  | 'last_delivered_at'
  | 'disabled_reason'
>;

/** The stored progress of a webhook. */
export function progressOf(row: Webhooks): Progress {
  return {
    transaction_id: row.transaction_id,
    number: row.number,
    attempts: row.attempts,
    refusals: row.refusals,
    next_attempt_at: row.next_attempt_at,
    failing_since: row.failing_since,
    head_at: row.head_at,
    last_delivered_at: row.last_delivered_at,
    disabled_reason: row.disabled_reason,
  };
}

/** The progress after an accepted change: it continues after the change, with all failures reset. */
export function accepted(before: Progress, { behind }: PlacedChange, now: number): Progress {
  return {
    ...before,
    transaction_id: behind.transaction,
    number: behind.number,
    attempts: 0,
    refusals: 0,
    next_attempt_at: now,
    failing_since: null,
    head_at: null,
    last_delivered_at: now,
  };
}

/**
 * The progress after a change that was not accepted: the change waits, or the webhook is disabled. `chance`: 0 to 1.
 */
export function failed(
  before: Progress,
  { change }: PlacedChange,
  { status, retryAfterMs }: Pick<TryResult, 'status' | 'retryAfterMs'>,
  { now, chance }: { now: number; chance: number },
): Progress {
  const failingSince = before.failing_since ?? now;
  const attempts = before.attempts + 1;
  const giveUpAt = failingSince + GIVE_UP_AFTER_MS;
  const wait = Math.max(waitAfter(attempts, chance), Math.min(retryAfterMs, LONGEST_WAIT_MS));
  return {
    ...before,
    attempts,
    refusals: before.refusals + Number(isRefusal(status)),
    // Not later than the end of the five days, so the webhook is disabled in time.
    next_attempt_at: Math.min(now + wait, Math.max(giveUpAt, now)),
    failing_since: failingSince,
    head_at: Date.parse(change.at),
    disabled_reason: status === GONE ? 'gone' : now >= giveUpAt ? 'failing' : null,
  };
}

/** Milliseconds until the next try, after this many failures. */
export function waitAfter(failures: number, chance: number): number {
  const usual = WAITS_MS[failures - 1] ?? LONGEST_WAIT_MS;
  return Math.round(usual * (1 + JITTER * chance));
}

/** Whether the endpoint refuses this change itself, instead of being temporarily unavailable. */
function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500;
}

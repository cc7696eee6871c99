import { AtriumError, ConnectionError } from './errors.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** A longer requested wait is not waited for: the call rejects. */
const LONGEST_REQUESTED_MS = 60_000;

/** Timeouts, rate limits, and servers or proxies that are temporarily unavailable. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/**
 * Retries temporary failures up to `retries` times. Every call can be retried: reads change nothing, and writes
 * send the same Idempotency-Key each time.
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const requested = requestedPause(error);
      if (!mayPass(error) || failures > retries || (requested ?? 0) > LONGEST_REQUESTED_MS) throw error;
      await pause(pauseAfter(failures, requested), signal);
    }
  }
}

/** Whether the same call may succeed later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof AtriumError) return PASSING_STATUSES.has(error.status);
  return error instanceof ConnectionError;
}

/** The wait in milliseconds that the server requests, if any. */
function requestedPause(error: unknown): number | undefined {
  return error instanceof AtriumError ? error.retryAfterMs : undefined;
}

/**
 * In milliseconds: the requested wait, else exponential back-off; with jitter, so that clients do not retry in
 * step.
 */
export function pauseAfter(failures: number, requested: number | undefined): number {
  const jitter = 0.5 + Math.random() / 2;
  if (requested !== undefined) return requested + FIRST_PAUSE_MS * jitter;
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * jitter;
}

/** Rejects with the reason of an abort. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

import { AtriumError, ConnectionError } from './errors.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** Who is asked to wait for longer is told so instead. */
const LONGEST_ASKED_MS = 60_000;

/** Time-outs, rate limits, and servers or proxies that cannot serve now. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/**
 * Tries again what failed in a way that may pass, up to `retries` times. Everything may be tried again: reads change
 * nothing, and writes carry the same Idempotency-Key each time.
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
      const asked = askedPause(error);
      if (!mayPass(error) || failures > retries || (asked ?? 0) > LONGEST_ASKED_MS) throw error;
      await pause(pauseAfter(failures, asked), signal);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof AtriumError) return PASSING_STATUSES.has(error.status);
  return error instanceof ConnectionError;
}

/** Milliseconds that the server asks to wait for, if it does. */
function askedPause(error: unknown): number | undefined {
  return error instanceof AtriumError ? error.retryAfterMs : undefined;
}

/** Milliseconds: what the server asks for, else ever longer, and never the same for two clients. */
function pauseAfter(failures: number, asked: number | undefined): number {
  const jitter = 0.5 + Math.random() / 2;
  if (asked !== undefined) return asked + FIRST_PAUSE_MS * jitter;
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * jitter;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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

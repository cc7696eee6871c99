import type { OutgoingHttpHeaders } from 'node:http';
import { ApiError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';

const WINDOW_MS = 60_000;

/** The values of a caller's rate limit headers. */
export interface Allowance {
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
}

/** Counts the requests of each user, over all of their keys, in fixed windows of one minute, on this node. */
export class RateLimit {
  #limit: number;
  #counts = new Map<string, number>();
  #windowEnds = 0;

  /** `limit`: requests per minute and user; 0 = unlimited. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts one request; undefined where there is no limit. */
  count(userId: string): Allowance | undefined {
    if (this.#limit === 0) return undefined;
    const now = performance.now();
    if (now >= this.#windowEnds) {
      this.#counts.clear();
      this.#windowEnds = now + WINDOW_MS;
    }
    const used = (this.#counts.get(userId) ?? 0) + 1;
    this.#counts.set(userId, used);
    return {
      limit: this.#limit,
      remaining: this.#limit - used,
      reset: Math.ceil((this.#windowEnds - now) / 1000),
    };
  }
}

/** The headers of an allowance (draft-ietf-httpapi-ratelimit-headers). */
function allowanceHeaders({ limit, remaining, reset }: Allowance): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(Math.max(remaining, 0)),
    'ratelimit-reset': String(reset),
  };
}

/** The headers of a refusal with the code rate_limited, whatever it limits. */
export function exhaustedHeaders({ details }: ApiError): Record<string, string> {
  const [limit, reset] = [Number(details.limit), Number(details.retry_after)];
  return { 'retry-after': String(reset), ...allowanceHeaders({ limit, remaining: 0, reset }) };
}

/** The refusal of a request over the limit. */
function rateLimited({ limit, reset }: Allowance): ApiError {
  return new ApiError('rate_limited', `More than ${limit} requests in a minute. Try again in ${reset} s.`, {
    limit,
    retry_after: reset,
  });
}

/** Counts a request of the caller, and tells the allowance in the headers of its answer. Throws ApiError rate_limited. */
export function countRequest(
  rateLimit: RateLimit,
  { userId }: Pick<Principal, 'userId'>,
  headers: OutgoingHttpHeaders,
): void {
  const allowance = rateLimit.count(userId);
  if (!allowance) return;
  Object.assign(headers, allowanceHeaders(allowance));
  if (allowance.remaining < 0) throw rateLimited(allowance);
}

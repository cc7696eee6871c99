import type { Call } from '../../../client/src/requests.ts';

/** Why a write is not sent again without the person. */
export interface Problem {
  /** Refused by the server; failed there again and again; or nobody knows whether it was done. */
  kind: 'refused' | 'failed' | 'uncertain';
  message: string;
}

/** A write that the server has not confirmed. */
export interface Entry {
  /** The order in which writes were made. */
  id: number;
  /** The same at each attempt, so that the server does it once. */
  idempotencyKey: string;
  userId: string;
  /** The session of the first attempt: an Idempotency-Key counts within one key alone. "" before it. */
  sessionId: string;
  /** Writes of one lane are sent in order, one at a time; the server may do those of others at the same time. */
  lane: string;
  /** What it does, in words, for the list of what is not saved. */
  label: string;
  call: Call;
  /** When the write was made, by the clock of this machine. */
  madeAt: number;
  /** Not sent before this time: until then it can be taken back. */
  notBefore: number;
  /** When the first attempt was made; 0 before it. */
  attemptedAt: number;
  /** The earlier write whose answer this one needs: `ANSWERED_ID` and `ANSWERED_STATE` stand for it in the call. */
  after?: number;
  /** The address in the console where a person sees what it is about. */
  place?: string;
  /** How often the server has failed at it. */
  failures?: number;
  problem?: Problem;
}

/** Stand in a call for the `id` and the `state` of an answer that is awaited. */
export const ANSWERED_ID = 'the-answered-id';
export const ANSWERED_STATE = 'the-answered-state';

/** The entry with the answer that it has waited for; with a problem where nobody knows that answer. */
export function filled({ after: _, ...entry }: Entry, answer: unknown): Entry {
  const { id, state } = Object(answer) as { id?: string; state?: string };
  if (id === undefined || state === undefined)
    return { ...entry, problem: { kind: 'refused', message: 'What this needs is not known any more.' } };
  const { call } = entry;
  const headers = Object.entries(call.headers ?? {}).map(([name, value]) => [
    name,
    value === ANSWERED_STATE ? state : value,
  ]);
  const path = call.path.replace(ANSWERED_ID, encodeURIComponent(id));
  return { ...entry, call: { ...call, path, headers: Object.fromEntries(headers) } };
}

/** Longer than anything is held back: such a time comes of a clock that was set back. */
const LONGEST_HOLD_MS = 60_000;

/** Whether it can be taken back still. */
export function isHeld({ notBefore }: Pick<Entry, 'notBefore'>, now: number): boolean {
  return notBefore > now && notBefore - now <= LONGEST_HOLD_MS;
}

/** Repeated no later than this part of the time that the server keeps answers: the repeat itself takes time. */
const CERTAIN_PART = 0.95;

/**
 * An attempt whose answer is unknown can be repeated under its key alone by the same session, while the server keeps the answer
 * (`ttlMs`).
 */
export function isUncertain(
  { attemptedAt, sessionId }: Pick<Entry, 'attemptedAt' | 'sessionId'>,
  current: string,
  ttlMs: number,
): boolean {
  if (attemptedAt === 0) return false;
  const age = Date.now() - attemptedAt;
  return sessionId !== current || age < 0 || age > ttlMs * CERTAIN_PART;
}

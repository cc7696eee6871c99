import { createHash, type Hash } from 'node:crypto';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { ApiError } from './errors.ts';
import { findRecord, type IdempotencyScope, keepRecord } from './idempotency-store.ts';
import { seal, unseal } from './sealing.ts';

export type { IdempotencyScope };

/** One write as it must be told apart from another under the same key. */
export interface IdempotentRequest {
  scope: IdempotencyScope;
  fingerprint: string;
  /** Seals the stored answer, where the answer holds a secret. */
  secret: string | undefined;
}

/** An answer as it leaves: status and exact body ("" for 204). */
export interface FinishedAnswer {
  status: number;
  body: string;
}

/** The refusals that an operation itself makes: they are its answer, kept and replayed like a success. */
const KEPT_REFUSALS = new Set([404, 409, 410, 412, 422, 428]);

/** Whether something thrown is a refusal that the operation itself makes. */
export function isKept(error: unknown): error is ApiError {
  return error instanceof ApiError && KEPT_REFUSALS.has(error.status);
}

/** Reads the header. Throws ApiError idempotency_key_required or invalid_idempotency_key. */
export function idempotencyKeyOf(header: string | string[] | undefined): string {
  if (header === undefined) {
    throw new ApiError(
      'idempotency_key_required',
      'Send a header Idempotency-Key with a new value for each write, and the same value when you retry it.',
    );
  }
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new ApiError(
      'invalid_idempotency_key',
      'The Idempotency-Key must be 1 to 255 visible ASCII characters.',
    );
  }
  return header;
}

/** Begins the fingerprint of a request; the raw body is added as it arrives. */
export function beginFingerprint(method: string, pathAndQuery: string): Hash {
  return createHash('sha256').update(`${method} ${pathAndQuery}\n`);
}

/**
 * Runs a write once for its Idempotency-Key, in the transaction of its effect. A repeat gets the first answer; a
 * duplicate that arrives while the first runs waits for it, because both take the same lock.
 * Throws ApiError idempotency_key_reused, and whatever `run` throws that is no answer of the operation.
 */
export async function runOnce(
  tx: WriteTransaction,
  request: IdempotentRequest,
  ttlMs: number,
  run: () => Promise<FinishedAnswer>,
  refused: (error: ApiError) => FinishedAnswer,
): Promise<FinishedAnswer & { replayed: boolean }> {
  const { scope, fingerprint, secret } = request;
  const locked = tx.lock(`idempotency ${scope.keyId} ${scope.idempotencyKey}`);
  // Asked together, the two are one round trip to the database.
  const [now] = await Promise.all([tx.now(), locked]);
  const earlier = await findRecord(tx, scope, now);
  if (earlier) return { ...replay(earlier, request), replayed: true };
  const answer = await answerOf(tx, run, refused);
  const body = secret === undefined ? answer.body : seal(answer.body, secret);
  await keepRecord(tx, scope, { fingerprint, status: answer.status, body, expiresAt: now + ttlMs });
  return { ...answer, replayed: false };
}

/** Whether an earlier request has its answer kept under this key. */
export async function isAnswered(tx: ReadTransaction, scope: IdempotencyScope): Promise<boolean> {
  return (await findRecord(tx, scope, await tx.now())) !== undefined;
}

function replay(earlier: { fingerprint: string; status: number; body: string }, request: IdempotentRequest) {
  if (earlier.fingerprint !== request.fingerprint) {
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new one for each write.',
    );
  }
  const { secret } = request;
  return { status: earlier.status, body: secret === undefined ? earlier.body : unseal(earlier.body, secret) };
}

async function answerOf(
  tx: WriteTransaction,
  run: () => Promise<FinishedAnswer>,
  refused: (error: ApiError) => FinishedAnswer,
): Promise<FinishedAnswer> {
  try {
    return await tx.attempt(run);
  } catch (error) {
    if (isKept(error)) return refused(error);
    throw error;
  }
}

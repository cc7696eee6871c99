import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import { ApiError } from './errors.ts';
import {
  findRecord,
  findRecords,
  type IdempotencyRecord,
  type IdempotencyScope,
  keepRecords,
} from './idempotency-store.ts';
import { seal, unseal } from './sealing.ts';

export type { IdempotencyScope };

/** One write as it must be told apart from another under the same key. */
export interface IdempotentRequest {
  scope: IdempotencyScope;
  fingerprint: string;
  /** Seals the stored answer, where the answer holds a secret. */
  secret: string | undefined;
  /** Makes a body again of what was kept of it, where not all of it is kept. */
  complete?: (kept: string) => string;
}

/** An answer as it leaves: status and exact body ("" for 204). */
export interface FinishedAnswer {
  status: number;
  body: string;
  /** What is kept of the body, where that is less. */
  kept?: string | undefined;
}

/** The refusals that an operation itself makes: they are its answer, kept and replayed like a success. */
const KEPT_REFUSALS = new Set([404, 409, 410, 412, 422]);

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
  const { scope } = request;
  const locked = tx.lock(lockOf(scope));
  // Asked together, the two are one round trip to the database.
  const [now] = await Promise.all([tx.now(), locked]);
  const earlier = await findRecord(tx, scope, now);
  if (earlier) return replay(earlier, request);
  const answer = await answerOf(tx, run, refused);
  await keepRecords(tx, [recordOf(request, answer, now + ttlMs)], now);
  return { ...answer, replayed: false };
}

/** What one of several requests came to: its answer, or what it is refused with and nobody keeps. */
export type Outcome = (FinishedAnswer & { replayed: boolean }) | ApiError;

/**
 * As `runOnce`, of several requests with different keys that `run` does together; it is given those without an answer
 * and answers what each comes to. What is kept of all of them is looked up and stored by one statement each. They share
 * another lock already, so none takes that of its key: who holds that may wait for theirs. Another request under one of
 * the keys is found out when the answers are kept.
 */
export async function runEachOnce<R extends IdempotentRequest>(
  tx: WriteTransaction,
  requests: readonly R[],
  ttlMs: number,
  run: (fresh: readonly R[]) => Promise<ReadonlyMap<R, FinishedAnswer | ApiError>>,
): Promise<Map<R, Outcome>> {
  const now = await tx.now();
  const outcomes = await replaysOf(tx, requests, now);
  const fresh = requests.filter((request) => !outcomes.has(request));
  if (fresh.length === 0) return outcomes;
  const kept: (IdempotencyScope & IdempotencyRecord)[] = [];
  for (const [request, answer] of await run(fresh)) {
    outcomes.set(request, answer instanceof ApiError ? answer : { ...answer, replayed: false });
    if (!(answer instanceof ApiError)) kept.push(recordOf(request, answer, now + ttlMs));
  }
  if (kept.length > 0) await keepRecords(tx, kept, now);
  return outcomes;
}

/** What those come to that were answered before. */
async function replaysOf<R extends IdempotentRequest>(
  tx: WriteTransaction,
  requests: readonly R[],
  now: number,
): Promise<Map<R, Outcome>> {
  const outcomes = new Map<R, Outcome>();
  const byApiKey = Map.groupBy(requests, ({ scope }) => scope.keyId).values();
  const lookUp = async (ofOne: readonly R[]) => {
    const keys = ofOne.map(({ scope }) => scope.idempotencyKey);
    const earlier = await findRecords(tx, (ofOne[0] as R).scope, keys, now);
    if (earlier.size === 0) return;
    for (const request of ofOne) {
      const record = earlier.get(request.scope.idempotencyKey);
      if (record) outcomes.set(request, replayOrRefusal(record, request));
    }
  };
  await Promise.all(Array.from(byApiKey, lookUp));
  return outcomes;
}

function lockOf({ keyId, idempotencyKey }: IdempotencyScope): string {
  return `idempotency ${keyId} ${idempotencyKey}`;
}

function recordOf(
  { scope, fingerprint, secret }: IdempotentRequest,
  { status, body, kept = body }: FinishedAnswer,
  expiresAt: number,
): IdempotencyScope & IdempotencyRecord {
  return { ...scope, fingerprint, status, body: secret === undefined ? kept : seal(kept, secret), expiresAt };
}

/** Whether an earlier request has its answer kept under this key. */
export async function isAnswered(tx: ReadTransaction, scope: IdempotencyScope): Promise<boolean> {
  return (await findRecord(tx, scope, await tx.now())) !== undefined;
}

function replay(earlier: IdempotencyRecord, request: IdempotentRequest) {
  const outcome = replayOrRefusal(earlier, request);
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

function replayOrRefusal(
  { fingerprint, status, body: kept }: IdempotencyRecord,
  request: IdempotentRequest,
): Outcome {
  if (fingerprint !== request.fingerprint) {
    return new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new one for each write.',
    );
  }
  const { secret, complete } = request;
  const body = secret === undefined ? kept : unseal(kept, secret);
  return { status, body: complete ? complete(body) : body, replayed: true };
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

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ApiError } from '../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import {
  findRecord,
  findRecords,
  type IdempotencyRecord,
  type IdempotencyScope,
  keepRecords,
} from './idempotency-store.ts';

/** Characters. A shorter answer would save less than a page of the database. */
const LONG = 4_096;
/** Before a packed answer. An answer as it is begins with "{", and that of a 204 is "". */
const MARK = 'zstd:';

/**
 * An answer as it is kept: a long one compressed, for a request of some bytes may be answered with the megabyte that it
 * changed, each time that it is sent under another key.
 */
function packed(answer: string): string {
  if (answer.length < LONG) return answer;
  const text = MARK + zstdCompressSync(answer).toString('base64');
  return text.length < answer.length ? text : answer;
}

/** The answer that was kept. */
function unpacked(kept: string): string {
  if (!kept.startsWith(MARK)) return kept;
  return zstdDecompressSync(Buffer.from(kept.slice(MARK.length), 'base64')).toString();
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text so that only who holds the secret reads it: the database alone reveals nothing. */
function seal(text: string, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyFrom(secret), nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** Reads what `seal` wrote with the same secret. */
function unseal(sealed: string, secret: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keyFrom(secret), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([
    decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
    decipher.final(),
  ]).toString();
}

function keyFrom(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'atrium sealed answer', 32));
}

export type { IdempotencyScope };

/** One write as it must be told apart from another under the same key. */
export interface IdempotentRequest {
  scope: IdempotencyScope;
  fingerprint: string;
  /** The id of the request, which its answer names; a repeat's answer names that of the first. */
  requestId: string;
  /** Seals the stored answer, where the answer holds a secret. */
  secret: string | undefined;
}

/** An answer as it leaves: status and exact body ("" for 204). */
export interface FinishedAnswer {
  status: number;
  body: string;
}

/** The answer to a request, which may be the stored one of an earlier request. */
export interface OnceAnswer extends FinishedAnswer {
  replayed: boolean;
  /** The id of the request that the answer was made for; null of one that was stored before ids were. */
  requestId: string | null;
}

/** Of a request with a streamed body that was answered before fingerprints were CRC-32: any request repeats it. */
const UNKNOWN_FINGERPRINT = '';

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
): Promise<OnceAnswer> {
  const { scope } = request;
  const locked = tx.lock(lockOf(scope));
  // Asked together, the two are one round trip to the database.
  const [now] = await Promise.all([tx.now(), locked]);
  const earlier = await findRecord(tx, scope, now);
  if (earlier) return replay(earlier, request);
  const answer = await answerOf(tx, run, refused);
  await keepRecords(tx, [recordOf(request, answer, now + ttlMs)], now);
  return firstAnswer(answer, request);
}

/** What one of several requests came to: its answer, or a refusal that is not stored. */
export type RequestOutcome = OnceAnswer | ApiError;

/**
 * Does what `runOnce` does for several requests with different keys, which `run` carries out together: it gets those that
 * have no stored answer yet, and returns the outcome of each. All records are looked up in one statement and stored in one.
 * The requests already hold a shared lock. They must not take the locks of their keys as well: a request that holds the
 * lock of a key may be waiting for the shared one (deadlock). Another request under one of the keys is detected when the
 * records are stored.
 */
export async function runEachOnce<R extends IdempotentRequest>(
  tx: WriteTransaction,
  requests: readonly R[],
  ttlMs: number,
  run: (fresh: readonly R[]) => Promise<ReadonlyMap<R, FinishedAnswer | ApiError>>,
): Promise<Map<R, RequestOutcome>> {
  const now = await tx.now();
  const outcomes = await replaysOf(tx, requests, now);
  const unanswered = requests.filter((request) => !outcomes.has(request));
  if (unanswered.length === 0) return outcomes;
  const records: (IdempotencyScope & IdempotencyRecord)[] = [];
  for (const [request, answer] of await run(unanswered)) {
    outcomes.set(request, answer instanceof ApiError ? answer : firstAnswer(answer, request));
    if (!(answer instanceof ApiError)) records.push(recordOf(request, answer, now + ttlMs));
  }
  if (records.length > 0) await keepRecords(tx, records, now);
  return outcomes;
}

/** The outcomes of the requests that already have a stored answer. */
async function replaysOf<R extends IdempotentRequest>(
  tx: WriteTransaction,
  requests: readonly R[],
  now: number,
): Promise<Map<R, RequestOutcome>> {
  const outcomes = new Map<R, RequestOutcome>();
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
  { scope, fingerprint, requestId, secret }: IdempotentRequest,
  { status, body }: FinishedAnswer,
  expiresAt: number,
): IdempotencyScope & IdempotencyRecord {
  const kept = packed(body);
  const stored = secret === undefined ? kept : seal(kept, secret);
  return { ...scope, fingerprint, status, body: stored, requestId, expiresAt };
}

/** Whether an earlier request has its answer kept under this key. */
export async function isAnswered(tx: ReadTransaction, scope: IdempotencyScope): Promise<boolean> {
  return (await findRecord(tx, scope, await tx.now())) !== undefined;
}

function firstAnswer(answer: FinishedAnswer, { requestId }: IdempotentRequest): OnceAnswer {
  return { ...answer, replayed: false, requestId };
}

function replay(earlier: IdempotencyRecord, request: IdempotentRequest): OnceAnswer {
  const outcome = replayOrRefusal(earlier, request);
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

function replayOrRefusal(
  { fingerprint, status, body: stored, requestId }: IdempotencyRecord,
  request: IdempotentRequest,
): RequestOutcome {
  if (fingerprint !== UNKNOWN_FINGERPRINT && fingerprint !== request.fingerprint) {
    return new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new one for each write.',
    );
  }
  const kept = request.secret === undefined ? stored : unseal(stored, request.secret);
  return { status, body: unpacked(kept), replayed: true, requestId };
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

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ApiError } from '../contract/errors.ts';
import type { ReadTransaction, WriteTransaction } from '../storage/database.ts';
import {
  findRecord,
  findRecords,
  type IdempotencyRecord,
  type IdempotencyScope,
  storeRecords,
} from './idempotency-store.ts';

/** Characters. Compressing a shorter answer would save less than a database page. */
const LONG = 4_096;
/** Prefix of a compressed answer. An uncompressed answer begins with "{", or is "" for a 204. */
const MARK = 'zstd:';

/**
 * The stored form of an answer; a long one is compressed, because a small request may get a megabyte that it changed as
 * its answer, again for each new Idempotency-Key.
 */
function compressAnswer(answer: string): string {
  if (answer.length < LONG) return answer;
  const text = MARK + zstdCompressSync(answer).toString('base64');
  return text.length < answer.length ? text : answer;
}

/** Reverses `compressAnswer`. */
function decompressAnswer(stored: string): string {
  if (!stored.startsWith(MARK)) return stored;
  return zstdDecompressSync(Buffer.from(stored.slice(MARK.length), 'base64')).toString();
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a text with a secret, so that the database alone does not reveal the text. */
function seal(text: string, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyFrom(secret), nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** Decrypts the result of `seal` with the same secret. */
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

/** A write, with what distinguishes it from another write under the same key. */
export interface IdempotentRequest {
  scope: IdempotencyScope;
  fingerprint: string;
  /** The id of the request; its answer contains it. The answer to a repeat contains the id of the first request. */
  requestId: string;
  /** Encrypts the stored answer, if the answer contains a secret. */
  secret: string | undefined;
}

/** An answer as it is sent: status and exact body ("" for 204). */
export interface FinishedAnswer {
  status: number;
  body: string;
}

/** The answer to a request; possibly the stored answer of an earlier request. */
export interface OnceAnswer extends FinishedAnswer {
  replayed: boolean;
  /** The id of the request that the answer was made for; null if it was stored before ids were stored. */
  requestId: string | null;
}

/**
 * The fingerprint of requests with a streamed body that were answered before fingerprints used CRC-32: any request
 * counts as their repeat.
 */
const UNKNOWN_FINGERPRINT = '';

/** Statuses of refusals by the operation itself. These are its answer, which is stored and replayed like a success. */
const STORED_REFUSALS = new Set([404, 409, 410, 412, 422]);

/** Whether an error is a refusal by the operation itself. */
export function isStoredRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && STORED_REFUSALS.has(error.status);
}

/** Parses the header. Throws ApiError idempotency_key_required or invalid_idempotency_key. */
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
 * Runs a write once for its Idempotency-Key, in the transaction of its effect. A repeat gets the stored first answer. A
 * duplicate that arrives during the first run waits for it, because both take the same lock. Throws ApiError
 * idempotency_key_reused, and errors of `run` that are not an answer of the operation.
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
  // Both in one round trip to the database.
  const [now] = await Promise.all([tx.now(), locked]);
  const earlier = await findRecord(tx, scope, now);
  if (earlier) return replay(earlier, request);
  const answer = await answerOf(tx, run, refused);
  await storeRecords(tx, [recordOf(request, answer, now + ttlMs)], now);
  return firstAnswer(answer, request);
}

/** The result of one of several requests: its answer, or a refusal that is not stored. */
export type RequestResult = OnceAnswer | ApiError;

/**
 * The same as `runOnce` for several requests with different keys, which `run` carries out together: it gets the
 * requests without a stored answer and returns a result for each. All records are read in one statement and stored in
 * one. The batch already holds a shared lock. It must not take per-key locks as well: a request that holds a key lock
 * may be waiting for the shared one (deadlock). A concurrent request under one of the keys is detected when the records
 * are stored.
 */
export async function runBatchOnce<R extends IdempotentRequest>(
  tx: WriteTransaction,
  requests: readonly R[],
  ttlMs: number,
  run: (fresh: readonly R[]) => Promise<ReadonlyMap<R, FinishedAnswer | ApiError>>,
): Promise<Map<R, RequestResult>> {
  const now = await tx.now();
  const results = await replaysOf(tx, requests, now);
  const unanswered = requests.filter((request) => !results.has(request));
  if (unanswered.length === 0) return results;
  const records: (IdempotencyScope & IdempotencyRecord)[] = [];
  for (const [request, answer] of await run(unanswered)) {
    results.set(request, answer instanceof ApiError ? answer : firstAnswer(answer, request));
    if (!(answer instanceof ApiError)) records.push(recordOf(request, answer, now + ttlMs));
  }
  if (records.length > 0) await storeRecords(tx, records, now);
  return results;
}

/** The results of the requests that have a stored answer. */
async function replaysOf<R extends IdempotentRequest>(
  tx: WriteTransaction,
  requests: readonly R[],
  now: number,
): Promise<Map<R, RequestResult>> {
  const results = new Map<R, RequestResult>();
  const byApiKey = Map.groupBy(requests, ({ scope }) => scope.keyId).values();
  const addReplays = async (ofOne: readonly R[]) => {
    const keys = ofOne.map(({ scope }) => scope.idempotencyKey);
    const earlier = await findRecords(tx, (ofOne[0] as R).scope, keys, now);
    if (earlier.size === 0) return;
    for (const request of ofOne) {
      const record = earlier.get(request.scope.idempotencyKey);
      if (record) results.set(request, replayOrRefusal(record, request));
    }
  };
  await Promise.all(Array.from(byApiKey, addReplays));
  return results;
}

function lockOf({ keyId, idempotencyKey }: IdempotencyScope): string {
  return `idempotency ${keyId} ${idempotencyKey}`;
}

function recordOf(
  { scope, fingerprint, requestId, secret }: IdempotentRequest,
  { status, body }: FinishedAnswer,
  expiresAt: number,
): IdempotencyScope & IdempotencyRecord {
  const text = compressAnswer(body);
  const stored = secret === undefined ? text : seal(text, secret);
  return { ...scope, fingerprint, status, body: stored, requestId, expiresAt };
}

/** Whether an answer is stored for this key. */
export async function isAnswered(tx: ReadTransaction, scope: IdempotencyScope): Promise<boolean> {
  return (await findRecord(tx, scope, await tx.now())) !== undefined;
}

function firstAnswer(answer: FinishedAnswer, { requestId }: IdempotentRequest): OnceAnswer {
  return { ...answer, replayed: false, requestId };
}

function replay(earlier: IdempotencyRecord, request: IdempotentRequest): OnceAnswer {
  const result = replayOrRefusal(earlier, request);
  if (result instanceof ApiError) throw result;
  return result;
}

function replayOrRefusal(
  { fingerprint, status, body: stored, requestId }: IdempotencyRecord,
  request: IdempotentRequest,
): RequestResult {
  if (fingerprint !== UNKNOWN_FINGERPRINT && fingerprint !== request.fingerprint) {
    return new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new one for each write.',
    );
  }
  const text = request.secret === undefined ? stored : unseal(stored, request.secret);
  return { status, body: decompressAnswer(text), replayed: true, requestId };
}

async function answerOf(
  tx: WriteTransaction,
  run: () => Promise<FinishedAnswer>,
  refused: (error: ApiError) => FinishedAnswer,
): Promise<FinishedAnswer> {
  try {
    return await tx.attempt(run);
  } catch (error) {
    if (isStoredRefusal(error)) return refused(error);
    throw error;
  }
}

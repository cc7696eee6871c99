import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ApiError } from '../contract/errors.ts';
import {
  type ReadTransaction,
  StorageUnavailable,
  type WorkspaceLock,
  type WriteTransaction,
} from '../storage/database.ts';
import {
  findRecord,
  findRecords,
  type IdempotencyRecord,
  type IdempotencyScope,
  removeExpired,
  storeRecords,
} from './idempotency-store.ts';

/**
 * The fingerprint that distinguishes a repeated request from another request with the same Idempotency-Key: SHA-256 of
 * method, path, query and body.
 */
export function fingerprintOf(method: string, pathAndQuery: string, body: Uint8Array): string {
  // A single call of `hash` takes a fraction of the time of an incremental digest.
  return hash('sha256', Buffer.concat([Buffer.from(requestLine(method, pathAndQuery)), body]), 'base64url');
}

/**
 * The fingerprint of a request whose body is added as it arrives. SHA-256 of a large body would take longer than all
 * other work on it, so the fingerprint contains its length and CRC-32 instead: the check protects clients from their
 * own mistakes, not from attackers.
 */
export class StreamedFingerprint {
  readonly #requestLine: string;
  #length = 0;
  #checksum = 0;

  constructor(method: string, pathAndQuery: string) {
    this.#requestLine = requestLine(method, pathAndQuery);
  }

  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    this.#checksum = crc32(chunk, this.#checksum);
  }

  /** The fingerprint of the body added so far. */
  digest(): string {
    return hash('sha256', `${this.#requestLine}${this.#length} ${this.#checksum}`, 'base64url');
  }
}

function requestLine(method: string, pathAndQuery: string): string {
  return `${method} ${pathAndQuery}\n`;
}

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
  /** How long the answer is kept, in milliseconds. */
  ttlMs: number;
  /** Whether a refusal by the operation itself is an answer that is kept, too. */
  keepsRefusals: boolean;
  /** Whether it asks for the rest of an answer: without one that is stored, nothing is done. */
  onlyRepeats: boolean;
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
  run: () => Promise<FinishedAnswer>,
  refused: (error: ApiError) => FinishedAnswer,
): Promise<OnceAnswer> {
  const { scope } = request;
  await tx.lock(lockOf(scope));
  // In one round trip to the database, with the lock.
  const [now, earlier, away] = await Promise.all([
    tx.now(),
    findRecord(tx, scope),
    joinOf(tx, scope.workspaceId),
  ]);
  if (earlier && isLive(earlier, now)) {
    const answer = replay(earlier, request);
    await tx.confirmReads();
    return answer;
  }
  if (away !== undefined) throw away;
  if (request.onlyRepeats) throw answerGone();
  const answer = await answerOf(tx, run, request.keepsRefusals ? refused : rethrown);
  // Only now: a row that is written comes after the locks.
  if (earlier) await removeExpired(tx, scope, now);
  await storeRecords(tx, [recordOf(request, answer, now + request.ttlMs)]);
  return firstAnswer(answer, request);
}

/** The result of one of several requests: its answer, or a refusal that is not stored. */
export type RequestResult = OnceAnswer | ApiError;

/** What a batch knows before its requests are chosen. */
export interface BegunBatch {
  /** The time on the clock of all nodes. */
  readonly now: number;
  /** Why the workspace is not written; undefined where it is. */
  readonly away: unknown;
}

/** Begins a batch of requests of one workspace, which is joined. */
export async function beginBatch(tx: WriteTransaction, workspaceId: string): Promise<BegunBatch> {
  const [now, away] = await Promise.all([tx.now(), joinOf(tx, workspaceId)]);
  return { now, away };
}

/** How the requests of a batch are carried out together. */
interface BatchWork<R, O> {
  /** Reads what `run` needs, for all requests, in one round trip with their records. */
  open: (requests: readonly R[]) => Promise<O>;
  /** Gets the requests without a stored answer, and returns a result for each. */
  run: (fresh: readonly R[], opened: O) => Promise<ReadonlyMap<R, FinishedAnswer | ApiError>>;
}

/**
 * The same as `runOnce` for several requests with different keys. All records are read in one statement and stored in
 * one. The batch already holds a shared lock. It must not take per-key locks as well: a request that holds a key lock
 * may be waiting for the shared one (deadlock). A concurrent request under one of the keys is detected when the records
 * are stored.
 */
export async function runBatchOnce<R extends IdempotentRequest, O>(
  tx: WriteTransaction,
  requests: readonly R[],
  { now, away }: BegunBatch,
  { open, run }: BatchWork<R, O>,
): Promise<Map<R, RequestResult>> {
  // A stored answer is answered also where its object cannot be opened any more.
  const [earlier, [opening]] = await Promise.all([
    earlierOf(tx, requests),
    Promise.allSettled([open(requests)]),
  ]);
  const results = new Map<R, RequestResult>();
  for (const [request, record] of earlier)
    if (isLive(record, now)) results.set(request, replayOrRefusal(record, request));
  for (const request of requests)
    if (request.onlyRepeats && !results.has(request)) results.set(request, answerGone());
  const unanswered = requests.filter((request) => !results.has(request));
  const replays = results.size;
  if (unanswered.length > 0 && away !== undefined) throw away;
  const records: (IdempotencyScope & IdempotencyRecord)[] = [];
  for (const [request, answer] of unanswered.length > 0 ? await run(unanswered, outcomeOf(opening)) : []) {
    results.set(request, answer instanceof ApiError ? answer : firstAnswer(answer, request));
    if (answer instanceof ApiError) continue;
    records.push(recordOf(request, answer, now + request.ttlMs));
    if (earlier.has(request)) await removeExpired(tx, request.scope, now);
  }
  if (records.length > 0) await storeRecords(tx, records);
  else if (replays > 0) await tx.confirmReads();
  return results;
}

/** Joins a workspace; returns why it is not written. A stored answer is answered also then (OPS-74). */
async function joinOf(tx: WriteTransaction, workspaceId: string): Promise<unknown> {
  try {
    await tx.join(workspaceId);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The records of the requests that have one, also those that have expired. */
async function earlierOf<R extends IdempotentRequest>(
  tx: WriteTransaction,
  requests: readonly R[],
): Promise<Map<R, IdempotencyRecord>> {
  const earlier = new Map<R, IdempotencyRecord>();
  const byApiKey = Map.groupBy(requests, ({ scope }) => scope.keyId).values();
  const add = async (ofOne: readonly R[]) => {
    const keys = ofOne.map(({ scope }) => scope.idempotencyKey);
    const records = await findRecords(tx, (ofOne[0] as R).scope, keys);
    if (records.size === 0) return;
    for (const request of ofOne) {
      const record = records.get(request.scope.idempotencyKey);
      if (record) earlier.set(request, record);
    }
  };
  await Promise.all(Array.from(byApiKey, add));
  return earlier;
}

/** Throws what it was rejected with. */
function outcomeOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

function isLive({ expiresAt }: IdempotencyRecord, now: number): boolean {
  return expiresAt > now;
}

function lockOf({ workspaceId, keyId, idempotencyKey }: IdempotencyScope): WorkspaceLock {
  return { workspaceId, scope: `idempotency ${keyId} ${idempotencyKey}` };
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

function answerGone(): ApiError {
  const message = 'The answer of which this is a part is not kept any more. Nothing was done.';
  return new ApiError('cursor_expired', message);
}

/** Whether an answer is stored for this key. */
export async function isAnswered(tx: ReadTransaction, scope: IdempotencyScope): Promise<boolean> {
  const [now, record] = await Promise.all([tx.now(), findRecord(tx, scope)]);
  return record !== undefined && isLive(record, now);
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

function rethrown(error: ApiError): never {
  throw error;
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

/** A refusal that occurred during preparation: it becomes the answer of the operation once its transaction is open. */
export class Refused {
  readonly reason: Error;

  constructor(reason: Error) {
    this.reason = reason;
  }
}

/** The prepared value, or the refusal if it is an answer that will be stored. */
export async function captureRefusal<T>(preparing: Promise<T>): Promise<T | Refused> {
  try {
    return await preparing;
  } catch (error) {
    if (!isStoredRefusal(error)) throw error;
    return new Refused(error);
  }
}

/**
 * Replaces the preparation of a request that was answered already. If the stored answer has expired by then, the client
 * has to send the request again.
 */
export function alreadyAnswered(): Refused {
  return new Refused(new StorageUnavailable('The kept answer has just expired'));
}

/** Reads the rest of unneeded content, because the fingerprint of a repeat covers all of its bytes. */
export async function readRest(content: Readable): Promise<void> {
  if (!content.readableEnded) await finished(content.resume());
}

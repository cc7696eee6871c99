import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StorageUnavailable } from '../storage/database.ts';
import { isStoredRefusal } from './idempotency.ts';

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

import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StorageUnavailable } from '../storage/database.ts';
import { isKept } from './idempotency.ts';

/** A refusal instead of what was to be prepared: the answer of the operation once its transaction is open. */
export class Refused {
  readonly reason: Error;

  constructor(reason: Error) {
    this.reason = reason;
  }
}

/** What is prepared, or the refusal that the operation makes of it, where that is an answer to be kept. */
export async function keepingRefusal<T>(preparing: Promise<T>): Promise<T | Refused> {
  try {
    return await preparing;
  } catch (error) {
    if (!isKept(error)) throw error;
    return new Refused(error);
  }
}

/** In the place of what was answered already; should that answer be gone by then, the request has to be sent again. */
export function alreadyAnswered(): Refused {
  return new Refused(new StorageUnavailable('The kept answer has just expired'));
}

/** Reads the rest of content that nobody needs any more: a repeat is known by all of its bytes. */
export async function passOver(content: Readable): Promise<void> {
  if (!content.readableEnded) await finished(content.resume());
}

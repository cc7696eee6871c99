import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StorageUnavailable } from '../storage/database.ts';
import { isKept } from './idempotency.ts';
import type { Received } from './operation.ts';

/** A refusal instead of what was to be received: the answer of the operation once its transaction is open. */
export class Refused implements Received {
  readonly reason: Error;

  constructor(reason: Error) {
    this.reason = reason;
  }

  async discard(): Promise<void> {}
}

/**
 * What was received, or the refusal that the operation made of it, when that is an answer to be kept. The rest of the
 * content is read then: a repeat is known by all of its bytes.
 */
export async function keepingRefusal(content: Readable, receiving: Promise<Received>): Promise<Received> {
  try {
    return await receiving;
  } catch (error) {
    if (!isKept(error)) throw error;
    await passedOver(content);
    return new Refused(error);
  }
}

/** Reads content whose answer is known already; should that be gone by then, it has to be sent again. */
export async function passedOver(content: Readable): Promise<Received> {
  if (!content.readableEnded) await finished(content.resume());
  return new Refused(new StorageUnavailable('The kept answer has just expired'));
}

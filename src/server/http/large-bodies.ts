import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../contract/errors.ts';
import { FairGate, type Slots } from '../../turns/fair-gate.ts';
import { TooManyWaiting, UNBOUNDED } from '../../turns/fair-queue.ts';

/** A JSON body above this size takes its turn among the users. */
export const LARGE_BODY = 128 * 1024;
/** Few bodies above this size are processed at a time: a parsed body may take twenty times its bytes. */
const VERY_LARGE_BODY = 1024 * 1024;

/** Slots from before a body is read until its answer is made. A slow sender occupies a slot for long. */
const HELD = { large: { all: 256, each: 16 }, veryLarge: { all: 60, each: 3 } };
/** Slots from before a body is parsed until its answer is made. */
const PARSED = { large: { all: 8, each: 2 }, veryLarge: { all: 2, each: 1 } };

/** How long a request may take, in milliseconds. */
interface Patience {
  /**
   * Until the request has a slot. Shorter than the allowed silence of a connection, so a waiting client gets a
   * refusal.
   */
  readonly wait: number;
  /** From then until its body is complete. */
  readonly read: number;
}

const PATIENCE: Patience = { wait: 30_000, read: 120_000 };

/**
 * Limits the total memory of JSON bodies, however many clients send at once. The other requests wait, in turn between
 * users, before they are read from their connections.
 */
export class LargeBodies {
  readonly #large: Stages;
  readonly #veryLarge: Stages;

  constructor(patience = PATIENCE) {
    this.#large = new Stages(HELD.large, PARSED.large, patience);
    this.#veryLarge = new Stages(HELD.veryLarge, PARSED.veryLarge, patience);
  }

  /**
   * Calls `answer` with the body that `read` reads. Rejects as these do, with TooManyWaiting where there is no slot
   * in time, and with ApiError request_timeout where the body does not arrive in time.
   */
  answer<Body, Result>(
    headers: IncomingHttpHeaders,
    read: () => Promise<Body>,
    answer: (body: Body) => Promise<Result>,
  ): Promise<Result> {
    const size = sizeOf(headers);
    if (size <= LARGE_BODY) return read().then(answer);
    return (size <= VERY_LARGE_BODY ? this.#large : this.#veryLarge).answer(read, answer);
  }
}

class Stages {
  readonly #held: FairGate;
  readonly #parsed: FairGate;
  readonly #patience: Patience;

  constructor(held: Slots, parsed: Slots, patience: Patience) {
    this.#patience = patience;
    this.#held = new FairGate(held, UNBOUNDED);
    this.#parsed = new FairGate(parsed, UNBOUNDED);
  }

  async answer<Body, Result>(
    read: () => Promise<Body>,
    answer: (body: Body) => Promise<Result>,
  ): Promise<Result> {
    const leave = await this.#enter();
    try {
      const body = await inTime(read(), this.#patience.read, bodyTooLate);
      return await this.#parsed.pass(() => answer(body));
    } finally {
      leave();
    }
  }

  /** Resolves with the function that releases the slot. */
  async #enter(): Promise<() => void> {
    const entered = this.#held.enter();
    try {
      return await inTime(entered, this.#patience.wait, noPlace);
    } catch (error) {
      // A slot that comes too late is released immediately.
      entered.then(
        (leave) => leave(),
        () => undefined,
      );
      throw error;
    }
  }
}

/** Settles as `work` does, or rejects with `late` after `ms` milliseconds. */
async function inTime<Result>(work: Promise<Result>, ms: number, late: () => Error): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function noPlace(): Error {
  return new TooManyWaiting('other large requests are under way');
}

function bodyTooLate(): Error {
  return new ApiError('request_timeout', 'A large body must come whole within two minutes.');
}

/** The announced size, in bytes. A chunked body announces no length; most chunked bodies are not very large. */
function sizeOf(headers: IncomingHttpHeaders): number {
  if (headers['transfer-encoding'] !== undefined) return VERY_LARGE_BODY;
  return Number(headers['content-length'] ?? 0);
}

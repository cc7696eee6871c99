import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../contract/errors.ts';
import { FairGate, type Slots } from '../../turns/fair-gate.ts';
import { TooManyWaiting, UNBOUNDED } from '../../turns/fair-queue.ts';

/** A JSON body of more bytes is read in turns of its own. */
export const LARGE_BODY = 128 * 1024;
/** So large ones are few at a time: parsed, a body may take twenty times its bytes. */
const VERY_LARGE_BODY = 1024 * 1024;

/** From before a body is read until its answer is made. Who sends slowly holds one of these places for long. */
const HELD = { large: { all: 256, each: 16 }, veryLarge: { all: 60, each: 3 } };
/** From before a body is parsed until its answer is made. */
const PARSED = { large: { all: 8, each: 2 }, veryLarge: { all: 2, each: 1 } };

/** How long a request may take, in milliseconds. */
interface Patience {
  /** Until it has a place. Less than a connection may be silent, so that who waits is told why. */
  readonly wait: number;
  /** From then on until its body is whole. */
  readonly read: number;
}

const PATIENCE: Patience = { wait: 30_000, read: 120_000 };

/**
 * Bounds the memory that JSON bodies of all requests take together, whoever sends how many at once: the others wait, in
 * turn between users, before they are read from their connections.
 */
export class LargeBodies {
  readonly #large: Stages;
  readonly #veryLarge: Stages;

  constructor(patience = PATIENCE) {
    this.#large = new Stages(HELD.large, PARSED.large, patience);
    this.#veryLarge = new Stages(HELD.veryLarge, PARSED.veryLarge, patience);
  }

  /**
   * Has `answer` answer with the body that `read` reads. Rejects as these do, with TooManyWaiting where there is no place for
   * it in time, and with ApiError request_timeout where the body does not come in time.
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

  /** Resolves with what gives the place back. */
  async #enter(): Promise<() => void> {
    const entered = this.#held.enter();
    try {
      return await inTime(entered, this.#patience.wait, noPlace);
    } catch (error) {
      // A place that comes too late is given back at once.
      entered.then(
        (leave) => leave(),
        () => undefined,
      );
      throw error;
    }
  }
}

/** Resolves and rejects as `work`, and rejects with `late` when that takes longer. */
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

/** What is announced, in bytes. A body that comes in chunks says nothing of its length: most are not very large. */
function sizeOf(headers: IncomingHttpHeaders): number {
  if (headers['transfer-encoding'] !== undefined) return VERY_LARGE_BODY;
  return Number(headers['content-length'] ?? 0);
}

import type { IncomingHttpHeaders } from 'node:http';
import { FairGate, type Places } from '../../turns/fair-gate.ts';
import { UNBOUNDED } from '../../turns/fair-queue.ts';

/** A JSON body of more bytes is read in turns of its own. */
export const LARGE_BODY = 128 * 1024;
/** So large ones are few at a time: parsed, a body may take twenty times its bytes. */
const VERY_LARGE_BODY = 1024 * 1024;

/** From before a body is read until its answer is made. Who sends slowly holds one of these places for long. */
const HELD = { large: { all: 256, each: 16 }, veryLarge: { all: 60, each: 3 } };
/** From before a body is parsed until its answer is made. */
const PARSED = { large: { all: 8, each: 2 }, veryLarge: { all: 2, each: 1 } };

/**
 * Bounds the memory that JSON bodies of all requests take together, whoever sends how many at once: the others wait, in
 * turn between users, before they are read from their connections.
 */
export class LargeBodies {
  readonly #large = new Stages(HELD.large, PARSED.large);
  readonly #veryLarge = new Stages(HELD.veryLarge, PARSED.veryLarge);

  /** Has `answer` answer with the body that `read` reads. Rejects as these do. */
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

  constructor(held: Places, parsed: Places) {
    this.#held = new FairGate(held, UNBOUNDED);
    this.#parsed = new FairGate(parsed, UNBOUNDED);
  }

  answer<Body, Result>(read: () => Promise<Body>, answer: (body: Body) => Promise<Result>): Promise<Result> {
    return this.#held.pass(async () => {
      const body = await read();
      return this.#parsed.pass(() => answer(body));
    });
  }
}

/** What is announced, in bytes. A body that comes in chunks says nothing of its length: most are not very large. */
function sizeOf(headers: IncomingHttpHeaders): number {
  if (headers['transfer-encoding'] !== undefined) return VERY_LARGE_BODY;
  return Number(headers['content-length'] ?? 0);
}

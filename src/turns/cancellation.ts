import { AsyncLocalStorage } from 'node:async_hooks';

/** The client of some work, as its connection shows it. */
export interface Client {
  /** Whether it can still receive an answer. */
  isThere: () => boolean;
  /** Whether it has ended its side of the connection: it has left, or sends nothing more and still reads. */
  hasEnded: () => boolean;
}

const current = new AsyncLocalStorage<Client>();

/** The client of the work has left: nobody will receive its result. */
export class Cancelled extends Error {}

/** Runs work for a client that may leave before it is done. */
export function runCancellable<Result>(client: Client, work: () => Result): Result {
  return current.run(client, work);
}

/** To be called between two pieces of long work. Throws Cancelled if the client has left. */
export function throwIfCancelled(): void {
  if (current.getStore()?.isThere() === false) throw new Cancelled('the client has left');
}

/**
 * Tells, also after the present work, whether its client has ended its side of the connection. What waits or streams
 * without an end of its own ends then: a client that has left is not told from one that still reads.
 */
export function clientEnding(): () => boolean {
  const client = current.getStore();
  return () => client?.hasEnded() === true;
}

import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<() => boolean>();

/** The client of the work has left: nobody will receive its result. */
export class Cancelled extends Error {}

/** Runs work for a client that may leave before it is done. */
export function runCancellable<Result>(isWanted: () => boolean, work: () => Result): Result {
  return current.run(isWanted, work);
}

/** To be called between two pieces of long work. Throws Cancelled if the client has left. */
export function throwIfCancelled(): void {
  if (current.getStore()?.() === false) throw new Cancelled('the client has left');
}

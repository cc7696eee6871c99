import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<() => boolean>();

/** Who has asked for a work has left: nobody will be told what comes of it. */
export class Unwanted extends Error {}

/** Does a work for somebody who may leave before it is done. */
export function whileWanted<Result>(isWanted: () => boolean, work: () => Result): Result {
  return current.run(isWanted, work);
}

/** To be called between one piece of long work and the next. Throws Unwanted where nobody waits for it any more. */
export function requireWanted(): void {
  if (current.getStore()?.() === false) throw new Unwanted('whoever has asked for it has left');
}

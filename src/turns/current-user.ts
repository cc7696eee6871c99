import { AsyncLocalStorage } from 'node:async_hooks';

interface Present {
  readonly whom: string;
  readonly isAwaited: boolean;
}

const NOBODY: Present = { whom: '', isAwaited: false };

const current = new AsyncLocalStorage<Present>();

/**
 * Does a work in somebody's name: what it asks of threads, however deep within it, counts as theirs, and waits in their
 * line. So nothing has to be handed through all that lies between, where one call would forget it.
 */
export function onBehalfOf<Result>(whom: string, work: () => Result): Result {
  return current.run({ whom, isAwaited: false }, work);
}

/** Does a work in somebody's name that holds what all others may need, such as the one transaction that writes. */
export function whileAllWait<Result>(whom: string, work: () => Result): Result {
  return current.run({ whom, isAwaited: true }, work);
}

/** The name of a user as one of those who take turns. */
export function userName({ workspaceId, userId }: { workspaceId: string; userId: string }): string {
  return `${workspaceId} ${userId}`;
}

/** In whose name the present work is done; what the server does of itself is in that of nobody, "". */
export function forWhom(): string {
  return present().whom;
}

/** Whether the present work holds what all others may need. */
export function isAwaitedByAll(): boolean {
  return present().isAwaited;
}

function present(): Present {
  return current.getStore() ?? NOBODY;
}

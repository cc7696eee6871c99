import { AsyncLocalStorage } from 'node:async_hooks';

interface Present {
  readonly user: string;
  readonly isBlocking: boolean;
}

const NOBODY: Present = { user: '', isBlocking: false };

const current = new AsyncLocalStorage<Present>();

/**
 * Runs work on behalf of a user (before authentication, of the client's network): everything it requests, from threads
 * for example, counts as usage of that user and waits in the user's queue. The user is in the async context instead of
 * a parameter, which any call in between could forget to pass on.
 */
export function onBehalfOf<Result>(user: string, work: () => Result): Result {
  return current.run({ user, isBlocking: false }, work);
}

/** Runs work on behalf of a user that holds a resource that all others may need, such as the single write transaction. */
export function whileBlockingOthers<Result>(user: string, work: () => Result): Result {
  return current.run({ user, isBlocking: true }, work);
}

/** The key of a user in queues and usage. */
export function userKey({ workspaceId, userId }: { workspaceId: string; userId: string }): string {
  return `${workspaceId} ${userId}`;
}

/** The key of the user on whose behalf the present work runs; "" for work of the server itself. */
export function currentUser(): string {
  return present().user;
}

/** The workspace of the user on whose behalf the present work runs; "" where it runs for nobody who is known. */
export function currentWorkspace(): string {
  const user = currentUser();
  return user.slice(0, Math.max(user.indexOf(' '), 0));
}

/** Whether the present work holds a resource that all others may need. */
export function isBlockingOthers(): boolean {
  return present().isBlocking;
}

function present(): Present {
  return current.getStore() ?? NOBODY;
}

import type { WorkspaceLock } from '../src/storage/locks.ts';

/** A lock of some workspace, for tests that are not about what it protects. */
export function lockNamed(name: string): WorkspaceLock {
  return { workspaceId: 'workspace', scope: `mailbox ${name}` };
}

import type { WorkspaceLock } from '../../storage/database.ts';

/** The owner of a tree of the drive. A Principal is one. */
export interface DriveOwner {
  workspaceId: string;
  userId: string;
}

/** The lock for every change of a tree or its grants. It protects the structure of the tree and the states of its nodes. */
export function driveLock({ workspaceId, userId }: DriveOwner): WorkspaceLock {
  return { workspaceId, scope: `drive ${userId}` };
}

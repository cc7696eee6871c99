/** Whose tree of the drive. A Principal is one. */
export interface DriveOwner {
  workspaceId: string;
  userId: string;
}

/** The lock under which everything that changes a tree, or who it is shared with, runs: it keeps its shape and states true. */
export function driveLock({ userId }: DriveOwner): string {
  return `drive ${userId}`;
}

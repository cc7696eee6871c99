/** The worker data of the checkpoint thread. */
export interface CheckpointedFile {
  path: string;
  /** How long it waits for locks, in milliseconds. */
  patienceMs: number;
}

/** A request to the thread: a checkpoint mode of SQLite, or to end. */
export type CheckpointMode = 'passive' | 'restart' | 'truncate';
export type CheckpointRequest = CheckpointMode | 'close';

/**
 * The reply to a mode: whether no reader or writer was in the way (`passive` may still leave a rest of the log), or the
 * error.
 */
export type CheckpointReply = { complete: boolean } | { error: unknown };

/** What the thread of the checkpoints is started with. */
export interface CheckpointedFile {
  path: string;
  /** How long it waits for locks. Milliseconds. */
  patienceMs: number;
}

/** What it is asked for, as SQLite names it, or to end. */
export type CheckpointMode = 'passive' | 'restart' | 'truncate';
export type CheckpointQuestion = CheckpointMode | 'close';

/** What it answers to a mode: whether nobody was in its way (`passive` may leave some of the log then), or what went wrong. */
export type CheckpointAnswer = { complete: boolean } | { error: unknown };

import type { Progress } from '../archive/progress.ts';
import { counted } from './output.ts';
import { ProgressLine } from './progress-line.ts';

/** Shows how far a backup, its check or a restore has come; `done` says what was done with what is counted. */
export function progressOf(done: string, progress: Progress): ProgressLine {
  return new ProgressLine(
    () =>
      `${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} ${done}, ${Math.round(progress.bytes / 1e6)} MB`,
  );
}

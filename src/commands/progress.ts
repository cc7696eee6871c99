import type { Progress } from '../archive/manifest.ts';
import { counted } from './output.ts';

const REFRESH_MS = 200;

/** A line on standard error that shows how far long work has come; where nobody looks at it, nothing is written. */
export class ProgressLine {
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(text: () => string) {
    if (!process.stderr.isTTY) return;
    this.#timer = setInterval(() => process.stderr.write(`\r\x1b[K${text()}`), REFRESH_MS);
  }

  end(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    process.stderr.write('\r\x1b[K');
  }
}

/** Shows how far a backup, its check or a restore has come; `done` says what was done with what is counted. */
export function archiveProgressLine(done: string, progress: Progress): ProgressLine {
  return new ProgressLine(
    () =>
      `${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} ${done}, ${Math.round(progress.bytes / 1e6)} MB`,
  );
}

/** Bytes that have come over, of all. */
export interface TransferProgress {
  done: number;
  total: number;
}

const WIDTH = 30;
const MIB = 1024 * 1024;

/** How far a transfer has come, for people. */
export function transferBar({ done, total }: TransferProgress): string {
  const share = total > 0 ? Math.min(done / total, 1) : 0;
  const filled = Math.floor(share * WIDTH);
  const line = `${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}`;
  return `[${line}] ${Math.floor(share * 100)} % of ${(total / MIB).toFixed(1)} MiB`;
}

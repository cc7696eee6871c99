import type { Progress } from '../archive/manifest.ts';
import { counted } from './output.ts';

const REFRESH_MS = 200;

/** A line on standard error that shows the progress of long work; without a terminal, nothing is written. */
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

/**
 * Shows the progress of a backup, its verification or a restore; `done` is the participle for the counted rows and
 * blobs.
 */
export function archiveProgressLine(done: string, progress: Progress): ProgressLine {
  return new ProgressLine(
    () =>
      `${counted(progress.rows, 'row')} and ${counted(progress.blobs, 'blob')} ${done}, ${Math.round(progress.bytes / 1e6)} MB`,
  );
}

/** Bytes transferred, and the total. */
export interface TransferProgress {
  done: number;
  total: number;
}

const WIDTH = 30;
const MIB = 1024 * 1024;
/**
 * The speed is an average over the last seconds: long enough to be steady, short enough to follow a changing
 * connection.
 */
const MEASURED_MS = 10_000;
const LEAST_MEASURED_MS = 1_000;

/** Shows the progress of a transfer, its speed and the remaining time. */
export class TransferMeter {
  #samples: { at: number; done: number }[] = [];

  /** The text for people; `now` in milliseconds of a monotonic clock. */
  text({ done, total }: TransferProgress, now = performance.now()): string {
    this.#measure(done, now);
    const share = total > 0 ? Math.min(done / total, 1) : 0;
    const filled = Math.floor(share * WIDTH);
    const bar = `${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}`;
    const parts = [`[${bar}] ${Math.floor(share * 100)} % of ${(total / MIB).toFixed(1)} MiB`];
    const speed = this.#speed();
    if (speed !== undefined) parts.push(`${(speed / MIB).toFixed(1)} MiB/s`);
    if (speed !== undefined && speed > 0) parts.push(`${timeOf(Math.max(0, total - done) / speed)} left`);
    return parts.join(', ');
  }

  /**
   * Records a sample. Bytes of an earlier run are present immediately and say nothing about the speed; nor do samples
   * from before a restart.
   */
  #measure(done: number, at: number): void {
    const last = this.#samples.at(-1);
    if (last && (last.done === 0 || done < last.done)) this.#samples = [];
    this.#samples = [...this.#samples.filter((sample) => sample.at >= at - MEASURED_MS), { at, done }];
  }

  /** Bytes per second; undefined where too little was measured. */
  #speed(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.at - first.at < LEAST_MEASURED_MS) return undefined;
    return ((last.done - first.done) / (last.at - first.at)) * 1000;
  }
}

/** Such as "40 s", "2 min 5 s" or "3 h 12 min". */
function timeOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

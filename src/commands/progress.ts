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
/** Speed is that of the last seconds: long enough to be calm, short enough to follow a line that changes. */
const MEASURED_MS = 10_000;
const LEAST_MEASURED_MS = 1_000;

/** Shows how far a transfer has come, how fast it is, and how long it will still take. */
export class TransferMeter {
  #samples: { at: number; done: number }[] = [];

  /** For people; `now` in milliseconds of any clock that only goes on. */
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

  /** What an earlier run has brought is there at once: it says nothing about speed, and neither does a new beginning. */
  #measure(done: number, at: number): void {
    const last = this.#samples.at(-1);
    if (last && (last.done === 0 || done < last.done)) this.#samples = [];
    this.#samples = [...this.#samples.filter((sample) => sample.at >= at - MEASURED_MS), { at, done }];
  }

  /** Bytes a second; undefined where too little was measured. */
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

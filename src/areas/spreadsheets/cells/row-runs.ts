import type { RowRuns } from '../../../formulas/calculation.ts';
import { ROWS } from './a1.ts';

/** Runs that are made one after the other, and joined where they touch. */
class RunList {
  readonly #runs: number[] = [];

  /** Takes a run that begins behind all others; what lies beyond the end of a sheet does not count. */
  add(first: number, count: number): void {
    const kept = Math.min(count, ROWS - first);
    if (kept <= 0) return;
    const at = this.#runs.length - 2;
    const end = at < 0 ? -1 : (this.#runs[at] ?? 0) + (this.#runs[at + 1] ?? 0);
    if (end === first) this.#runs[at + 1] = (this.#runs[at + 1] ?? 0) + kept;
    else this.#runs.push(first, kept);
  }

  runs(): RowRuns {
    return Uint32Array.from(this.#runs);
  }
}

/** The runs after `count` rows, which are in none of them, were put in before the row `at`. */
export function withRowsInserted(runs: RowRuns, at: number, count: number): RowRuns {
  const list = new RunList();
  for (let index = 0; index < runs.length; index += 2) {
    const [first = 0, length = 0] = runs.subarray(index, index + 2);
    const before = Math.min(Math.max(at - first, 0), length);
    list.add(first, before);
    list.add(first + before + count, length - before);
  }
  return list.runs();
}

/** The runs after the `count` rows from `at` on were taken out. */
export function withRowsRemoved(runs: RowRuns, at: number, count: number): RowRuns {
  const list = new RunList();
  for (let index = 0; index < runs.length; index += 2) {
    const [first = 0, length = 0] = runs.subarray(index, index + 2);
    const before = Math.min(Math.max(at - first, 0), length);
    const upToEnd = Math.min(Math.max(at + count - first, 0), length);
    list.add(first, before);
    list.add(first + upToEnd - Math.min(count, Math.max(first + upToEnd - at, 0)), length - upToEnd);
  }
  return list.runs();
}

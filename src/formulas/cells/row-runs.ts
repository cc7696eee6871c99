import type { RowRuns } from '../calculation.ts';

/** Whether a row is in one of the runs. */
export function isIn(runs: RowRuns, row: number): boolean {
  let [low, high] = [0, runs.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[2 * middle] as number) <= row) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return false;
  return row < (runs[2 * low - 2] as number) + (runs[2 * low - 1] as number);
}

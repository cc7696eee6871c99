import type { FunctionFault } from '../calculation.ts';

/** Tells of faults of functions without telling of each: a column of formulas may fail a million times. */
export class FaultReports {
  readonly #times = new Map<string, number>();
  listener: (fault: FunctionFault) => void = () => {};

  /** Takes faults in, and tells of those functions that have failed for the first, tenth, hundredth time and so on. */
  add(faults: readonly FunctionFault[]): void {
    for (const fault of faults) {
      const before = this.#times.get(fault.function) ?? 0;
      const times = before + fault.times;
      this.#times.set(fault.function, times);
      if (magnitude(times) > magnitude(before)) this.listener({ ...fault, times });
    }
  }
}

/** The digits of a count. */
function magnitude(times: number): number {
  return times === 0 ? 0 : String(times).length;
}

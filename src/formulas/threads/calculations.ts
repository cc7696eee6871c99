import { setImmediate } from 'node:timers/promises';
import {
  type Calculation,
  CalculationStopped,
  type DefinedName,
  type FunctionFault,
  type SheetCells,
  type ShownValue,
  type Window,
  WorkbookNotHeld,
} from '../calculation.ts';
import { CalculationThread } from './calculation-thread.ts';
import { FaultReports } from './fault-reports.ts';
import type { Answer } from './messages.ts';

/** What calculations may take of the machine. */
export interface CalculationLimits {
  readonly threads: number;
  /** Workbooks that together take more leave room, the longest unused first. */
  readonly bytes: number;
  /** A thread that does not answer for so long is ended. */
  readonly answerMs: number;
  /** What a thread may take beside the cells, in megabytes. */
  readonly heapMegabytes: number;
}

export const CALCULATION_LIMITS: CalculationLimits = {
  threads: 2,
  bytes: 1024 ** 3,
  answerMs: 40_000,
  heapMegabytes: 1024,
};

/** Cells in one message: sending it does not hold up the event loop. */
const CELLS_A_MESSAGE = 1_000;

interface Held {
  readonly thread: CalculationThread;
  version: number;
  bytes: number;
}

/** Computes workbooks in threads; each is held by one of them. */
export class ThreadedCalculation implements Calculation {
  readonly #limits: CalculationLimits;
  readonly #threads = new Set<CalculationThread>();
  /** The longest unused first. */
  readonly #held = new Map<string, Held>();
  readonly #faults = new FaultReports();
  #transfers = 0;

  constructor(limits: CalculationLimits = CALCULATION_LIMITS) {
    this.#limits = limits;
  }

  version(workbook: string): number | undefined {
    return this.#held.get(workbook)?.version;
  }

  async open(
    workbook: string,
    version: number,
    sheets: readonly string[],
    cells: AsyncIterable<SheetCells>,
    names: readonly DefinedName[] = [],
  ): Promise<void> {
    const thread = this.#held.get(workbook)?.thread ?? this.#leastLoaded();
    const transfer = ++this.#transfers;
    await thread.ask({ kind: 'begin', transfer, sheets, names });
    try {
      for await (const portion of cells) await send(thread, transfer, portion);
    } catch (cause) {
      cancel(thread, transfer);
      throw cause;
    }
    const answer = await thread.ask({ kind: 'open', transfer, workbook });
    this.#keep(workbook, { thread, version, bytes: 0 }, answer);
  }

  async change(workbook: string, version: number, changes: readonly SheetCells[]): Promise<void> {
    const held = this.#find(workbook);
    const transfer = ++this.#transfers;
    for (const portion of changes) await send(held.thread, transfer, portion);
    if (this.#held.get(workbook) !== held) {
      cancel(held.thread, transfer);
      throw new WorkbookNotHeld(`the workbook ${workbook} had to make room while it changed`);
    }
    const answer = await held.thread.ask({ kind: 'change', transfer, workbook });
    held.version = version;
    this.#keep(workbook, held, answer);
  }

  async read(workbook: string, window: Window): Promise<ShownValue[][]> {
    const held = this.#find(workbook);
    const id = held.thread.newId();
    let answer = await held.thread.ask({ kind: 'read', workbook, window }, id);
    this.#faults.add(answer.faults ?? []);
    this.#keep(workbook, held, answer);
    const rows: ShownValue[][] = [];
    for (;;) {
      for (const row of answer.rows ?? []) rows.push(row);
      if (answer.more !== true) return rows;
      await setImmediate();
      answer = await held.thread.ask({ kind: 'more' }, id);
    }
  }

  onFault(listener: (fault: FunctionFault) => void): void {
    this.#faults.listener = listener;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #find(workbook: string): Held {
    const held = this.#held.get(workbook);
    if (held === undefined) throw new WorkbookNotHeld(`the workbook ${workbook} is not held; open it again`);
    return held;
  }

  /** The workbook was used now; others make room for it. */
  #keep(workbook: string, held: Held, { bytes, stopped }: Answer): void {
    this.#held.delete(workbook);
    held.bytes = bytes ?? held.bytes;
    if (stopped?.dropped !== true) this.#held.set(workbook, held);
    if (stopped !== undefined) throw new CalculationStopped(stopped.why);
    this.#makeRoom(workbook);
  }

  #makeRoom(newest: string): void {
    let bytes = 0;
    for (const held of this.#held.values()) bytes += held.bytes;
    for (const [workbook, held] of this.#held) {
      if (bytes <= this.#limits.bytes || workbook === newest) return;
      bytes -= held.bytes;
      this.#held.delete(workbook);
      void held.thread.ask({ kind: 'drop', workbook }).catch(() => {});
    }
  }

  #leastLoaded(): CalculationThread {
    if (this.#threads.size < this.#limits.threads) return this.#start();
    const [first = this.#start(), ...others] = this.#threads;
    return others.reduce((least, one) => (one.load < least.load ? one : least), first);
  }

  #start(): CalculationThread {
    const thread = new CalculationThread(this.#limits.answerMs, this.#limits.heapMegabytes, () =>
      this.#forget(thread),
    );
    this.#threads.add(thread);
    return thread;
  }

  /** A thread has ended, and with it all that it held. */
  #forget(thread: CalculationThread): void {
    this.#threads.delete(thread);
    for (const [workbook, held] of this.#held) if (held.thread === thread) this.#held.delete(workbook);
  }
}

function cancel(thread: CalculationThread, transfer: number): void {
  void thread.ask({ kind: 'cancel', transfer }).catch(() => {});
}

async function send(
  thread: CalculationThread,
  transfer: number,
  { sheet, cells }: SheetCells,
): Promise<void> {
  for (let at = 0; at < cells.length; at += CELLS_A_MESSAGE) {
    const portion = cells.slice(at, at + CELLS_A_MESSAGE);
    const { stopped } = await thread.ask({ kind: 'cells', transfer, sheet, cells: portion });
    if (stopped !== undefined) throw new CalculationStopped(stopped.why);
  }
}

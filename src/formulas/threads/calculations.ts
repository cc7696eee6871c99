import { nextTurn } from '../../turns/next-turn.ts';
import { Usage } from '../../turns/usage.ts';
import {
  type Calculation,
  CalculationStopped,
  type DefinedName,
  type Extent,
  type FunctionFault,
  type MostShown,
  type SheetCells,
  type SheetHead,
  type ShownRun,
  type ShownValue,
  TooMuchShown,
  type Window,
  WorkbookNotHeld,
} from '../calculation.ts';
import { CalculationThread } from './calculation-thread.ts';
import { type Answer, FaultReports, portionsOf, type Question } from './messages.ts';

/** What calculations may take of the machine. */
export interface CalculationLimits {
  /** Beside the one for long calculations. */
  readonly threads: number;
  /** Workbooks that together take more leave room, the longest unused first. */
  readonly bytes: number;
  /** A calculation ends after so long; whoever asks again lets it go on. */
  readonly calculationMs: number;
  /** A thread that does not answer for so long is ended. */
  readonly answerMs: number;
  /** What a thread may take beside the cells, in megabytes. */
  readonly heapMegabytes: number;
}

export const CALCULATION_LIMITS: CalculationLimits = {
  threads: 2,
  bytes: 1024 ** 3,
  calculationMs: 20_000,
  answerMs: 40_000,
  heapMegabytes: 1024,
};

/** A workbook of which the cells take longer to come in while others wait is one that takes long. */
const LONG_TO_TAKE_MS = 2_000;

/** How many times as long as a calculation they may take in all: what was taken in is not kept for whoever asks again. */
const MOST_TAKING = 6;

/** For so long a workbook that was found to take long is computed in the thread for those. */
const LONG_FOR_MS = 600_000;
const REMEMBERED_LONG = 10_000;

const NO_EXTENT: Extent = { rows: 0, columns: 0 };

interface Held {
  readonly thread: CalculationThread;
  version: number;
  bytes: number;
  /** What taking its cells in has spent of the next calculation: formulas are compiled then. */
  takenMs: number;
}

/**
 * Computes workbooks in threads; each is held by one of them. Where others wait, a calculation gives way to them after a
 * turn, between two formulas or, where one takes longer than that, in the middle of it: what that formula has done is lost,
 * so its workbook goes to the thread for long calculations, where none gives way. A workbook that has ended its thread
 * goes there too.
 */
export class ThreadedCalculation implements Calculation {
  readonly #limits: CalculationLimits;
  readonly #usage = new Usage();
  readonly #threads = new Set<CalculationThread>();
  #longThread: CalculationThread | undefined;
  /** Until when a workbook is one that takes long; the oldest first. */
  readonly #long = new Map<string, number>();
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

  takesLong(workbook: string): boolean {
    return (this.#long.get(workbook) ?? 0) > performance.now();
  }

  async open(
    workbook: string,
    version: number,
    sheets: readonly SheetHead[],
    cells: AsyncIterable<SheetCells>,
    names: readonly DefinedName[] = [],
  ): Promise<void> {
    const thread = this.#threadFor(workbook);
    const transfer = ++this.#transfers;
    await thread.ask({ kind: 'begin', transfer, sheets, names });
    let takenMs = 0;
    try {
      for await (const portion of cells) {
        for (const part of portionsOf(portion.cells)) {
          takenMs += await send(thread, transfer, { ...portion, cells: part });
          this.#boundTaking(workbook, thread, takenMs);
        }
      }
    } catch (cause) {
      thread.tell({ kind: 'cancel', transfer });
      throw cause;
    }
    const answer = await thread.ask({ kind: 'open', transfer, workbook });
    this.#keep(workbook, { thread, version, bytes: 0, takenMs }, answer);
  }

  async change(workbook: string, version: number, changes: readonly SheetCells[]): Promise<void> {
    const held = this.#find(workbook);
    const transfer = ++this.#transfers;
    for (const { sheet, cells } of changes) {
      for (const part of portionsOf(cells)) await send(held.thread, transfer, { sheet, cells: part });
    }
    if (this.#held.get(workbook) !== held) {
      held.thread.tell({ kind: 'cancel', transfer });
      throw new WorkbookNotHeld(`the workbook ${workbook} had to make room while it changed`);
    }
    const answer = await held.thread.ask({ kind: 'change', transfer, workbook });
    held.version = version;
    held.takenMs += answer.spentMs ?? 0;
    this.#keep(workbook, held, answer);
  }

  async extent(workbook: string, sheet: number): Promise<Extent> {
    const held = this.#find(workbook);
    const { extent = NO_EXTENT } = await this.#calculate(workbook, held, { of: sheet }, held.thread.newId());
    return extent;
  }

  async *portions(workbook: string, window: Window, most?: MostShown): AsyncGenerator<readonly ShownRun[]> {
    const held = this.#find(workbook);
    const { thread } = held;
    const id = thread.newId();
    let answer = await this.#calculate(workbook, held, { of: window, most }, id);
    if (answer.isTooMuch) throw new TooMuchShown('the window holds more than may be read at once');
    try {
      if (answer.runs) yield answer.runs;
      while (answer.more) {
        await nextTurn();
        answer = await thread.ask({ kind: 'more' }, id);
        if (answer.runs) yield answer.runs;
      }
    } finally {
      if (answer.more) thread.tell({ kind: 'enough', of: id });
    }
  }

  async read(workbook: string, window: Window): Promise<ShownValue[][]> {
    const rows: ShownValue[][] = [];
    for await (const runs of this.portions(workbook, window)) {
      for (const { row, values } of runs) {
        while (rows.length <= row) rows.push([]);
        for (const value of values) rows[row]?.push(value);
      }
    }
    return rows;
  }

  async #calculate(
    workbook: string,
    held: Held,
    wanted: Pick<Extract<Question, { kind: 'read' }>, 'of' | 'most'>,
    id: number,
  ): Promise<Answer> {
    const forMs = Math.max(0, this.#limits.calculationMs - held.takenMs);
    held.takenMs = 0;
    const answer = await this.#ask(workbook, held, { kind: 'read', workbook, ...wanted, forMs }, id);
    this.#faults.add(answer.faults ?? []);
    this.#keep(workbook, held, answer);
    return answer;
  }

  async #ask(workbook: string, held: Held, question: Question, id: number): Promise<Answer> {
    try {
      const answer = await held.thread.ask(question, id);
      if (answer.gaveWay === undefined) return answer;
    } catch (cause) {
      if (!(cause instanceof WorkbookNotHeld)) this.#rememberLong(workbook);
      throw cause;
    }
    this.#rememberLong(workbook);
    this.#drop(workbook, held);
    throw new WorkbookNotHeld(
      `the workbook ${workbook} takes long, and is computed where it holds up nobody`,
    );
  }

  /** Cells that take too long to come in end it; where others wait, they come in where they hold up nobody. */
  #boundTaking(workbook: string, thread: CalculationThread, takenMs: number): void {
    const isTooLong = takenMs > MOST_TAKING * this.#limits.calculationMs;
    const isLong = takenMs > LONG_TO_TAKE_MS && thread.load > 0 && thread !== this.#longThread;
    if (isTooLong || isLong) this.#rememberLong(workbook);
    if (isTooLong) throw new CalculationStopped('the calculation takes too long');
    if (isLong)
      throw new WorkbookNotHeld(`the workbook ${workbook} takes long to be opened while others wait`);
  }

  #rememberLong(workbook: string): void {
    this.#long.delete(workbook);
    this.#long.set(workbook, performance.now() + LONG_FOR_MS);
    const [oldest] = this.#long.keys();
    if (this.#long.size > REMEMBERED_LONG && oldest !== undefined) this.#long.delete(oldest);
  }

  onFault(listener: (fault: FunctionFault) => void): void {
    this.#faults.listener = listener;
  }

  async close(): Promise<void> {
    const threads = [...this.#threads, ...(this.#longThread ? [this.#longThread] : [])];
    await Promise.all(threads.map((thread) => thread.end()));
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
      this.#drop(workbook, held);
    }
  }

  #drop(workbook: string, held: Held): void {
    if (this.#held.get(workbook) === held) this.#held.delete(workbook);
    held.thread.tell({ kind: 'drop', workbook });
  }

  #threadFor(workbook: string): CalculationThread {
    const held = this.#held.get(workbook);
    if (!this.takesLong(workbook)) return held?.thread ?? this.#leastLoaded();
    this.#longThread ??= this.#start(false);
    if (held !== undefined && held.thread !== this.#longThread) this.#drop(workbook, held);
    return this.#longThread;
  }

  #leastLoaded(): CalculationThread {
    if (this.#threads.size < this.#limits.threads) {
      const thread = this.#start(true);
      this.#threads.add(thread);
      return thread;
    }
    return [...this.#threads].reduce((least, one) => (one.load < least.load ? one : least));
  }

  #start(givesWay: boolean): CalculationThread {
    const { answerMs, heapMegabytes } = this.#limits;
    const limits = { answerMs, heapMegabytes, usage: this.#usage, givesWay };
    const thread = new CalculationThread(limits, () => this.#forget(thread));
    return thread;
  }

  /** A thread has ended, and with it all that it held. */
  #forget(thread: CalculationThread): void {
    this.#threads.delete(thread);
    if (this.#longThread === thread) this.#longThread = undefined;
    for (const [workbook, held] of this.#held) if (held.thread === thread) this.#held.delete(workbook);
  }
}

/** Sends cells that fit into a message; answers how long the thread took to take them in, in milliseconds. */
async function send(thread: CalculationThread, transfer: number, part: SheetCells): Promise<number> {
  const { stopped, spentMs = 0 } = await thread.ask({ kind: 'cells', transfer, ...part });
  if (stopped !== undefined) throw new CalculationStopped(stopped.why);
  return spentMs;
}

import { nextTurn } from '../../turns/next-turn.ts';
import { Usage } from '../../turns/usage.ts';
import {
  type Calculation,
  CalculationStopped,
  type ColumnSpan,
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
import { type CalculationReply, type CalculationRequest, FaultReports, portionsOf } from './messages.ts';

/** Resource limits of all calculations. */
export interface CalculationLimits {
  /** Not counting the thread for long calculations. */
  readonly threads: number;
  /** Total memory of the held workbooks; beyond it the least recently used ones are dropped. */
  readonly bytes: number;
  /** A calculation stops after this time; the next request continues it. */
  readonly calculationMs: number;
  /** A thread without a reply for this time is ended. */
  readonly replyTimeoutMs: number;
  /** Memory of a thread apart from the cells, in megabytes. */
  readonly heapMegabytes: number;
}

export const CALCULATION_LIMITS: CalculationLimits = {
  threads: 2,
  bytes: 1024 ** 3,
  calculationMs: 20_000,
  replyTimeoutMs: 40_000,
  heapMegabytes: 1024,
};

/** A workbook that loads for longer than this while others wait counts as long. */
const LONG_LOADING_MS = 2_000;

/** Loading may take this multiple of the time of a calculation: unlike a calculation, it cannot be continued later. */
const MAX_LOADING_FACTOR = 6;

/** How long a workbook counts as long and runs in the thread for long calculations. */
const LONG_FOR_MS = 600_000;
const REMEMBERED_LONG = 10_000;

const NO_EXTENT: Extent = { rows: 0, columns: 0 };

interface HeldWorkbook {
  readonly thread: CalculationThread;
  version: number;
  bytes: number;
  /** The loading time, charged to the next calculation: loading compiles the formulas. */
  loadingMs: number;
}

/**
 * Calculates workbooks in threads; each thread holds some of them. When others wait, a calculation yields after a
 * turn, between two formulas. A formula that runs longer than a turn is interrupted and its work is lost; its
 * workbook then moves to the thread for long calculations, which does not yield. A workbook that has ended its
 * thread moves there too.
 */
export class ThreadedCalculation implements Calculation {
  readonly #limits: CalculationLimits;
  readonly #usage = new Usage();
  readonly #threads = new Set<CalculationThread>();
  #longThread: CalculationThread | undefined;
  /** When each long workbook stops counting as long; the oldest first. */
  readonly #long = new Map<string, number>();
  /** The least recently used first. */
  readonly #held = new Map<string, HeldWorkbook>();
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
    let loadingMs = 0;
    try {
      for await (const portion of cells) {
        for (const chunk of portionsOf(portion.cells)) {
          loadingMs += await send(thread, transfer, { ...portion, cells: chunk });
          this.#limitLoading(workbook, thread, loadingMs);
        }
      }
    } catch (cause) {
      thread.tell({ kind: 'cancel', transfer });
      throw cause;
    }
    const reply = await thread.ask({ kind: 'open', transfer, workbook });
    this.#holdWorkbook(workbook, { thread, version, bytes: 0, loadingMs }, reply);
  }

  async change(workbook: string, version: number, changes: readonly SheetCells[]): Promise<void> {
    const held = this.#find(workbook);
    const transfer = ++this.#transfers;
    for (const { sheet, cells } of changes) {
      for (const chunk of portionsOf(cells)) await send(held.thread, transfer, { sheet, cells: chunk });
    }
    if (this.#held.get(workbook) !== held) {
      held.thread.tell({ kind: 'cancel', transfer });
      throw new WorkbookNotHeld(`the workbook ${workbook} had to make room while it changed`);
    }
    const reply = await held.thread.ask({ kind: 'change', transfer, workbook });
    held.version = version;
    held.loadingMs += reply.spentMs ?? 0;
    this.#holdWorkbook(workbook, held, reply);
  }

  async extent(workbook: string, sheet: number, columns?: ColumnSpan): Promise<Extent> {
    const held = this.#find(workbook);
    const of = { extentOf: sheet, ...(columns && { columns }) };
    const { extent = NO_EXTENT } = await this.#calculate(workbook, held, { of }, held.thread.newId());
    return extent;
  }

  async *portions(workbook: string, window: Window, most?: MostShown): AsyncGenerator<readonly ShownRun[]> {
    const held = this.#find(workbook);
    const { thread } = held;
    const id = thread.newId();
    let reply = await this.#calculate(workbook, held, { of: window, most }, id);
    if (reply.isTooMuch) throw new TooMuchShown('the window holds more than may be read at once');
    try {
      if (reply.runs) yield reply.runs;
      while (reply.more) {
        await nextTurn();
        reply = await thread.ask({ kind: 'more' }, id);
        if (reply.runs) yield reply.runs;
      }
    } finally {
      if (reply.more) thread.tell({ kind: 'enough', of: id });
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
    held: HeldWorkbook,
    wanted: Pick<Extract<CalculationRequest, { kind: 'read' }>, 'of' | 'most'>,
    id: number,
  ): Promise<CalculationReply> {
    const forMs = Math.max(0, this.#limits.calculationMs - held.loadingMs);
    held.loadingMs = 0;
    const reply = await this.#ask(workbook, held, { kind: 'read', workbook, ...wanted, forMs }, id);
    this.#faults.add(reply.faults ?? []);
    this.#holdWorkbook(workbook, held, reply);
    return reply;
  }

  async #ask(
    workbook: string,
    held: HeldWorkbook,
    request: CalculationRequest,
    id: number,
  ): Promise<CalculationReply> {
    try {
      const reply = await held.thread.ask(request, id);
      if (reply.gaveWay === undefined) return reply;
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

  /** Stops loading that takes too long. While others wait, long loading moves to the thread for long calculations. */
  #limitLoading(workbook: string, thread: CalculationThread, loadingMs: number): void {
    const isTooLong = loadingMs > MAX_LOADING_FACTOR * this.#limits.calculationMs;
    const isLong = loadingMs > LONG_LOADING_MS && thread.load > 0 && thread !== this.#longThread;
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

  #find(workbook: string): HeldWorkbook {
    const held = this.#held.get(workbook);
    if (held === undefined) throw new WorkbookNotHeld(`the workbook ${workbook} is not held; open it again`);
    return held;
  }

  /** Marks the workbook as used and makes room for it. */
  #holdWorkbook(workbook: string, held: HeldWorkbook, { bytes, stopped }: CalculationReply): void {
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

  #drop(workbook: string, held: HeldWorkbook): void {
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
    const { replyTimeoutMs, heapMegabytes } = this.#limits;
    const limits = { replyTimeoutMs, heapMegabytes, usage: this.#usage, givesWay };
    const thread = new CalculationThread(limits, () => this.#forget(thread));
    return thread;
  }

  /** A thread has ended, and with it all workbooks in it. */
  #forget(thread: CalculationThread): void {
    this.#threads.delete(thread);
    if (this.#longThread === thread) this.#longThread = undefined;
    for (const [workbook, held] of this.#held) if (held.thread === thread) this.#held.delete(workbook);
  }
}

/** Sends cells that fit into one message; returns the time in milliseconds that the thread took to load them. */
async function send(thread: CalculationThread, transfer: number, chunk: SheetCells): Promise<number> {
  const { stopped, spentMs = 0 } = await thread.ask({ kind: 'cells', transfer, ...chunk });
  if (stopped !== undefined) throw new CalculationStopped(stopped.why);
  return spentMs;
}

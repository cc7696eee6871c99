import type {
  CellInput,
  DefinedName,
  Extent,
  FunctionFault,
  MostShown,
  SheetCells,
  SheetHead,
  ShownRun,
  Window,
} from '../calculation.ts';

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

/** What the thread is asked for. Cells come in portions, under a number that each transfer has of its own. */
export type Question =
  | {
      readonly kind: 'begin';
      readonly transfer: number;
      readonly sheets: readonly SheetHead[];
      readonly names: readonly DefinedName[];
    }
  | {
      readonly kind: 'cells';
      readonly transfer: number;
      readonly sheet: number;
      readonly cells: readonly CellInput[];
    }
  | { readonly kind: 'open'; readonly transfer: number; readonly workbook: string }
  | { readonly kind: 'change'; readonly transfer: number; readonly workbook: string }
  | { readonly kind: 'cancel'; readonly transfer: number }
  | {
      readonly kind: 'read';
      readonly workbook: string;
      /** Where its values are asked for; of the number of a sheet, how far it shows something. */
      readonly of: Window | number;
      /** How much may be answered; absent where it may be anything. */
      readonly most?: MostShown | undefined;
      /** What is left of its time, in milliseconds. */
      readonly forMs: number;
    }
  | { readonly kind: 'more' }
  /** Nobody asks for more of the answer to a question. */
  | { readonly kind: 'enough'; readonly of: number }
  | { readonly kind: 'drop'; readonly workbook: string };

/** What a thread is started with. */
export interface ThreadData {
  /** Not 0 where other questions wait: shared, for a thread that computes hears nothing. */
  readonly waiting: Int32Array<SharedArrayBuffer>;
}

/** Which answer belongs to which question. */
export type Asked = Question & { readonly id: number };

/** An answer; of values there may be more, which wait until they are asked for. */
export type Answer = {
  readonly id: number;
  /** How long the thread has worked on the question, in milliseconds, its turns together. */
  readonly spentMs?: number;
  /** What the workbook takes, in bytes. */
  readonly bytes?: number;
  readonly runs?: readonly ShownRun[];
  /** There are more values than may be answered. */
  readonly isTooMuch?: true;
  readonly extent?: Extent;
  readonly more?: boolean;
  /** Functions that have failed since the last answer. */
  readonly faults?: readonly FunctionFault[];
  /** The question gave way to others, and is to be asked again; or it came no further in its turn. */
  readonly gaveWay?: 'progressed' | 'stuck';
  /** The workbook is not held any more. */
  readonly isGone?: true;
  /** Why the workbook was not computed to the end, and whether it is held no longer. */
  readonly stopped?: { readonly why: string; readonly dropped: boolean };
};

/** Cells in one message, and characters of what stands in them: it holds up neither the event loop nor the thread. */
const CELLS_A_MESSAGE = 1_000;
const CHARACTERS_A_MESSAGE = 100_000;
/** Characters of formulas that are read before a thread looks whether others wait. */
const CHARACTERS_A_PIECE = 4_096;

/** Cells in portions that fit into a message each. */
export function portionsOf(cells: readonly CellInput[]): Generator<readonly CellInput[]> {
  return cut(cells, CELLS_A_MESSAGE, CHARACTERS_A_MESSAGE, textLength);
}

/** Cells in pieces that take a moment each: formulas are compiled as they are taken in. */
export function* piecesOf({ sheet, cells }: SheetCells): Generator<SheetCells> {
  for (const piece of cut(cells, CELLS_A_MESSAGE, CHARACTERS_A_PIECE, formulaLength))
    yield { sheet, cells: piece };
}

function textLength({ input }: CellInput): number {
  return typeof input === 'string' ? input.length : 1;
}

function formulaLength({ input }: CellInput): number {
  return typeof input === 'string' && input.startsWith('=') ? input.length : 0;
}

function* cut(
  cells: readonly CellInput[],
  mostCells: number,
  mostCharacters: number,
  lengthOf: (cell: CellInput) => number,
): Generator<readonly CellInput[]> {
  let start = 0;
  let characters = 0;
  for (const [at, cell] of cells.entries()) {
    characters += lengthOf(cell);
    if (at + 1 - start < mostCells && characters < mostCharacters) continue;
    yield cells.slice(start, at + 1);
    start = at + 1;
    characters = 0;
  }
  if (start < cells.length) yield cells.slice(start);
}

import type {
  CellInput,
  ColumnSpan,
  DefinedName,
  Extent,
  FunctionFault,
  MostShown,
  SheetCells,
  SheetHead,
  ShownRun,
  Window,
} from '../calculation.ts';

/** Reports function faults at a decreasing rate: a column of formulas may fail a million times. */
export class FaultReports {
  readonly #times = new Map<string, number>();
  listener: (fault: FunctionFault) => void = () => {};

  /** Adds faults and reports the functions that reach their first, tenth, hundredth fault and so on. */
  add(faults: readonly FunctionFault[]): void {
    for (const fault of faults) {
      const before = this.#times.get(fault.function) ?? 0;
      const times = before + fault.times;
      this.#times.set(fault.function, times);
      if (magnitude(times) > magnitude(before)) this.listener({ ...fault, times });
    }
  }
}

/** The number of digits of a count. */
function magnitude(times: number): number {
  return times === 0 ? 0 : String(times).length;
}

/** A request to the thread. Cells are sent in portions, identified by a number for each transfer. */
export type CalculationRequest =
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
      /** The window of the values; or the sheet, and perhaps its columns, whose extent is asked for. */
      readonly of: Window | ExtentRequest;
      /** Limits of the result; absent for none. */
      readonly most?: MostShown | undefined;
      /** The remaining time in milliseconds. */
      readonly forMs: number;
    }
  | { readonly kind: 'more' }
  /** No further portions of the result of a request are needed. */
  | { readonly kind: 'enough'; readonly of: number }
  | { readonly kind: 'drop'; readonly workbook: string };

/** Asks for the extent of a sheet, given by its index, or of some of its columns. */
export interface ExtentRequest {
  readonly extentOf: number;
  readonly columns?: ColumnSpan;
}

/** The start-up data of a thread. */
export interface ThreadData {
  /** Non-zero when other requests wait. Shared memory, since a calculating thread receives no messages. */
  readonly waiting: Int32Array<SharedArrayBuffer>;
}

/** A request with its id. */
export type NumberedRequest = CalculationRequest & { readonly id: number };

/** A reply; further values wait in the thread until they are requested. */
export type CalculationReply = {
  readonly id: number;
  /** The time that the thread worked on the request, in milliseconds, over all its turns. */
  readonly spentMs?: number;
  /** The memory of the workbook in bytes. */
  readonly bytes?: number;
  readonly runs?: readonly ShownRun[];
  /** The result exceeds the limits. */
  readonly isTooMuch?: true;
  readonly extent?: Extent;
  readonly more?: boolean;
  /** Function faults since the last reply. */
  readonly faults?: readonly FunctionFault[];
  /** The request yielded to others and must be sent again; `stuck`: it finished no formula in its turn. */
  readonly gaveWay?: 'progressed' | 'stuck';
  /** The workbook is no longer held. */
  readonly isGone?: true;
  /** Why the calculation stopped, and whether the workbook was dropped. */
  readonly stopped?: { readonly why: string; readonly dropped: boolean };
};

/** Cells, and characters of their inputs, in one message: small enough not to delay the event loop or the thread. */
const CELLS_A_MESSAGE = 1_000;
const CHARACTERS_A_MESSAGE = 100_000;
/** Characters of formulas that a thread compiles before it checks whether others wait. */
const CHARACTERS_A_PIECE = 4_096;

/** Cells in portions that fit into one message each. */
export function portionsOf(cells: readonly CellInput[]): Generator<readonly CellInput[]> {
  return split(cells, CELLS_A_MESSAGE, CHARACTERS_A_MESSAGE, textLength);
}

/** Cells in chunks that load quickly: loading compiles the formulas. */
export function* piecesOf({ sheet, cells }: SheetCells): Generator<SheetCells> {
  for (const piece of split(cells, CELLS_A_MESSAGE, CHARACTERS_A_PIECE, formulaLength))
    yield { sheet, cells: piece };
}

function textLength({ input }: CellInput): number {
  return typeof input === 'string' ? input.length : 1;
}

function formulaLength({ input }: CellInput): number {
  return typeof input === 'string' && input.startsWith('=') ? input.length : 0;
}

function* split(
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

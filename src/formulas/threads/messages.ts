import type {
  CellInput,
  DefinedName,
  Extent,
  FunctionFault,
  MostShown,
  SheetHead,
  ShownRun,
  Window,
} from '../calculation.ts';

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

import type { Spend } from '../steps.ts';
import type { Area, Grid, Scalar, Value } from '../values.ts';

/** The services of the calculation for a function. */
export interface CallContext {
  /** The cell of the running formula. */
  readonly cell: { readonly sheet: number; readonly row: number; readonly column: number };
  /** The time of the calculation as a serial number in UTC; the same for all cells. */
  readonly now: number;
  /** A random number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** A reference to an area, for functions that return references (OFFSET, INDEX); the `area` of a grid is one. */
  reference(area: Area): Grid;
  /** Parses a reference as INDIRECT does, in A1 or R1C1 notation: an area, a union or a defined name; else #REF!. */
  referenceOf(text: string, notation: 'A1' | 'R1C1'): Value;
  /** The names of the sheets in order; the `sheet` of an area is an index into them. */
  readonly sheets: readonly string[];
  /** The formula of a cell as written, with "="; undefined for a cell without one. */
  formula(sheet: number, row: number, column: number): string | undefined;
  /** Why a row is hidden; undefined for a shown one. */
  hiddenReason(sheet: number, row: number): 'byHand' | 'byFilter' | undefined;
  /** Counts work that grows with the input; throws when a limit is exceeded. May be passed on to other functions. */
  readonly spend: Spend;
}

/**
 * How the engine passes an argument. `number`, `text`, `logical` and `scalar` are single values: for a grid, the
 * function is called for each cell and returns a grid (`scalar` is not converted). `grid` is a computed array or a
 * reference, a single value as a grid of one cell; `any` is the value unchanged.
 */
interface Arguments {
  number: number;
  text: string;
  logical: boolean;
  scalar: Scalar;
  grid: Grid;
  any: Value;
}
export type Parameter = keyof Arguments;

/** A formula function, called with evaluated and converted arguments. */
export interface FormulaFunction {
  /** In upper case, without the file prefix `_xlfn.`. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** The number of required arguments; the others may be undefined. */
  readonly required: number;
  /** How many of the last parameters repeat: 1 for SUM, 2 for SUMIFS. */
  readonly repeats?: number;
  /** Its result changes without a change of its arguments. */
  readonly volatile?: true;
  /** For arrays it returns arrays of references, as INDIRECT and OFFSET do. */
  readonly makesReferences?: true;
  /** For an array of references it is called for each one, as every function is for a `grid` parameter. */
  readonly eachReference?: true;
  /** Comes from an Excel add-in: it rejects logicals as numbers, and an argument omitted between commas is #N/A. */
  readonly addIn?: true;
  /**
   * What counts as an omitted argument: nothing between two commas, or also an empty cell, as in functions of the
   * Analysis ToolPak. For other functions both are 0, FALSE or an empty text.
   */
  readonly leftOutBy?: 'gap' | 'emptyCell';
  /**
   * Accepts errors as arguments: all of them, or `exceptAsCells` those that do not stand where a `grid` belongs, such as a
   * criterion. An error that is accepted nowhere is the result, without a call.
   */
  readonly takesErrors?: true | 'exceptAsCells';
  readonly call: (given: readonly never[], context: CallContext) => Value;
}

type Given<P extends readonly Parameter[], R extends number> = {
  [K in keyof P]: K extends `${number}` ? Present<P, K, R> : Arguments[P[K]];
};
type Below<R extends number, Places extends readonly unknown[] = []> = Places['length'] extends R
  ? Extract<keyof Places, `${number}`>
  : Below<R, readonly [...Places, unknown]>;
type Present<P extends readonly Parameter[], K extends keyof P, R extends number> = P[K] extends Parameter
  ? K extends Below<R>
    ? Arguments[P[K]]
    : Arguments[P[K]] | undefined
  : never;

interface Options<R extends number> {
  /** The number of required arguments; default: all. */
  readonly required?: R;
  readonly repeats?: number;
  readonly volatile?: true;
  readonly takesErrors?: FormulaFunction['takesErrors'];
  readonly addIn?: true;
  readonly leftOutBy?: FormulaFunction['leftOutBy'];
  readonly makesReferences?: true;
  readonly eachReference?: true;
}

/**
 * Defines a function with argument types from its parameters; arguments after `required` may be undefined. When
 * the last parameters repeat, `call` gets their first values as arguments and the others as rest arguments.
 */
export function define<const P extends readonly Parameter[], const R extends number = P['length']>(
  name: string,
  parameters: P,
  call: (given: Given<P, R>, context: CallContext) => Value,
  options: Options<R> = {},
): FormulaFunction {
  return { name, parameters, required: parameters.length, ...options, call: call as FormulaFunction['call'] };
}

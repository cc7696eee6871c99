import type { Spend } from '../spending.ts';
import type { Area, Grid, Scalar, Value } from '../values.ts';

/** What a function may ask of the calculation that calls it. */
export interface CallContext {
  /** The cell whose formula runs. */
  readonly cell: { readonly sheet: number; readonly row: number; readonly column: number };
  /** The moment of this calculation, as a serial number in UTC: one for all cells. */
  readonly now: number;
  /** A number from 0 up to 1. */
  random(): number;
  /** The cells of an area: for what makes references (OFFSET, INDEX). Those of a grid with `area` can be asked for so. */
  reference(area: Area): Grid;
  /** What a text refers to, as INDIRECT reads it, in A1 or R1C1 notation: an area, a union or a defined name; #REF! of no such reference. */
  referenceOf(text: string, notation: 'A1' | 'R1C1'): Value;
  /** The names of the sheets in their order; an area's `sheet` is a place in it. */
  readonly sheets: readonly string[];
  /** The formula of a cell with its "=", as it was written; undefined of a cell without one. */
  formula(sheet: number, row: number, column: number): string | undefined;
  /** Why a row is not shown; undefined of one that is. */
  whyHidden(sheet: number, row: number): 'byHand' | 'byFilter' | undefined;
  /** Counts work that grows with what was asked; throws to end a calculation that has used up its share. May be handed on. */
  readonly spend: Spend;
}

/**
 * How the engine hands over an argument. `number`, `text`, `logical` and `scalar` are single values: where a formula
 * gives them a grid, the function is called for each of its cells and answers a grid (`scalar` is not converted).
 * `grid` is a computed array or a reference, a single value as a grid of one cell; `any` is the value as it is.
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

/** A function of formulas, called with arguments already evaluated and converted. */
export interface FormulaFunction {
  /** In capitals, without the `_xlfn.` that files put before newer names. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** How many arguments must be there; the others are undefined when absent. */
  readonly required: number;
  /** The last so many parameters may come again and again: 1 of SUM, 2 of SUMIFS. */
  readonly repeats?: number;
  /** Its answer changes though its arguments do not. */
  readonly volatile?: true;
  /** Of arrays it makes arrays of references, as INDIRECT and OFFSET do. */
  readonly makesReferences?: true;
  /** It is called for each reference of an array of them, as every function is for a parameter that is a `grid`. */
  readonly eachReference?: true;
  /** Excel took it over from an add-in: truth values are no numbers to it, and an argument left out between commas is #N/A. */
  readonly addIn?: true;
  /**
   * What leaves out an argument in its place: nothing between two commas, or an empty cell as well, as in functions of the
   * Analysis ToolPak. To others both are 0, FALSE or an empty text.
   */
  readonly leftOutBy?: 'gap' | 'emptyCell';
  /** It wants errors as arguments; otherwise the first error among single values is the answer, without a call. */
  readonly takesErrors?: true;
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
  /** How many arguments must be there; all when absent. */
  readonly required?: R;
  readonly repeats?: number;
  readonly volatile?: true;
  readonly takesErrors?: true;
  readonly addIn?: true;
  readonly leftOutBy?: FormulaFunction['leftOutBy'];
  readonly makesReferences?: true;
  readonly eachReference?: true;
}

/**
 * Declares a function: its arguments have the types of its parameters, those after `required` may be undefined. Of one
 * whose last parameters repeat, `call` takes the first of them by place and all that follow as a rest.
 */
export function define<const P extends readonly Parameter[], const R extends number = P['length']>(
  name: string,
  parameters: P,
  call: (given: Given<P, R>, context: CallContext) => Value,
  options: Options<R> = {},
): FormulaFunction {
  return { name, parameters, required: parameters.length, ...options, call: call as FormulaFunction['call'] };
}

import type { CallContext } from '../functions/function.ts';
import type { Area, Grid, Scalar, Value } from '../values.ts';

/** A function made by LAMBDA, with the values of names that it was made among, or one that is named as a value, as SUM. */
export class Lambda {
  readonly parameters: number;
  readonly body: Code;
  readonly captured: readonly Result[];
  /** How many arguments it wants where it can take more. */
  readonly wanted: number;

  constructor(parameters: number, body: Code, captured: readonly Result[], wanted = parameters) {
    this.parameters = parameters;
    this.body = body;
    this.captured = captured;
    this.wanted = wanted;
  }
}

/** Stands for an argument that a LAMBDA, or a function, was not given. */
export class Omitted {}
export const OMITTED = new Omitted();

/** What running code comes to: a value, or what only code itself knows of. */
export type Result = Value | Lambda | Omitted;

/** What running code asks of the calculation. */
export interface Host extends CallContext {
  /** To be called for each cell of a walk: looks at the clock now and then, also between walks through few cells each. */
  readonly look: () => void;
  /** The cells of an area that the formula names. */
  grid(area: Area): Grid;
  /** The value of one cell. */
  read(sheet: number, row: number, column: number): Scalar;
  /** Sees to it that all values of a reference are known, before they are asked for one by one. */
  demand(area: Area): void;
  /** What to throw for what a function threw. */
  failed(functionName: string, thrown: unknown): unknown;
  /** What the formula of a cell has spilled over, with the cell; undefined when it has not. */
  spilled(sheet: number, row: number, column: number): Area | undefined;
}

/** One run of a formula, or of the body of a LAMBDA in it. */
export interface Scope {
  readonly host: Host;
  readonly row: number;
  readonly column: number;
  readonly sheet: number;
  /** The values of LET and of parameters, by the place that the compiler gave their names. */
  readonly locals: Result[];
  readonly depth: number;
}

export type Code = (scope: Scope) => Result;

/** A grid that is there as soon as it is asked for; the cells of a reference may have to be computed first. */
export function settled(grid: Grid, host: Host): Grid {
  if (grid.area !== undefined) host.demand(grid.area);
  return grid;
}

import type { CallContext } from '../functions/function.ts';
import { isGrid } from '../grids.ts';
import { lift } from '../lifting.ts';
import type { SyntaxNode } from '../syntax/parse.ts';
import { type Area, CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../values.ts';
import type { Cell, Reference, SheetFinder } from './references.ts';

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

/** What a name of the workbook stands for: code, and what it names in its turn. */
export interface NamedCode {
  readonly code: Code;
  readonly references: readonly Reference[];
  readonly volatile: boolean;
}

/** What the workbook answers the compiler. */
export interface Surroundings {
  readonly findSheet: SheetFinder;
  /** A defined name as a sheet sees it, in any case. */
  findName(name: string, sheet: number): NamedCode | undefined;
}

/** A formula under way from its syntax to code. */
export interface Compiler {
  readonly surroundings: Surroundings;
  /** The cell in which its references were written. */
  readonly base: Cell;
  readonly references: Reference[];
  volatile: boolean;
  /** Names of LET and LAMBDA in whose reach the node stands, in capitals; the last goes before. */
  readonly locals: readonly string[];
  readonly depth: number;
  /** The code of a node within; an argument left out is an empty value. */
  compile(node: SyntaxNode | null, within: Compiler): Code;
  /** The same where only a value is wanted: a reference to one cell is read. */
  compileOperand(node: SyntaxNode | null, within: Compiler): Code;
}

/** A result as a value: what only code knows of is none. */
export function plainValue(result: Result): Value {
  if (result instanceof Lambda) return ERROR['#CALC!'];
  return result instanceof Omitted ? null : result;
}

/** A result where a single value is computed with: a grid of one cell is its value, larger ones stay for lifting. */
export function operandOf(result: Result, host: Host): Value {
  const value = plainValue(result);
  if (value instanceof Union) return ERROR['#VALUE!'];
  if (!isGrid(value)) return value;
  if (value.rows === 1 && value.columns === 1) return value.at(0, 0);
  return settled(value, host);
}

/** Whether a value is single; the test that runs most often. */
export function isScalar(value: Result): value is Scalar {
  return typeof value !== 'object' || value === null || value instanceof CellError;
}

/** Computes with operands that may be grids. */
export function computeLifted(
  operands: readonly Value[],
  compute: (values: readonly Scalar[]) => Scalar,
  scope: Scope,
): Value {
  return lift(operands, compute, scope.host.spend);
}

/** Code of one operand. */
export function operandCode(code: Code): Code {
  return (scope) => {
    const result = code(scope);
    return isScalar(result) ? result : operandOf(result, scope.host);
  };
}

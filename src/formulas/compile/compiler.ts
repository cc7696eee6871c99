import type { CallContext } from '../functions/function.ts';
import { isGrid } from '../grids.ts';
import { lift } from '../lift.ts';
import type { SyntaxNode } from '../syntax/parse.ts';
import { type Area, CellError, ERROR, type Grid, type Scalar, Union, type Value } from '../values.ts';
import type { Cell, Reference, SheetFinder } from './references.ts';

/** A function made by LAMBDA, with its captured local values, or a named function used as a value, such as SUM. */
export class Lambda {
  readonly parameters: number;
  readonly body: Code;
  readonly captured: readonly Result[];
  /** How many arguments GROUPBY gives it: what a function requires, or all parameters of a LAMBDA. */
  readonly wanted: number;
  /** The least number of arguments. */
  readonly required: number;

  constructor(
    parameters: number,
    body: Code,
    captured: readonly Result[],
    { wanted = parameters, required = wanted }: { wanted?: number; required?: number } = {},
  ) {
    this.parameters = parameters;
    this.body = body;
    this.captured = captured;
    this.wanted = wanted;
    this.required = required;
  }
}

/** An argument that was not passed to a LAMBDA or a function. */
export class Omitted {}
export const OMITTED = new Omitted();

/** The result of running code: a value, or a kind of result that only code handles. */
export type Result = Value | Lambda | Omitted;

/** The services of the calculation for running code. */
export interface Host extends CallContext {
  /** Call it for each cell of a loop: checks the clock at intervals, also across short loops. */
  readonly tick: () => void;
  /** The cells of an area that the formula references. */
  grid(area: Area): Grid;
  /** The value of one cell. */
  read(sheet: number, row: number, column: number): Scalar;
  /** Ensures that all values of a reference are computed, before they are read one by one. */
  demand(area: Area): void;
  /** The error to throw for an error that a function threw. */
  failed(functionName: string, thrown: unknown): unknown;
  /** The spill range of the formula of a cell, including the cell; undefined without a formula. */
  spillArea(sheet: number, row: number, column: number): Area | undefined;
}

/** One run of a formula, or of the body of a LAMBDA in it. */
export interface Scope {
  readonly host: Host;
  readonly row: number;
  readonly column: number;
  readonly sheet: number;
  /** The values of LET names and parameters, by the index that the compiler assigned. */
  readonly locals: Result[];
  readonly depth: number;
}

export type Code = (scope: Scope) => Result;

/** Ensures that the cells of a grid are computed; those of a reference may be stale. */
export function demandGrid(grid: Grid, host: Host): Grid {
  if (grid.area !== undefined) host.demand(grid.area);
  return grid;
}

/** The code of a defined name, and its own references. */
export interface NamedCode {
  readonly code: Code;
  readonly references: readonly Reference[];
  readonly volatile: boolean;
}

/** The names and sheets of the workbook, for the compiler. */
export interface Surroundings {
  readonly findSheet: SheetFinder;
  /** The defined name visible on a sheet, case-insensitive. */
  findName(name: string, sheet: number): NamedCode | undefined;
}

/** The state of compiling a syntax tree to code. */
export interface Compiler {
  readonly surroundings: Surroundings;
  /** The cell that relative references are relative to. */
  readonly base: Cell;
  readonly references: Reference[];
  volatile: boolean;
  /** The visible names of LET and LAMBDA in upper case; the last one takes precedence. */
  readonly locals: readonly string[];
  readonly depth: number;
  /** Compiles a child node; an omitted argument is an empty value. */
  compile(node: SyntaxNode | null, within: Compiler): Code;
  /** The same for operands: a reference to one cell is read directly. */
  compileOperand(node: SyntaxNode | null, within: Compiler): Code;
}

/** Converts a result to a value: a LAMBDA is an error, an omitted argument is empty. */
export function plainValue(result: Result): Value {
  if (result instanceof Lambda) return ERROR['#CALC!'];
  return result instanceof Omitted ? null : result;
}

/** Converts a result to an operand: a grid of one cell becomes its value; larger grids stay for lifting. */
export function operandOf(result: Result, host: Host): Value {
  const value = plainValue(result);
  if (value instanceof Union) return ERROR['#VALUE!'];
  if (!isGrid(value)) return value;
  if (value.rows === 1 && value.columns === 1) return value.at(0, 0);
  return demandGrid(value, host);
}

/** Whether a result is a single value; the most frequent test. */
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

/** Wraps code to return an operand. */
export function operandCode(code: Code): Code {
  return (scope) => {
    const result = code(scope);
    return isScalar(result) ? result : operandOf(result, scope.host);
  };
}

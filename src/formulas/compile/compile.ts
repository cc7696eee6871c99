import { finiteOrError } from '../conversions.ts';
import { isGrid, makeGrid } from '../grids.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../limits.ts';
import { FormulaSyntaxError, parseFormula } from '../syntax/parse.ts';
import { templateOf } from '../syntax/template.ts';
import { ERROR, type Scalar, Union, type Value } from '../values.ts';
import {
  type Code,
  type Compiler,
  demandGrid,
  type Host,
  plainValue,
  type Result,
  type Surroundings,
} from './compiler.ts';
import { compileNode, compileOperand } from './expressions.ts';
import type { Cell, Reference } from './references.ts';

/** A compiled formula; cells with the same template share it. */
export interface Program {
  readonly template: string;
  readonly code: Code;
  /** All references in the formula, evaluated or not. */
  readonly references: readonly Reference[];
  readonly volatile: boolean;
}

/** Compiles a formula, which starts with "="; a syntax error compiles to #ERROR!. */
export function compileFormula(formula: string, base: Cell, surroundings: Surroundings): Program {
  const template = templateOf(formula, base.row, base.column);
  const compiler: Compiler = {
    surroundings,
    base,
    references: [],
    volatile: false,
    locals: [],
    depth: 0,
    compile: compileNode,
    compileOperand,
  };
  try {
    const code = compileNode(parseFormula(formula), compiler);
    return { template, code, references: compiler.references, volatile: compiler.volatile };
  } catch (cause) {
    if (!(cause instanceof FormulaSyntaxError)) throw cause;
    return { template, code: () => ERROR['#ERROR!'], references: [], volatile: false };
  }
}

/**
 * The result of a whole formula: a single value, or a grid with computed values that spills. Infinite numbers
 * become errors, whichever function returned them: JSON cannot represent them.
 */
export function gridValue(result: Result, host: Host): Value {
  const value = plainValue(result);
  if (value instanceof Union) return ERROR['#VALUE!'];
  if (!isGrid(value)) return shownScalar(value);
  if (value.rows === 0 || value.columns === 0) return ERROR['#CALC!'];
  if (value.rows === 1 && value.columns === 1) return shownScalar(value.at(0, 0));
  if (host.cell.row + value.rows > MAX_ROWS || host.cell.column + value.columns > MAX_COLUMNS)
    return ERROR['#SPILL!'];
  host.spend(value.rows * value.columns);
  const known = demandGrid(value, host);
  return makeGrid(known, (row, column) => shownScalar(known.at(row, column)), host.spend);
}

function shownScalar(value: Scalar): Scalar {
  return typeof value === 'number' ? finiteOrError(value) : value;
}

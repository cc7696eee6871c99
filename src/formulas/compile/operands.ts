import { isGrid } from '../grids.ts';
import { lift } from '../lifting.ts';
import { CellError, ERROR, type Scalar, Union, type Value } from '../values.ts';
import { type Code, type Host, Lambda, Omitted, type Result, type Scope, settled } from './code.ts';

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

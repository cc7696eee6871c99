import { finite } from '../conversions.ts';
import type { Spend } from '../spending.ts';
import { CellError, type NumericResult, type Value } from '../values.ts';
import type { CallContext, FormulaFunction } from './function.ts';
import { type CellReading, collectNumbers, numbersOnly } from './numbers.ts';

/**
 * Declares a function of single numbers; truth values are asked for as numbers too. An answer that is not finite is #NUM!.
 * @param least how many arguments must be there
 * @param most how many may be there
 */
export function numeric(
  name: string,
  least: number,
  most: number,
  compute: (...given: number[]) => NumericResult,
  options: Pick<FormulaFunction, 'addIn' | 'leftOutBy'> = {},
): FormulaFunction {
  return {
    name,
    parameters: new Array(most).fill('number'),
    required: least,
    ...options,
    call: (given: readonly number[]) => answer(compute(...given)),
  };
}

/** Declares a distribution: numbers, and last whether what lies below is asked for (1) or the density (0). */
export function distribution(
  name: string,
  count: number,
  compute: (...given: number[]) => NumericResult,
): FormulaFunction {
  return {
    name,
    parameters: [...new Array(count - 1).fill('number'), 'logical'],
    required: count,
    call: (given: readonly (number | boolean)[]) => answer(compute(...given.map(Number))),
  };
}

/** Declares a function of all the numbers that its arguments hold, as many as there are. */
export function statistic(
  name: string,
  compute: (numbers: readonly number[], spend: Spend) => NumericResult,
  reading: CellReading = numbersOnly,
): FormulaFunction {
  return {
    name,
    parameters: ['any'],
    required: 1,
    repeats: 1,
    call: (given: readonly Value[], context: CallContext) => {
      const numbers = collectNumbers(given, reading);
      if (numbers instanceof CellError) return numbers;
      context.spend(numbers.length);
      return answer(compute(numbers, context.spend));
    },
  };
}

/** The same function under another name, such as the one it had before Excel 2010. */
export function alias(name: string, original: FormulaFunction): FormulaFunction {
  return { ...original, name };
}

function answer(value: NumericResult): NumericResult {
  return value instanceof CellError ? value : finite(value);
}

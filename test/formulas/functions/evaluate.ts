import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CellError } from '../../../src/formulas/values.ts';
import { Workbook } from '../../../src/formulas/workbook/workbook.ts';

/** Rows of inputs from A1 on; null is an empty cell. */
export type Cells = readonly (readonly (number | string | boolean | null)[])[];

/** What a formula, here without its "=", shows; errors are their codes. */
export type Expected = readonly [formula: string, shown: number | string | boolean];

/** Where formulas stand: away from the inputs, and from one another when they spill. */
const COLUMN = 40;
const ROWS_APART = 50;
const TIME_MS = 10_000;

/**
 * Computes formulas, all in one sheet with some inputs, and checks what each shows.
 * @param digits in how many digits numbers have to agree: documentation prints few
 */
export function checkFormulas(expected: readonly Expected[], inputs: Cells = [], digits = 12): void {
  const values = evaluate(
    expected.map(([formula]) => formula),
    inputs,
  );
  for (const [index, [formula, shown]] of expected.entries()) {
    it(`=${formula} is ${JSON.stringify(shown)}`, () => assertShown(values[index], shown, digits));
  }
}

/** The values of some formulas in a sheet with some inputs. */
export function evaluate(formulas: readonly string[], inputs: Cells = []): (number | string | boolean)[] {
  const workbook = new Workbook([{ name: 'Sheet1' }]);
  const given = inputs.flatMap((row, at) => row.map((input, column) => ({ row: at, column, input })));
  const asked = formulas.map((formula, at) => ({
    row: at * ROWS_APART,
    column: COLUMN,
    input: `=${formula}`,
  }));
  workbook.change({ sheet: 0, cells: [...given.filter(({ input }) => input !== null), ...asked] });
  workbook.calculate(TIME_MS);
  return asked.map(({ row }) => {
    const value = workbook.value(0, row, COLUMN);
    return value instanceof CellError ? value.code : (value ?? '');
  });
}

function assertShown(actual: unknown, shown: number | string | boolean, digits: number): void {
  if (typeof shown === 'number' && typeof actual === 'number') {
    assert.ok(Math.abs(actual - shown) <= Math.abs(shown) * 10 ** -digits, `${actual} is not ${shown}`);
  } else {
    assert.equal(actual, shown);
  }
}

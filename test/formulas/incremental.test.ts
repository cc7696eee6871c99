import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CellInput, SheetCells } from '../../src/formulas/calculation.ts';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';
import { NOW_MS } from './worlds.ts';

const ROWS = 9;
const COLUMNS = 6;
const SHEETS = ['Sheet1', 'Other'];

const row = fc.integer({ min: 1, max: ROWS });
const column = fc.constantFrom(...'ABCDEF');
const prefix = fc.constantFrom('', '', '', 'Other!', 'Sheet1!');
const cell = fc.tuple(prefix, column, row).map((parts) => parts.join(''));
const range = fc
  .tuple(prefix, column, row, column, row)
  .map(([sheet, left, top, right, bottom]) => `${sheet}${left}${top}:${right}${bottom}`);
const large = fc.constantFrom('A:A', 'B:C', '2:2', 'A1:B200', 'Other!A:B', 'C3:F90');

const formula = fc.oneof(
  fc.tuple(cell, cell).map(([a, b]) => `=${a}+${b}`),
  cell.map((a) => `=${a}`),
  range.map((a) => `=REDUCE(0,${a},LAMBDA(x,y,IFERROR(x+y,x)))`),
  large.map((a) => `=REDUCE(0,${a},LAMBDA(x,y,IFERROR(x+y,x+1)))`),
  fc.tuple(cell, cell, cell).map(([a, b, c]) => `=IF(${a}>2,${b},${c})`),
  fc.tuple(cell, cell).map(([a, b]) => `=IFERROR(${a},${b})`),
  range.map((a) => `=${a}*2`),
  cell.map((a) => `=MAKEARRAY(MIN3(${a}),2,LAMBDA(r,c,r+c))`),
  cell.map((a) => `=IFERROR(${a}#,7)`),
  fc.tuple(cell, cell).map(([a, b]) => `=LET(x,${a},x&${b})`),
  fc.tuple(cell, range).map(([a, b]) => `=CHOOSE(MIN3(${a}),1,${b},${a})`),
  fc.tuple(cell, cell).map(([a, b]) => `=BYROW(${a}:${b},LAMBDA(r,REDUCE(0,r,LAMBDA(x,y,IFERROR(x+y,x)))))`),
);
const input: fc.Arbitrary<CellInput['input']> = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(true, 'text', '3') },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 4, arbitrary: formula },
);
const change: fc.Arbitrary<SheetCells> = fc.record({
  sheet: fc.nat({ max: 1 }),
  cells: fc.array(
    fc.record({ row: fc.nat({ max: ROWS - 1 }), column: fc.nat({ max: COLUMNS - 1 }), input }),
    {
      minLength: 1,
      maxLength: 8,
    },
  ),
});

/** A number from 1 to 3 made of anything, so that arrays stay small. */
const NAMES = [{ name: 'MIN3', formula: '=LAMBDA(v,IFERROR(IF(v>3,3,IF(v<1,1,v)),1))' }];

function contentOf(workbook: Workbook): unknown {
  workbook.calculate(10_000, NOW_MS);
  const window = { top: 0, left: 0, bottom: 40, right: 40 };
  return SHEETS.map((_, sheet) => [...workbook.rows({ sheet, ...window })]);
}

/** The last input of each cell, in the order of the cells. */
function finalOf(changes: readonly SheetCells[]): SheetCells[] {
  const finals = SHEETS.map(() => new Map<string, CellInput>());
  for (const { sheet, cells } of changes) {
    for (const one of cells) finals[sheet]?.set(`${one.row},${one.column}`, one);
  }
  return finals.map((cells, sheet) => ({
    sheet,
    cells: [...cells.values()].sort((a, b) => a.row - b.row || a.column - b.column),
  }));
}

describe('a workbook that was changed step by step', () => {
  it('shows what it shows when it is computed from its last inputs at once', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const stepwise = new Workbook(SHEETS, NAMES);
        for (const one of changes) {
          stepwise.change(one);
          stepwise.calculate(10_000, NOW_MS);
        }
        const atOnce = new Workbook(SHEETS, NAMES);
        for (const one of finalOf(changes)) atOnce.change(one);
        assert.deepEqual(contentOf(stepwise), contentOf(atOnce));
      }),
      { numRuns: Number(process.env.RUNS ?? 500) },
    );
  });
});

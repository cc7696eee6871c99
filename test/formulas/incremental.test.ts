import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CellInput, SheetCells } from '../../src/formulas/calculation.ts';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';
import { NOW_MS } from './worlds.ts';

const ROWS = 9;
const COLUMNS = 6;
/** Arrays read earlier sheets only: one that is computed from what it spills over is a circle that needs not come to rest. */
const SHEETS = ['First', 'Second', 'Third'];
const HEADS = SHEETS.map((name) => ({ name }));

const row = fc.integer({ min: 1, max: ROWS });
const column = fc.constantFrom(...'ABCDEF');

/** Formulas that come to one value. */
function scalarFormula(sheet: number): fc.Arbitrary<string> {
  const prefix = fc.constantFrom('', '', '', ...SHEETS.slice(0, sheet + 1).map((name) => `${name}!`));
  const cell = fc.tuple(prefix, column, row).map((parts) => parts.join(''));
  const range = fc
    .tuple(prefix, column, row, column, row)
    .map(([from, left, top, right, bottom]) => `${from}${left}${top}:${right}${bottom}`);
  const large = fc.constantFrom('A:A', 'B:C', '2:2', 'First!3:4', 'A1:B200', 'First!A:B', 'C3:F90');
  return fc.oneof(
    fc.tuple(cell, cell).map(([a, b]) => `=${a}+${b}`),
    cell.map((a) => `=${a}`),
    range.map((a) => `=SUM(${a})`),
    large.map((a) => `=SUM(${a})`),
    large.map((a) => `=COUNTA(${a})`),
    fc.tuple(cell, cell, cell).map(([a, b, c]) => `=IF(${a}>2,${b},${c})`),
    fc.tuple(cell, cell).map(([a, b]) => `=IFERROR(${a},${b})`),
    cell.map((a) => `=IFERROR(SUM(${a}#),7)`),
    fc.tuple(cell, cell).map(([a, b]) => `=LET(x,${a},x&${b})`),
    fc.tuple(cell, range).map(([a, b]) => `=CHOOSE(SMALL3(${a}),1,SUM(${b}),${a})`),
    fc.tuple(cell, cell).map(([a, b]) => `=SUM(OFFSET(${a},1,0,SMALL3(${b}),2))`),
    fc.tuple(cell, range).map(([a, b]) => `=@INDEX(${b},SMALL3(${a}),1)`),
    fc.tuple(column, cell).map(([a, b]) => `=INDIRECT("${a}"&SMALL3(${b}))`),
    range.map((a) => `=SUMPRODUCT((${a}=2)*1)`),
    fc.tuple(cell, range).map(([a, b]) => `=IFERROR(VLOOKUP(${a},${b},1,FALSE),"none")`),
  );
}

/** Formulas that spill. */
function arrayFormula(sheet: number): fc.Arbitrary<string> {
  const from = fc.constantFrom(...SHEETS.slice(0, sheet));
  const cell = fc.tuple(from, column, row).map(([name, ...at]) => `${name}!${at.join('')}`);
  const range = fc.tuple(cell, column, row).map(([start, ...end]) => `${start}:${end.join('')}`);
  return fc.oneof(
    range.map((a) => `=${a}*2`),
    cell.map((a) => `=MAKEARRAY(SMALL3(${a}),2,LAMBDA(r,c,r+c))`),
    cell.map((a) => `=SEQUENCE(SMALL3(${a}))&${a}`),
    cell.map((a) => `=IFERROR(${a}#,7)`),
    range.map((a) => `=BYROW(${a},LAMBDA(r,SUM(r)))`),
  );
}

function inputOf(sheet: number): fc.Arbitrary<CellInput['input']> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 5 }) },
    { weight: 1, arbitrary: fc.constantFrom(true, 'text', '3') },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: scalarFormula(sheet) },
    ...(sheet > 0 ? [{ weight: 2, arbitrary: arrayFormula(sheet) }] : []),
  );
}

const change: fc.Arbitrary<SheetCells> = fc.nat({ max: SHEETS.length - 1 }).chain((sheet) => {
  const one = fc.record({
    row: fc.nat({ max: ROWS - 1 }),
    column: fc.nat({ max: COLUMNS - 1 }),
    input: inputOf(sheet),
  });
  return fc.record({ sheet: fc.constant(sheet), cells: fc.array(one, { minLength: 1, maxLength: 8 }) });
});

/** A number from 1 to 3 made of anything, so that arrays stay small. */
const NAMES = [{ name: 'SMALL3', formula: '=LAMBDA(v,IFERROR(IF(v>3,3,IF(v<1,1,v)),1))' }];

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
        const stepwise = new Workbook(HEADS, NAMES);
        for (const one of changes) {
          stepwise.change(one);
          stepwise.calculate(10_000, NOW_MS);
        }
        const atOnce = new Workbook(HEADS, NAMES);
        for (const one of finalOf(changes)) atOnce.change(one);
        assert.deepEqual(contentOf(stepwise), contentOf(atOnce));
      }),
      { numRuns: 100, interruptAfterTimeLimit: 60_000 },
    );
  });
});

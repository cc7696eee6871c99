import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CellInput } from '../../src/formulas/calculation.ts';
import { Column, Texts } from '../../src/formulas/cells/column.ts';
import { ColumnIndexes } from '../../src/formulas/cells/column-index.ts';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';
import { cellsOf, NOW_MS, shown } from './worlds.ts';

const ROWS = 14;

const plain = fc.constantFrom<CellInput['input']>(
  ...[0, -0, 1, 2, 0.1, true, false, null, 'a', 'A', 'ab', 'aB', 'a*', '1', 'ß', 'ss', 'İ', 'i̇', 'TRUE'],
);
const row = fc.integer({ min: 1, max: ROWS });
/** Formulas in the columns that are looked through: some wait for others, for lookups too, or are errors or spill. */
const computed = fc.oneof(
  row.map((at) => `=C${at}`),
  row.map((at) => `=C${at}&""`),
  fc.tuple(row, row).map(([a, b]) => `=IFERROR(MATCH(C${a},B1:B${b},0),"none")`),
  fc.constantFrom('=1/0', '=NA()', '=""', '="A"', '=1=1'),
);
const looked = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 2, arbitrary: computed });

const wanted = fc.oneof(
  fc.constantFrom('0', '1', '0.1', 'TRUE', '"a"', '"A"', '"AB"', '"a*"', '"a~*"', '"?"', '"1"', '""', '"ẞ"'),
  fc.constantFrom('"İ"', '"i̇"', 'NA()', 'Z50'),
  row.map((at) => `C${at}`),
);
const range = fc.oneof(
  fc.constant('A:A'),
  fc.tuple(row, row).map(([a, b]) => `A${Math.min(a, b)}:A${Math.max(a, b)}`),
);
const lookup = fc.oneof(
  fc.tuple(wanted, range).map(([a, b]) => `=MATCH(${a},${b},0)`),
  fc.tuple(wanted, range, fc.constantFrom('0', '2'), fc.constantFrom('1', '-1')).map((parts) => {
    const [a, b, matching, searching] = parts;
    return `=XMATCH(${a},${b},${matching},${searching})`;
  }),
  wanted.map((a) => `=VLOOKUP(${a},A2:B${ROWS},2,FALSE)`),
  wanted.map((a) => `=XLOOKUP(${a},A1:A9,B1:B9,"none",0,-1)`),
  wanted.map((a) => `=HLOOKUP(${a},A1:C4,2,FALSE)`),
  fc.tuple(wanted, range).map(([a, b]) => `=COUNTIF(${b},${a})`),
  fc.tuple(wanted, range).map(([a, b]) => `=SUMIF(${b},${a})`),
);

function columnCells(place: number, inputs: readonly CellInput['input'][]): CellInput[] {
  return inputs.map((input, at) => ({ row: at, column: place, input }));
}

/** Where lookups stand: far from what they look through. */
function lookupCells(lookups: readonly string[]): CellInput[] {
  return columnCells(9, lookups);
}

function answers(workbook: Workbook, count: number): unknown[] {
  workbook.calculate(10_000, NOW_MS);
  return Array.from({ length: count }, (_, at) => workbook.value(0, at, 9));
}

describe('lookups that are repeated', () => {
  it('answer what each answers alone, before and after a change', () => {
    const columns = fc.tuple(
      ...[looked, looked, plain].map((cell) => fc.array(cell, { minLength: ROWS, maxLength: ROWS })),
    );
    const changes = fc.array(fc.record({ row: fc.nat(ROWS - 1), column: fc.nat(2), input: plain }));
    const lookups = fc.array(lookup, { minLength: 20, maxLength: 30 });
    fc.assert(
      fc.property(columns, changes, lookups, (inputs, changed, formulas) => {
        const cells = inputs.flatMap((column, place) => columnCells(place, column));
        const together = new Workbook([{ name: 'Sheet1' }]);
        together.change({ sheet: 0, cells: [...cells, ...lookupCells(formulas)] });
        const alone = formulas.map((formula) => {
          const workbook = new Workbook([{ name: 'Sheet1' }]);
          workbook.change({ sheet: 0, cells: [...cells, ...lookupCells([formula])] });
          return workbook;
        });
        const once = () => alone.map((workbook) => answers(workbook, 1)[0]);
        assert.deepEqual(answers(together, formulas.length), once());
        for (const workbook of [together, ...alone]) workbook.change({ sheet: 0, cells: changed });
        assert.deepEqual(answers(together, formulas.length), once());
      }),
      { numRuns: 60, interruptAfterTimeLimit: 60_000 },
    );
  });

  it('see what has changed between them in one calculation', () => {
    const found = Array.from({ length: 40 }, (_, at) => [`D${at + 1}`, `=MATCH("x",A1:A40,0)`]);
    const workbook = new Workbook([{ name: 'Sheet1' }]);
    const cells = { ...Object.fromEntries(found), A7: '=IF(C1=1,"X","y")', A30: 'x', C1: 1 };
    workbook.change({ sheet: 0, cells: cellsOf(cells) });
    assert.deepEqual(shown(workbook, ['D1', 'D40']), [7, 7]);
    workbook.change({ sheet: 0, cells: cellsOf({ C1: 2 }) });
    assert.deepEqual(shown(workbook, ['D1', 'D40']), [30, 30]);
  });

  it('of 30,000 rows in 30,000 rows do not walk them all', () => {
    const cells = Array.from({ length: 30_000 }, (_, at) => [
      { row: at, column: 0, input: `key ${(at * 7) % 30_000}` },
      { row: at, column: 1, input: at },
      { row: at, column: 2, input: `=VLOOKUP(D${at + 1},A$1:B$30000,2,FALSE)` },
      { row: at, column: 3, input: `KEY ${at}` },
    ]).flat();
    const workbook = new Workbook([{ name: 'Sheet1' }]);
    workbook.change({ sheet: 0, cells });
    // A walk of each takes over half a minute where this takes half a second.
    workbook.calculate(10_000, NOW_MS);
    assert.equal(workbook.value(0, 7, 2), 1);
  });
});

describe('the indexes of columns', () => {
  function columnOf(values: readonly (number | string)[]): Column {
    const column = new Column(new Texts());
    column.insert(values.map((_, at) => at));
    for (const [slot, value] of values.entries()) column.put(slot, value);
    return column;
  }

  const unlooked = () => undefined;

  it('are made when they pay, hold until a cell changes, and are then dearer', () => {
    const column = columnOf(['a', 'b', 'A']);
    const indexes = new ColumnIndexes();
    assert.equal(indexes.find(column, 3, unlooked), undefined);
    assert.deepEqual([...(indexes.find(column, 3, unlooked)?.slotsOf('a') ?? [])], [0, 2]);
    column.put(0, 7);
    for (const _ of [1, 2, 3]) assert.equal(indexes.find(column, 3, unlooked), undefined);
    const index = indexes.find(column, 3, unlooked);
    assert.deepEqual([...(index?.slotsOf('a') ?? [])], [2]);
    assert.deepEqual([...(index?.slotsOf(7) ?? [])], [0]);
    column.insert([9]);
    assert.equal(indexes.find(column, 3, unlooked), undefined);
  });
});

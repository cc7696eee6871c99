/** Blocks and the rows of ranges as they are stored and joined: text that is never parsed where it is only shown. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ROWS } from '../../src/areas/spreadsheets/cells/a1.ts';
import {
  BLOCK_COLUMNS,
  BLOCK_ROWS,
  type BlockCells,
  type CellValue,
  decodeBlock,
  EMPTY_BLOCK,
  isFormula,
  rowsOf,
} from '../../src/areas/spreadsheets/cells/block.ts';
import { countFormulas, OpenBlock } from '../../src/areas/spreadsheets/cells/block-edits.ts';
import {
  cellsOf,
  countCells,
  eachRow,
  type RowText,
  TextGrid,
} from '../../src/areas/spreadsheets/cells/grid.ts';

const hostile = fc.constantFrom(
  '"',
  '\\',
  '\\"',
  '=',
  ',',
  ',""',
  '","',
  '[',
  ']',
  '\n',
  '],[',
  '""',
  '\u2028',
  ' ',
);
const input: fc.Arbitrary<CellValue> = fc
  .oneof(
    fc.array(fc.oneof(hostile, fc.string()), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    fc.boolean(),
  )
  .filter((value) => value !== '');
const block: fc.Arbitrary<BlockCells> = fc
  .array(fc.tuple(fc.nat(BLOCK_ROWS * BLOCK_COLUMNS - 1), input), { maxLength: 60 })
  .map((cells) => new Map(cells));
const row = fc
  .array(fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 2, arbitrary: input }), {
    maxLength: 8,
  })
  .map(withoutEmptyEnd);

function withoutEmptyEnd(cells: readonly CellValue[]): CellValue[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}

const text = (cells: readonly CellValue[]) => JSON.stringify(cells).slice(1, -1);

function encoded(cells: BlockCells): string {
  const opened = new OpenBlock(EMPTY_BLOCK);
  for (const [offset, cell] of cells) opened.set(offset, cell);
  return opened.text();
}

function blockOf(rows: readonly (readonly CellValue[])[]): string {
  const cells = rows.flatMap((row, at) =>
    row.map((cell, column): [number, CellValue] => [at * BLOCK_COLUMNS + column, cell]),
  );
  return encoded(new Map(cells.filter(([, cell]) => cell !== '')));
}

describe('spreadsheet blocks as text', () => {
  test('a block comes back as it was, and equal blocks are equal texts in whatever order they were filled', async () => {
    await fc.assert(
      fc.asyncProperty(block, async (cells) => {
        const stored = encoded(cells);
        assert.deepEqual(await decodeBlock(stored), new Map([...cells].sort(([a], [b]) => a - b)));
        assert.equal(encoded(new Map([...cells].reverse())), stored);
        assert.equal(stored === EMPTY_BLOCK, cells.size === 0);
        assert.ok(rowsOf(stored).length <= BLOCK_ROWS);
      }),
    );
  });

  test('a long block comes back as it was', async () => {
    const rows = Array.from({ length: BLOCK_ROWS }, (_, row) => [row, 'é'.repeat(10_000), '', row % 2 === 0]);
    const decoded = await decodeBlock(blockOf(rows));
    assert.equal(decoded.size, BLOCK_ROWS * 3);
    assert.equal(decoded.get(9 * BLOCK_COLUMNS), 9);
    assert.equal(decoded.get(9 * BLOCK_COLUMNS + 1), 'é'.repeat(10_000));
    assert.equal(decoded.get(9 * BLOCK_COLUMNS + 3), false);
  });

  test('what is changed in a stored block is changed, and nothing else', () => {
    const edits = fc.array(fc.tuple(fc.nat(BLOCK_ROWS * BLOCK_COLUMNS - 1), fc.option(input)), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(block, edits, (cells, changes) => {
        const opened = new OpenBlock(encoded(cells));
        const model = new Map(cells);
        for (const [offset, cell] of changes) {
          assert.equal(opened.set(offset, cell ?? undefined), model.get(offset));
          if (cell === null) model.delete(offset);
          else model.set(offset, cell);
        }
        assert.equal(opened.text(), encoded(model));
        assert.equal(countFormulas(opened.text()), [...model.values()].filter(isFormula).length);
      }),
    );
  });

  test('a part of a row is what the same part of its cells is', () => {
    fc.assert(
      fc.property(row, fc.nat(9), fc.integer({ min: 1, max: 9 }), (cells, from, count) => {
        assert.equal(
          cellsOf(text(cells), from, count),
          text(withoutEmptyEnd(cells.slice(from, from + count))),
        );
        assert.equal(countCells(text(cells)), cells.length);
      }),
    );
  });

  test('some columns of a block are the same columns of its cells, and are counted right where they are', () => {
    const columns = fc.record({ from: fc.nat(7), count: fc.integer({ min: 1, max: 8 }), end: fc.nat(33) });
    const before = fc.array(fc.oneof(fc.constant(''), input), { minLength: 7, maxLength: 7 });
    const full = fc.tuple(before, input).map(([cells, last]) => [...cells, last]);
    const rows = fc.array(fc.oneof(full, row), { maxLength: 5 });
    fc.assert(
      fc.property(rows, columns, (cells, { from, count, end }) => {
        const wanted = { from, count: Math.min(count, BLOCK_COLUMNS - from), end };
        const shown: RowText[] = [];
        eachRow(blockOf(cells), wanted, (row, part, known) => {
          shown[row] = part;
          assert.equal(known ?? countCells(part), countCells(part));
        });
        const parts = cells.map((all) => text(withoutEmptyEnd(all.slice(from, from + count))));
        for (const [row, part] of parts.entries()) assert.equal(shown[row] ?? '', row < end ? part : '');
      }),
    );
  });

  test('nobody has to count the cells of a row that has all of them', () => {
    const counts: (number | undefined)[] = [];
    const block = blockOf([
      [1, 2, 3, 4, 5, 6, 7, 8],
      [1, 2, 3],
    ]);
    eachRow(block, { from: 2, count: 6, end: 2 }, (_, __, count) => counts.push(count));
    assert.deepEqual(counts, [6, undefined]);
  });

  test('rows that are added piece by piece are answered as one grid', () => {
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 3 }), { maxLength: 6 }), (rows) => {
        const grid = new TextGrid();
        for (const [at, pieces] of rows.entries()) {
          for (const [i, cells] of pieces.entries()) if (cells.length > 0) grid.add(at, i * 8, text(cells));
        }
        const whole = rows.map((pieces) =>
          withoutEmptyEnd(pieces.flatMap((cells) => [...cells, ...Array<string>(8 - cells.length).fill('')])),
        );
        const last = whole.findLastIndex((cells) => cells.length > 0);
        assert.equal(grid.json(), JSON.stringify(whole.slice(0, last + 1)));
      }),
    );
  });

  test('as many cells as one answer may have are answered, and one more is refused (SHEET-32)', () => {
    const eight = text([1, 2, 3, 4, 5, 6, 7, 8]);
    const grid = new TextGrid();
    for (let at = 0; at < ROWS / 8; at++) grid.add(at, 0, eight);
    assert.equal(grid.json().length, (ROWS / 8) * '[1,2,3,4,5,6,7,8],'.length + 1);
    grid.add(ROWS / 8, 0, text([1]));
    assert.throws(() => grid.json(), { code: 'validation_failed' });
  });
});

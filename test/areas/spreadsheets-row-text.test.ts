/** Blocks and the rows of ranges as they are stored and joined: text that is never parsed where it is only shown. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ROWS } from '../../src/areas/spreadsheets/a1.ts';
import {
  BLOCK_COLUMNS,
  BLOCK_ROWS,
  type BlockCells,
  type CellValue,
  decodeBlock,
  EMPTY_BLOCK,
  isFormula,
  rowsOf,
} from '../../src/areas/spreadsheets/block.ts';
import { TextGrid } from '../../src/areas/spreadsheets/grid.ts';
import { countFormulas, OpenBlock } from '../../src/areas/spreadsheets/open-block.ts';
import { cellsOf, countCells, isFull } from '../../src/areas/spreadsheets/row-text.ts';

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

describe('spreadsheet blocks as text', () => {
  test('a block comes back as it was, and equal blocks are equal texts in whatever order they were filled', () => {
    fc.assert(
      fc.property(block, (cells) => {
        const stored = encoded(cells);
        assert.deepEqual(decodeBlock(stored), new Map([...cells].sort(([a], [b]) => a - b)));
        assert.equal(encoded(new Map([...cells].reverse())), stored);
        assert.equal(stored === EMPTY_BLOCK, cells.size === 0);
        assert.ok(rowsOf(stored).length <= BLOCK_ROWS);
      }),
    );
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
          assert.equal(opened.get(offset), model.get(offset));
          opened.set(offset, cell ?? undefined);
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

  test('a block is full where each of its lines has all cells', () => {
    const cells = fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 3, arbitrary: input });
    const whole = fc.tuple(fc.array(cells, { minLength: 7, maxLength: 7 }), input);
    const line = fc.oneof(
      { weight: 5, arbitrary: whole.map(([begin, end]) => [...begin, end]) },
      { weight: 1, arbitrary: row },
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const stored = lines.map(text).join('\n');
        // As stored: the last line is used.
        fc.pre(lines.at(-1)?.length !== 0 && stored.length <= 16_384);
        assert.equal(
          isFull(stored),
          lines.every(({ length }) => length === BLOCK_COLUMNS),
        );
      }),
    );
  });

  test('nothing is said of a block that takes much memory to look at', () => {
    const cell = JSON.stringify('\\'.repeat(25_000));
    assert.equal(isFull(Array<string>(BLOCK_COLUMNS).fill(cell).join()), false);
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

  test('as many cells as one answer may have are answered, and one more is refused', () => {
    const eight = text([1, 2, 3, 4, 5, 6, 7, 8]);
    const grid = new TextGrid();
    for (let at = 0; at < ROWS / 8; at++) grid.add(at, 0, eight);
    assert.equal(grid.json().length, (ROWS / 8) * '[1,2,3,4,5,6,7,8],'.length + 1);
    grid.add(ROWS / 8, 0, text([1]));
    assert.throws(() => grid.json(), { code: 'validation_failed' });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CellInput } from '../../src/formulas/calculation.ts';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';
import { cellsOf, NOW_MS, show, shown, workbookOf } from './worlds.ts';

const LENGTH = 50_000;

function column(input: (row: number) => CellInput['input'], length = LENGTH): Workbook {
  const workbook = new Workbook([{ name: 'Sheet1' }]);
  const cells = Array.from({ length }, (_, row) => ({ row, column: 0, input: input(row) }));
  workbook.change({ sheet: 0, cells });
  return workbook;
}

function lastOf(workbook: Workbook, address: string): unknown {
  return shown(workbook, [address])[0];
}

describe('a chain of 50,000 cells', () => {
  it('computes backwards', () => {
    const workbook = column((row) => (row === LENGTH - 1 ? 1 : `=A${row + 2}+1`));
    assert.equal(lastOf(workbook, 'A1'), LENGTH);
    workbook.change({ sheet: 0, cells: cellsOf({ [`A${LENGTH}`]: 2 }) });
    assert.equal(lastOf(workbook, 'A1'), LENGTH + 1);
  });

  it('computes forwards', () => {
    assert.equal(
      lastOf(
        column((row) => (row === 0 ? 1 : `=A${row}+1`)),
        `A${LENGTH}`,
      ),
      LENGTH,
    );
  });

  it('computes through ranges', () => {
    assert.equal(
      lastOf(
        column((row) => (row === LENGTH - 1 ? 1 : `=SUM(A${row + 2}:A${row + 2},1)`)),
        'A1',
      ),
      LENGTH,
    );
  });

  it('that ends in itself is a circle', () => {
    assert.equal(
      lastOf(
        column((row) => `=A${row === LENGTH - 1 ? 1 : row + 2}+1`),
        'A777',
      ),
      '#CIRC!',
    );
  });
});

describe('a change', () => {
  it('a change computes only what depends on it (SHEET-37)', () => {
    const workbook = column((row) => (row % 2 === 0 ? row : `=A${row}*2`));
    shown(workbook, ['A1']);
    workbook.change({ sheet: 0, cells: cellsOf({ A3: 9, C1: 1 }) });
    assert.equal(workbook.pending, 1);
    assert.equal(lastOf(workbook, 'A4'), 18);
    workbook.change({ sheet: 0, cells: cellsOf({ C1: 2 }) });
    assert.equal(workbook.pending, 0);
  });

  it('finds running sums that hold a cell, and no others', () => {
    const workbook = new Workbook([{ name: 'Sheet1' }]);
    const cells = Array.from({ length: 5_000 }, (_, row) => [
      { row, column: 0, input: 1 },
      { row, column: 1, input: `=SUM(A$1:A${row + 1})` },
    ]).flat();
    workbook.change({ sheet: 0, cells });
    assert.equal(lastOf(workbook, 'B5000'), 5_000);
    workbook.change({ sheet: 0, cells: cellsOf({ A4001: 2 }) });
    assert.equal(workbook.pending, 1_000);
    assert.deepEqual(shown(workbook, ['B4000', 'B4001', 'B5000']), [4_000, 4_002, 5_001]);
  });

  it('in a block of rows whose sum is known changes that sum', () => {
    const workbook = column((row) => row, 1_000);
    const sums = { B1: '=SUM(A1:A1000)', B2: '=SUM(A:A)', B3: '=SUM(A200:A900)', B4: '=SUM(A300:A301)' };
    workbook.change({ sheet: 0, cells: cellsOf(sums) });
    assert.deepEqual(shown(workbook, ['B1', 'B2', 'B3', 'B4']), [499_500, 499_500, 384_849, 599]);
    workbook.change({ sheet: 0, cells: cellsOf({ A300: 1_299, A2000: 5, A950: null }) });
    assert.deepEqual(shown(workbook, ['B1', 'B2', 'B3', 'B4']), [499_551, 499_556, 385_849, 1_599]);
    workbook.change({ sheet: 0, cells: cellsOf({ A400: '=1/0' }) });
    assert.deepEqual(shown(workbook, ['B1', 'B3', 'B4']), ['#DIV/0!', '#DIV/0!', 1_599]);
  });

  it('forgets formulas that are gone', () => {
    const workbook = column((row) => `=B1+${row}`, 3_000);
    assert.equal(lastOf(workbook, 'A3000'), 2_999);
    for (const round of [1, 2, 3]) {
      const cells = Array.from({ length: 3_000 }, (_, row) => ({
        row,
        column: 0,
        input: `=B1*${round}+${row}`,
      }));
      workbook.change({ sheet: 0, cells });
      workbook.change({ sheet: 0, cells: cellsOf({ B1: round }) });
      assert.equal(workbook.pending, 3_000);
      assert.equal(lastOf(workbook, 'A3000'), round * round + 2_999);
    }
  });
});

describe('an array of a whole column', () => {
  it('spills in a fraction of what a formula may take, and so do those that hang on it', () => {
    const SUM = (1_048_576 * 1_048_577) / 2;
    const workbook = workbookOf({ A1: '=SEQUENCE(1048576)', C1: '=SUM(A:A)', E1: '=EXP(H:H)', H5: 1 });
    assert.deepEqual(shown(workbook, ['A1048576', 'C1', 'E4', 'E5']), [1_048_576, SUM, 1, Math.E]);
    workbook.change({ sheet: 0, cells: cellsOf({ H5: 0 }) });
    assert.deepEqual(shown(workbook, ['A1048576', 'C1', 'E5']), [1_048_576, SUM, 1]);
  });
});

describe('a formula that asks for too much', () => {
  for (const bomb of [
    '=SUM(MAKEARRAY(10000,10000,LAMBDA(r,c,r)))',
    '=SUM(MAKEARRAY(1000,1000,LAMBDA(r,c,SUM(SEQUENCE(1000)))))',
    '=SUM(LEN(REPT("x",32767)&SEQUENCE(1000000)))',
    '=SUM(A:XFD*1)',
    '=LET(f,LAMBDA(g,x,g(g,x)),f(f,1))',
    '=SEQUENCE(1000000,1000)',
  ]) {
    it(`${bomb} is an error, and the rest goes on`, () => {
      const workbook = workbookOf({ A1: bomb, B1: '=1+1', C1: '=ISERROR(A1)' });
      assert.deepEqual(shown(workbook, ['B1', 'C1']), [2, true]);
    });
  }

  it('neither in length nor in depth breaks the parser', () => {
    assert.equal(show(`=${'1+'.repeat(4_000)}1`), 4_001);
    assert.equal(show(`=${'1+'.repeat(5_000)}1`), '#ERROR!');
    assert.equal(show(`=${'('.repeat(4_000)}1${')'.repeat(4_000)}`), '#ERROR!');
    assert.equal(show(`=${'-'.repeat(4_000)}1`), '#ERROR!');
  });
});

describe('a calculation that takes too long', () => {
  it('stops, keeps what it has, and goes on when it is asked again', () => {
    const workbook = column((row) => (row === 0 ? 1 : `=SUM(A$1:A${row})`), 4_000);
    assert.throws(() => workbook.calculate(0, NOW_MS), /too long/);
    assert.ok(workbook.pending > 0);
    assert.equal(lastOf(workbook, 'A11'), 2 ** 9);
  });
});

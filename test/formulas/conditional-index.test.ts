import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Workbook } from '../../src/formulas/workbook/workbook.ts';

const value = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom('0', '1', ' 2 ', '1e0', 'a', 'A', 'b', '', true, false),
);
const wanted = fc.oneof(value, fc.constantFrom('=1', '="a"', '=a', '<>1', 'a*', '>1', '=TRUE'));

/** As many questions as make an index pay, and one more in another formula that asks with a walk: SUMPRODUCT over COUNTIF of single cells. */
function answers(column: readonly unknown[], criterion: unknown, times: number): unknown[] {
  const workbook = new Workbook(['Sheet1']);
  const rows = column.length;
  const cells = column.flatMap((input, row) => [
    { row, column: 0, input: input as string },
    { row, column: 1, input: row + 1 },
    { row, column: 2, input: `=COUNTIF(A${row + 1},D$1)` },
  ]);
  cells.push({ row: 0, column: 3, input: criterion as string });
  for (let at = 0; at < times; at++) {
    cells.push({ row: at, column: 5, input: `=COUNTIF(A$1:A$${rows},D$1)+0*${at}` });
    cells.push({ row: at, column: 6, input: `=SUMIF(A$1:A$${rows},D$1,B$1:B$${rows})+0*${at}` });
  }
  cells.push({ row: 0, column: 7, input: `=SUM(C1:C${rows})` });
  cells.push({ row: 1, column: 7, input: `=SUMPRODUCT(C1:C${rows},B1:B${rows})` });
  workbook.change({ sheet: 0, cells: cells.filter(({ input }) => input !== '') });
  workbook.calculate(60_000);
  const at = (row: number, place: number) => workbook.value(0, row, place);
  return [at(times - 1, 5), at(times - 1, 6), at(0, 7), at(1, 7)];
}

describe('conditions upon a column that is asked again and again', () => {
  it('hold of the same cells by an index as one by one', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 3, maxLength: 12 }), wanted, (column, criterion) => {
        fc.pre(criterion !== '');
        const [count, sum, counted, summed] = answers(column, criterion, 8);
        assert.deepEqual([count, sum], [counted, summed]);
      }),
      { numRuns: 60 },
    );
  });

  it('are circles whether there is an index or not', () => {
    const workbook = new Workbook(['Sheet1']);
    const cells = Array.from({ length: 20 }, (_, row) => [
      { row, column: 0, input: row },
      { row, column: 1, input: row === 19 ? '=SUMIF(A$1:A$20,3,B$1:B$20)' : `=COUNTIF(A$1:A$20,${row})` },
    ]).flat();
    workbook.change({ sheet: 0, cells });
    workbook.calculate(60_000);
    assert.equal((workbook.value(0, 19, 1) as { code?: string }).code, '#CIRC!');
  });
});

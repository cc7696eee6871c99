import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { columnName, columnOf, formulaOf, templateOf } from '../../src/formulas/syntax/template.ts';

const dollar = fc.constantFrom('', '$');
const column = fc.nat({ max: 16_383 }).map(columnName);
const row = fc.integer({ min: 1, max: 1_048_576 });
const cell = fc.tuple(dollar, column, dollar, row).map((parts) => parts.join(''));
const operand = fc.oneof(
  cell,
  fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`),
  fc.tuple(dollar, column, dollar, column).map(([a, b, c, d]) => `${a}${b}:${c}${d}`),
  fc.tuple(dollar, row, dollar, row).map(([a, b, c, d]) => `${a}${b}:${c}${d}`),
  cell.map((a) => `'A1 it''s B2'!${a}`),
  fc.constantFrom('"A1 ""B2"', 'SUM(1)', 'name_A1', 'A1.B2', 'LOG10(2)', '\ue000R1;', 'Ä1', '1E5', 'A1#'),
);
const formula = fc.array(operand, { minLength: 1, maxLength: 5 }).map((operands) => `=${operands.join('+')}`);
const place = fc.record({ row: fc.nat({ max: 1_048_575 }), column: fc.nat({ max: 16_383 }) });

describe('the template of a formula', () => {
  it('reads as the formula in its own cell', () => {
    fc.assert(
      fc.property(formula, place, (text, at) => {
        assert.equal(formulaOf(templateOf(text, at.row, at.column), at.row, at.column), text);
      }),
    );
  });

  it('is the same of what was filled down, with references that moved along', () => {
    assert.equal(templateOf('=A1+$B$2+C:C+"A1"', 0, 3), templateOf('=A2+$B$2+C:C+"A1"', 1, 3));
    assert.notEqual(templateOf('=A1', 0, 3), templateOf('=A1', 1, 3));
    assert.equal(formulaOf(templateOf('=A1*B$1', 0, 2), 4, 3), '=B5*C$1');
  });
});

it('columns are named as in Excel', () => {
  assert.deepEqual([0, 25, 26, 701, 702, 16_383].map(columnName), ['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD']);
  fc.assert(fc.property(fc.nat({ max: 16_383 }), (at) => columnOf(columnName(at)) === at));
});

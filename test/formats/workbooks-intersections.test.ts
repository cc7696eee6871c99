import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withIntersections } from '../../src/formats/workbooks/formulas/intersections.ts';

describe('a formula of a file that means one cell of a range', () => {
  for (const [written, meant] of [
    ['A1:A3*2', '@A1:A3*2'],
    ['SUM(A1:A3*B1:B3)', 'SUM(@A1:A3*@B1:B3)'],
    ['SUMPRODUCT(A1:A3*B1:B3)', 'SUMPRODUCT(A1:A3*B1:B3)'],
    ['VLOOKUP(A:A,B1:C3,2)', 'VLOOKUP(@A:A,B1:C3,2)'],
    ['SUM(IF(A1:A3>1,B1:B3))', 'SUM(IF(@A1:A3>1,B1:B3))'],
    ['INDEX(A1:A3,0)+1', '@INDEX(A1:A3,0)+1'],
    ['INDEX(A1:B3,2)', '@INDEX(A1:B3,2)'],
    ['INDEX(A1:B3,2,MATCH(C1,D:D))+INDEX(A1:A3,2)', 'INDEX(A1:B3,2,MATCH(C1,D:D))+INDEX(A1:A3,2)'],
    ['SUM(INDEX(A1:B3,0,1))', 'SUM(INDEX(A1:B3,0,1))'],
    ['ROW(A1:A3)+ROW(A1)+ROW()', '@ROW(A1:A3)+ROW(A1)+ROW()'],
    ['OFFSET(A1,1,0)+OFFSET(A1,1,0,2,2)', 'OFFSET(A1,1,0)+@OFFSET(A1,1,0,2,2)'],
    ['A1:INDEX(A:A,3)', '@A1:INDEX(A:A,3)'],
    ['CONCAT(A1:A3)', 'CONCAT(A1:A3)'],
    ['A1+1', 'A1+1'],
    ['A1:A3+', 'A1:A3+'],
  ] as const) {
    it(`is written ${written} and reads ${meant}`, () => assert.equal(withIntersections(written), meant));
  }
});

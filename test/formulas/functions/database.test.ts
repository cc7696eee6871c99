import { describe } from 'node:test';
import { type Cells, checkFormulas } from './evaluate.ts';

/** The orchard of Excel's documentation: criteria in A1:F3, trees in A5:E11. */
const ORCHARD: Cells = [
  ['Tree', 'Height', 'Age', 'Yield', 'Profit', 'Height', 'Other', 'Made', 'Tree'],
  ['="=Apple"', '>10', null, null, null, '<16', 'text', true, 'Ch'],
  ['="=Pear"', null, null, null, null, null],
  [],
  ['Tree', 'Height', 'Age', 'Yield', 'Profit'],
  ['Apple', 18, 20, 14, 105],
  ['Pear', 12, 12, 10, 96],
  ['Cherry', 13, 14, 9, 105],
  ['Apple', 14, 15, 10, 75],
  ['Pear', 9, 8, 8, 77],
  ['Apple', 8, 9, 6, 45],
];

describe('functions of databases', () => {
  checkFormulas(
    [
      ['DCOUNT(A5:E11,"Age",A1:F2)', 1],
      ['DCOUNTA(A5:E11,"Profit",A1:F2)', 1],
      ['DMAX(A5:E11,"Profit",A1:A3)', 105],
      ['DMIN(A5:E11,"Profit",A1:B2)', 75],
      ['DSUM(A5:E11,"Profit",A1:A2)', 225],
      ['DSUM(A5:E11,"Profit",A1:F2)', 75],
      ['DPRODUCT(A5:E11,"Yield",A1:B2)', 140],
      ['DAVERAGE(A5:E11,"Yield",A1:B2)', 12],
      ['DAVERAGE(A5:E11,3,A5:E11)', 13],
      ['ROUND(DSTDEV(A5:E11,"Yield",A1:A3),5)', 2.96648],
      ['ROUND(DSTDEVP(A5:E11,"Yield",A1:A3),5)', 2.6533],
      ['ROUND(DVAR(A5:E11,"Yield",A1:A3),5)', 8.8],
      ['ROUND(DVARP(A5:E11,"Yield",A1:A3),5)', 7.04],
      ['DGET(A5:E11,"Yield",A1:A3)', '#NUM!'],
      ['DGET(A5:E11,"Yield",A1:F2)', 10],
      ['DCOUNT(A5:E11,,A1:A3)', 5],
      ['DCOUNT(A5:E11,0,A1:A3)', '#VALUE!'],
      ['DSUM(A5:E11,"Weight",A1:A3)', '#VALUE!'],
      ['DSUM(A5:E11,,A1:A3)', '#VALUE!'],
      ['DSUM(A5:E11,0,A1:A3)', '#VALUE!'],
      ['DSUM(A5:E5,"Profit",A1:A3)', '#VALUE!'],
      ['DCOUNT(A5:E11,"Age",G1:G2)', 0],
      ['DCOUNT(A5:E11,"Age",H1:H2)', 6],
      ['DSUM(A5:E11,"Profit",I1:I2)', 105],
    ],
    ORCHARD,
  );
});

import { describe } from 'node:test';
import { type Cells, checkFormulas } from './evaluate.ts';

const CELLS: Cells = [
  ['a', 1, 'B1:B3'],
  ['b', 2, 'B2:B4'],
  ['a', 4, 'D1'],
  ['a', 8],
];

describe('an array of references', () => {
  checkFormulas(
    [
      ['SUM(SUMIF(OFFSET(A1,{0;2},0,2,1),"a",OFFSET(B1,{0;2},0,2,1)))', 13],
      ['SUMPRODUCT(SUMIF(INDIRECT("A"&{1,2}&":A4"),"a",INDIRECT("B"&{1,2}&":B4")))', 25],
      ['SUM(SUBTOTAL(9,INDIRECT(C1:C2)))', 21],
      ['SUM(COUNTIF(INDIRECT({"A1:A2","A3:A4"}),"a"))', 3],
      ['SUM(INDIRECT({"B1","B4"}))', 9],
      ['SUMPRODUCT(--(SUBTOTAL(3,OFFSET(A1,ROW(A1:A4)-1,0))=1))', 4],
      ['SUM(IFERROR(SUMIF(INDIRECT({"nonsense","A1:A4"}),"b",INDIRECT({"B1","B1:B4"})),100))', 102],
      ['ROWS(INDIRECT("A1:A"&B3))', 4],
    ],
    CELLS,
  );
});

import { describe } from 'node:test';
import { type Cells, checkFormulas } from './evaluate.ts';

const STOCK: Cells = [
  ['b', 2, true],
  ['A', 1, false],
  ['c', 3, true],
  ['a', 1, true],
];

describe('functions of arrays', () => {
  checkFormulas(
    [
      ['ARRAYTOTEXT(FILTER(A1:B4,C1:C4),1)', '{"b",2;"c",3;"a",1}'],
      ['FILTER(A1:B4,B1:B4>5)', '#CALC!'],
      ['FILTER(A1:B4,B1:B4>5,"none")', 'none'],
      ['FILTER(A1:A4,B1:B3>0)', '#VALUE!'],
      ['ARRAYTOTEXT(FILTER({1,2,3},{1,0,1}),1)', '{1,3}'],
      ['ARRAYTOTEXT(SORT(A1:A4),1)', '{"A";"a";"b";"c"}'],
      ['ARRAYTOTEXT(SORT(A1:B4,2,-1),1)', '{"c",3;"b",2;"A",1;"a",1}'],
      ['ARRAYTOTEXT(SORT(A1:B4,{2,1},{1,-1}),1)', '{"A",1;"a",1;"b",2;"c",3}'],
      ['ARRAYTOTEXT(SORT({3,1,2},,,TRUE),1)', '{1,2,3}'],
      ['ARRAYTOTEXT(SORT({TRUE;"a";1}),1)', '{1;"a";TRUE}'],
      ['SORT(A1:B4,3)', '#VALUE!'],
      ['SORT(A1:B4,1,2)', '#VALUE!'],
      ['ARRAYTOTEXT(SORTBY(A1:A4,B1:B4,-1),1)', '{"c";"b";"A";"a"}'],
      ['ARRAYTOTEXT(SORTBY(A1:A4,B1:B4,1,C1:C4,-1),1)', '{"a";"A";"b";"c"}'],
      ['SORTBY(A1:A4,B1:B3)', '#VALUE!'],
      ['ARRAYTOTEXT(UNIQUE(A1:A4),1)', '{"b";"A";"c"}'],
      ['ARRAYTOTEXT(UNIQUE(A1:A4,,TRUE),1)', '{"b";"c"}'],
      ['ARRAYTOTEXT(UNIQUE({1,2,1},TRUE),1)', '{1,2}'],
      ['ARRAYTOTEXT(TAKE(A1:B4,2),1)', '{"b",2;"A",1}'],
      ['ARRAYTOTEXT(TAKE(A1:B4,-1,-1),1)', '{1}'],
      ['TAKE(A1:B4,0)', '#CALC!'],
      ['ARRAYTOTEXT(DROP(A1:B4,3),1)', '{"a",1}'],
      ['ARRAYTOTEXT(DROP(A1:B4,,1),1)', '{2;1;3;1}'],
      ['DROP(A1:B4,4)', '#CALC!'],
      ['ARRAYTOTEXT(CHOOSECOLS(A1:C4,3,1),1)', '{TRUE,"b";FALSE,"A";TRUE,"c";TRUE,"a"}'],
      ['ARRAYTOTEXT(CHOOSEROWS(A1:B4,-1,{1,2}),1)', '{"a",1;"b",2;"A",1}'],
      ['CHOOSECOLS(A1:B4,3)', '#VALUE!'],
      ['ARRAYTOTEXT(HSTACK({1;2},{3}),1)', '{1,3;2,#N/A}'],
      ['ARRAYTOTEXT(VSTACK({1,2},3),1)', '{1,2;3,#N/A}'],
      ['ARRAYTOTEXT(TOROW({1,2;3,4}),1)', '{1,2,3,4}'],
      ['ARRAYTOTEXT(TOCOL({1,2;3,4},,TRUE),1)', '{1;3;2;4}'],
      ['ARRAYTOTEXT(TOCOL(A1:A5,1),1)', '{"b";"A";"c";"a"}'],
      ['ARRAYTOTEXT(WRAPROWS({1,2,3,4,5},2),1)', '{1,2;3,4;5,#N/A}'],
      ['ARRAYTOTEXT(WRAPCOLS({1,2,3},2,"-"),1)', '{1,3;2,"-"}'],
      ['WRAPROWS({1,2},0)', '#NUM!'],
      ['ARRAYTOTEXT(EXPAND({1,2},2,3,0),1)', '{1,2,0;0,0,0}'],
      ['EXPAND({1,2},1,1)', '#VALUE!'],
      ['ARRAYTOTEXT(TRANSPOSE({1,2;3,4}),1)', '{1,3;2,4}'],
      ['ROWS(TRIMRANGE(A1:C20))', 4],
      ['COLUMNS(TRIMRANGE(A1:AM900))', 3],
    ],
    STOCK,
  );
});

import { describe } from 'node:test';
import { type Cells, checkFormulas } from './evaluate.ts';

const CELLS: Cells = [
  ['a', 1],
  ['b', '=NA()'],
];

describe('an error in place of cells', () => {
  checkFormulas(
    [
      ['COUNTIF(INDIRECT("none"),"a")', '#REF!'],
      ['COUNTIF(#REF!,"a")', '#REF!'],
      ['COUNTIFS(A1:A2,"a",INDIRECT("none"),1)', '#REF!'],
      ['COUNTBLANK(INDIRECT("none"))', '#REF!'],
      ['SUMIF(INDIRECT("none"),"a")', '#REF!'],
      ['SUMIF(A1:A2,"a",INDIRECT("none"))', '#REF!'],
      ['SUMIFS(INDIRECT("none"),A1:A2,"a")', '#REF!'],
      ['SUMIFS(B1:B2,INDIRECT("none"),"a")', '#REF!'],
      ['AVERAGEIF(INDIRECT("none"),"a")', '#REF!'],
      ['AVERAGEIFS(INDIRECT("none"),A1:A2,"a")', '#REF!'],
      ['MAXIFS(INDIRECT("none"),A1,"a")', '#REF!'],
      ['MINIFS(B1:B2,INDIRECT("none"),"a")', '#REF!'],
      ['SUBTOTAL(9,INDIRECT("none"))', '#REF!'],
      ['SUBTOTAL(3,A1:A2,INDIRECT("none"))', '#REF!'],
      ['AGGREGATE(9,0,INDIRECT("none"))', '#REF!'],
      ['XLOOKUP("a",INDIRECT("none"),B1:B2,"not found")', '#REF!'],
      ['FILTER(INDIRECT("none"),A1:A2="a","not found")', '#REF!'],
      ['SORT(INDIRECT("none"),2)', '#REF!'],
      ['SORTBY(INDIRECT("none"),B1:B2)', '#REF!'],
      ['SUM(#REF!:A1)', '#REF!'],
      ['SUM(B1:INDIRECT("none"))', '#REF!'],
      ['SUM((B1,INDIRECT("none")))', '#REF!'],
      ['SUM(IFERROR(SUMIF(INDIRECT({"none","A1:A2"}),"a",INDIRECT({"B1","B1:B2"})),100))', 101],
    ],
    CELLS,
  );
});

describe('an error in a cell, or as what is looked for', () => {
  checkFormulas(
    [
      ['COUNTIF(B1:B2,#N/A)', 1],
      ['COUNTIF(B2,1)', 0],
      ['COUNTIF(A1:A2,INDIRECT("none"))', 0],
      ['COUNTBLANK(B2)', 0],
      ['SUMIF(A1:B2,1)', 1],
      ['SUM(COUNTIF(B1:B2,{1,#N/A}))', 2],
      ['SUBTOTAL(3,B2)', 1],
      ['COUNT(INDIRECT("none"))', 0],
      ['XLOOKUP("c",A1:A2,B1:B2,#N/A)', '#N/A'],
      ['FILTER(A1:A2,A1:A2="c",#N/A)', '#N/A'],
      ['ROWS(SORT(B1:B2))', 2],
    ],
    CELLS,
  );
});

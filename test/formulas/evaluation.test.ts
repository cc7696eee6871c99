import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellsOf, type Inputs, show, shown, workbookOf } from './worlds.ts';

/** Formulas and what Excel shows of them. */
const SHOWN: readonly (readonly [string, unknown])[] = [
  ['=-2^2', 4],
  ['=2^-1%', 2 ** -0.01],
  ['=2^3^2', 64],
  ['=50%%', 0.005],
  ['=1+2*3-4/2', 5],
  ['="a"&1/4&TRUE', 'a0.25TRUE'],
  ['=1/3&""', '0.333333333333333'],
  ['=0.1+0.2=0.3', true],
  ['=1.1-1-0.1', 0],
  ['=5<"1"', true],
  ['="z"<FALSE', true],
  ['="Abc"="aBC"', true],
  ['="1,234.5"+"12%"', 1234.62],
  ['="1/2/2020"+0', 43832],
  ['=TRUE+1', 2],
  ['="TRUE"+1', '#VALUE!'],
  ['=A1=""', true],
  ['=A1=0', true],
  ['=A1', 0],
  ['=-A1', 0],
  ['=1E308*10', '#NUM!'],
  ['=0^0', '#NUM!'],
  ['=1/0', '#DIV/0!'],
  ['=1+#N/A', '#N/A'],
  ['=1+', '#ERROR!'],
  ['=SUM()', '#ERROR!'],
  ['=NOSUCH(1)', '#NAME?'],
  ['=nosuch', '#NAME?'],
  ['=Nowhere!A1', '#REF!'],
  ['=Nowhere!#REF!', '#REF!'],
  ['=[1]Book!A1', '#REF!'],
  ['=B1:B3 A2:C2', 20],
  ['=B1 C1', '#NULL!'],
  ['=SUM((B1,B3),B2)', 60],
  ['=SUM(B1:INDEX(B:B,2))', 30],
  ['=SUM(b1:B3)', 60],
  ['=SUM(B3:B1)', 60],
  ['=SUM(B:B,1:1)', 70],
  ['=SUM(Sheet1:Other!B1)', 10],
  ['=@B1:B3', '#VALUE!'],
  ['=SUM({1,2;3,4}*{10;100})', 730],
  ['=SUM({1,2,3}+{1;2})', 21],
  ['=SUM(IFERROR({1,2,3}+{1,2},100))', 106],
  ['=IF(TRUE,1,1/0)', 1],
  ['=IF(FALSE,1)', false],
  ['=SUM(IF({1,0,1},B1:B3,5))', 135],
  ['=SUM(IF({1;0;1},B1:B3,5))', 45],
  ['=SUM(IF(TRUE,B1:B3))', 60],
  ['=IFERROR(1/0,"x")', 'x'],
  ['=IFNA(1/0,"x")', '#DIV/0!'],
  ['=CHOOSE(2,1/0,"b")', 'b'],
  ['=SUM(CHOOSE({1,2},B1,B2))', 30],
  ['=IFS(FALSE,1,TRUE,2)', 2],
  ['=IFS(FALSE,1)', '#N/A'],
  ['=SWITCH(3,1,"a",3,"c","z")', 'c'],
  ['=SWITCH(4,1,"a","z")', 'z'],
  ['=LET(x,2,y,x*3,x+y)', 8],
  ['=LET(x,1,LET(x,5,x)+x)', 6],
  ['=LAMBDA(a,b,a*b)(4,5)', 20],
  ['=LAMBDA(a,[b],IF(ISOMITTED(b),a,b))(4)', 4],
  ['=LAMBDA(a,a)(1,2)', '#VALUE!'],
  ['=LAMBDA(a,b,a+b)(1)', '#VALUE!'],
  ['=LAMBDA(a,b,a+b)(1,)', 1],
  ['=LAMBDA(a,[b],[c],a&b&c)(1,2)', '12'],
  ['=LAMBDA(a,[b],a&b)()', '#VALUE!'],
  ['=LET(f,LAMBDA(a,b,a),f(1))', '#VALUE!'],
  ['=SUM(BYROW(B1:C3,LAMBDA(r,s,SUM(r))))', '#VALUE!'],
  ['=REDUCE(0,B1:B3,LAMBDA(a,v,w,a+v))', '#VALUE!'],
  ['=REDUCE(0,B1:B3,LAMBDA(a,v,[w],a+v))', 60],
  ['=LET(add,LAMBDA(n,LAMBDA(x,x+n)),add(3)(4))', 7],
  ['=SUM(MAP(B1:B3,LAMBDA(v,v/10)))', 6],
  ['=REDUCE(1,B1:B3,LAMBDA(a,v,a+v))', 61],
  ['=SUM(SCAN(0,B1:B3,LAMBDA(a,v,a+v)))', 100],
  ['=SUM(BYROW(B1:C3,LAMBDA(r,SUM(r))))', 60],
  ['=COLUMNS(BYCOL(B1:C3,LAMBDA(c,SUM(c))))', 2],
  ['=SUM(MAKEARRAY(2,3,LAMBDA(r,c,r*c)))', 18],
  ['=LAMBDA(x,x)', '#CALC!'],
  ['=_xlfn.LET(_xlpm.q,3,_xlpm.q)', 3],
  ['=_xlfn.SINGLE(B1)', 10],
  ['=SUMPRODUCT((B:B>10)*B:B)', 50],
  ['=SUM(A:A*2)', 0],
  ['=COUNT(A:A*1)', 1_048_576],
  ['=INDIRECT("B"&2)', 20],
  ['=SUM(INDIRECT("R1C2:R3C2",FALSE))', 60],
  ['=SUM(OFFSET(B1,1,0,2,1))', 50],
  ['=FORMULATEXT(Z99)', '=FORMULATEXT(Z99)'],
  ['=REPT("x",32768)', '#VALUE!'],
];
const BESIDE: Inputs = { B1: 10, B2: 20, B3: 30 };

describe('a formula', () => {
  // SHEET-30, SHEET-36
  for (const [formula, value] of SHOWN)
    it(`${formula} is ${JSON.stringify(value)}`, () => assert.equal(show(formula, BESIDE), value));

  it('knows defined names, those of its sheet first', () => {
    const names = [
      { name: 'Rate', formula: '=0.5' },
      { name: 'rate', formula: '=0.25', sheet: 0 },
      { name: 'Total', formula: '=SUM(Sheet1!$B$1:$B$3)' },
      { name: 'Twice', formula: '=LAMBDA(x,x*2)' },
      { name: 'Fact', formula: '=LAMBDA(n,IF(n<2,1,n*Fact(n-1)))' },
    ];
    assert.equal(show('=Twice(Total)*RATE', BESIDE, names), 30);
    assert.equal(show('=Fact(10)', {}, names), 3_628_800);
    assert.equal(show('=Fact(1E9)', {}, names), '#NUM!');
  });
});

describe('an array', () => {
  it('spills, is followed by what reads it, and shrinks', () => {
    const workbook = workbookOf({
      A1: 3,
      B1: '=SEQUENCE(A1)',
      C1: '=SUM(B1:B9)',
      D1: '=SUM(B1#)',
      E2: '=B3+1',
    });
    assert.deepEqual(shown(workbook, ['B1', 'B2', 'B3', 'C1', 'D1', 'E2']), [1, 2, 3, 6, 6, 4]);
    workbook.change({ sheet: 0, cells: cellsOf({ A1: 2 }) });
    assert.deepEqual(shown(workbook, ['B2', 'B3', 'C1', 'D1', 'E2']), [2, '', 3, 3, 1]);
  });

  it('is #SPILL! while something is in its way', () => {
    const workbook = workbookOf({ B1: '=SEQUENCE(3)', B3: 'x', C1: '=B2' });
    assert.deepEqual(shown(workbook, ['B1', 'B2', 'B3', 'C1']), ['#SPILL!', '', 'x', 0]);
    workbook.change({ sheet: 0, cells: cellsOf({ B3: null }) });
    assert.deepEqual(shown(workbook, ['B1', 'B2', 'B3', 'C1']), [1, 2, 3, 2]);
    workbook.change({ sheet: 0, cells: cellsOf({ B2: 7 }) });
    assert.deepEqual(shown(workbook, ['B1', 'B2', 'B3', 'C1']), ['#SPILL!', 7, '', 7]);
  });

  it('gives way to one from an earlier cell, whichever came first', () => {
    const later = workbookOf({ B2: '=SEQUENCE(1,3)' });
    assert.deepEqual(shown(later, ['B2', 'C2', 'D2']), [1, 2, 3]);
    later.change({ sheet: 0, cells: cellsOf({ C1: '=SEQUENCE(3)' }) });
    const addresses = ['B2', 'C1', 'C2', 'C3', 'D2'];
    assert.deepEqual(shown(later, addresses), ['#SPILL!', 1, 2, 3, '']);
    assert.deepEqual(
      shown(workbookOf({ C1: '=SEQUENCE(3)', B2: '=SEQUENCE(1,3)' }), addresses),
      shown(later, addresses),
    );
    later.change({ sheet: 0, cells: cellsOf({ C1: null }) });
    assert.deepEqual(shown(later, addresses), [1, '', 2, '', 3]);
  });

  it('that changes what it is computed from is a circle', () => {
    assert.deepEqual(shown(workbookOf({ A1: '=SEQUENCE(COUNTA(A2:A100)+2)' }), ['A1', 'A2']), ['#CIRC!', '']);
    assert.deepEqual(shown(workbookOf({ A1: '=SEQUENCE(ROWS(A1:A9))' }), ['A9']), [9]);
  });

  it('does not fit beyond the edges of the sheet', () => {
    assert.equal(show('=SEQUENCE(1048576)'), '#SPILL!');
  });
});

describe('a circle', () => {
  it('a circle is #CIRC! in all its cells and in what depends on them (SHEET-39)', () => {
    const workbook = workbookOf({
      A1: '=B1',
      B1: '=C1+1',
      C1: '=A1',
      D1: '=A1+1',
      E1: '=IFERROR(A1,"no")',
      F1: 5,
    });
    assert.deepEqual(shown(workbook, ['A1', 'B1', 'C1', 'D1', 'E1']), [
      '#CIRC!',
      '#CIRC!',
      '#CIRC!',
      '#CIRC!',
      'no',
    ]);
    workbook.change({ sheet: 0, cells: cellsOf({ C1: '=F1' }) });
    assert.deepEqual(shown(workbook, ['A1', 'B1', 'C1', 'D1', 'E1']), [6, 6, 5, 7, 6]);
  });

  it('holds even what would catch it', () => {
    assert.deepEqual(shown(workbookOf({ A1: '=IFERROR(B1,0)', B1: '=A1' }), ['A1', 'B1']), [
      '#CIRC!',
      '#CIRC!',
    ]);
  });

  it('runs through ranges and through references that are found late', () => {
    assert.deepEqual(shown(workbookOf({ A5: '=SUM(A:A)' }), ['A5']), ['#CIRC!']);
    assert.deepEqual(shown(workbookOf({ A1: '=INDIRECT("B1")', B1: '=OFFSET(B1,0,-1)' }), ['A1', 'B1']), [
      '#CIRC!',
      '#CIRC!',
    ]);
  });

  it('is none while its ways are not taken', () => {
    const workbook = workbookOf({ A1: true, B1: '=IF(A1,1,C1)', C1: '=IF(A1,B1,2)' });
    assert.deepEqual(shown(workbook, ['B1', 'C1']), [1, 1]);
    assert.deepEqual(
      shown(workbookOf({ A5: '=ROW(A5)+COLUMN(A1:A9)', B1: '=INDEX(B1:B3,2)', B2: 7 }), ['A5', 'B1']),
      [6, 7],
    );
  });
});

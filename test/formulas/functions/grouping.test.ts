import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Workbook } from '../../../src/formulas/workbook/workbook.ts';

const SALES = [
  ['Region', 'Product', 'Sales'],
  ['East', 'Widget', 10],
  ['West', 'Gizmo', 7],
  ['East', 'Gizmo', 5],
  ['west', 'Widget', 4],
  ['North', 'Widget', 2],
];

/** What a formula spills beside the sales. */
function spilled(formula: string): unknown[][] {
  const workbook = new Workbook([{ name: 'Sheet1' }]);
  const cells = SALES.flatMap((row, at) => row.map((input, column) => ({ row: at, column, input })));
  workbook.change({ sheet: 0, cells: [...cells, { row: 0, column: 9, input: `=${formula}` }] });
  workbook.calculate(10_000);
  return [...workbook.rows({ sheet: 0, top: 0, left: 9, bottom: 30, right: 30 })];
}

const EXPECTED: readonly (readonly [string, unknown[][]])[] = [
  [
    'GROUPBY(A1:A6,C1:C6,SUM)',
    [
      ['East', 15],
      ['North', 2],
      ['West', 11],
      ['Total', 28],
    ],
  ],
  [
    'GROUPBY(A1:A6,C1:C6,SUM,3,0,-2)',
    [
      ['Region', 'Sales'],
      ['East', 15],
      ['West', 11],
      ['North', 2],
    ],
  ],
  [
    'GROUPBY(A2:A6,C2:C6,LAMBDA(v,MAX(v)),2,-1)',
    [
      ['Row Field 1', 'Value 1'],
      ['Total', 10],
      ['East', 10],
      ['North', 2],
      ['West', 7],
    ],
  ],
  [
    'GROUPBY(A2:A6,C2:C6,SUM,,,,C2:C6>4)',
    [
      ['East', 15],
      ['West', 7],
      ['Total', 22],
    ],
  ],
  [
    'GROUPBY(A2:A6,C2:C6,HSTACK(SUM,COUNT),0,0)',
    [
      ['', 'SUM', 'COUNT'],
      ['East', 15, 2],
      ['North', 2, 1],
      ['West', 11, 2],
    ],
  ],
  [
    'GROUPBY(A2:A6,C2:C6,PERCENTOF,,0)',
    [
      ['East', 15 / 28],
      ['North', 2 / 28],
      ['West', 11 / 28],
    ],
  ],
  [
    'GROUPBY(A2:B6,C2:C6,SUM,0,2,{-1,2})',
    [
      ['West', 'Gizmo', 7],
      ['West', 'Widget', 4],
      ['West', '', 11],
      ['North', 'Widget', 2],
      ['North', '', 2],
      ['East', 'Gizmo', 5],
      ['East', 'Widget', 10],
      ['East', '', 15],
      ['Grand Total', '', 28],
    ],
  ],
  [
    'PIVOTBY(A1:A6,B1:B6,C1:C6,SUM)',
    [
      ['', 'Gizmo', 'Widget', 'Total'],
      ['East', 5, 10, 15],
      ['North', '', 2, 2],
      ['West', 7, 4, 11],
      ['Total', 12, 16, 28],
    ],
  ],
  [
    'PIVOTBY(A1:A6,B1:B6,C1:C6,PERCENTOF,3,0,-1,0,,,1)',
    [
      ['Region', 'Gizmo', 'Widget'],
      ['West', 7 / 11, 4 / 11],
      ['North', '', 1],
      ['East', 5 / 15, 10 / 15],
    ],
  ],
  ['BYROW(A2:C3,COUNTA)', [[3], [3]]],
  ['MAP(C5:C5,SQRT)', [[2]]],
  ['LET(f,SUM,f(C2:C6))', [[28]]],
  ['SUM', [['#CALC!']]],
  ['NOSUCH', [['#NAME?']]],
  ['GROUPBY(A1:A6,C1:C5,SUM)', [['#VALUE!']]],
  ['GROUPBY(A1:A6,C1:C6,5)', [['#VALUE!']]],
  ['GROUPBY(A1:A6,C1:C6,SUM,,,3)', [['#VALUE!']]],
  ['PIVOTBY(A1:A6,B1:B6,C1:C6,SUM,,,,,-3)', [['#VALUE!']]],
  [
    'PIVOTBY(A2:A6,B2:B6,C2:C6,HSTACK(SUM,COUNT),0,0,,0,-1)',
    [
      ['', 'Widget', 'Widget', 'Gizmo', 'Gizmo'],
      ['', 'SUM', 'COUNT', 'SUM', 'COUNT'],
      ['East', 10, 1, 5, 1],
      ['North', 2, 1],
      ['West', 4, 1, 7, 1],
    ],
  ],
  ['GROUPBY(A2:A6,C2:C6,SUM,,,,C2:C6>99)', [['#CALC!']]],
  ['GROUPBY(A2:A6,C2:C6)', [['#ERROR!']]],
];

describe('records in groups', () => {
  for (const [formula, shown] of EXPECTED)
    it(`${formula} spills ${shown.length} rows as expected`, () => assert.deepEqual(spilled(formula), shown));

  it('cost what they have, and not more than a formula may', () => {
    const workbook = new Workbook([{ name: 'Sheet1' }]);
    workbook.change({
      sheet: 0,
      cells: [
        { row: 0, column: 0, input: '=SEQUENCE(20000)' },
        { row: 0, column: 3, input: '=ROWS(GROUPBY(A1:A20000,A1:A20000,SUM))' },
        { row: 1, column: 3, input: '=ROWS(PIVOTBY(A1:A20000,A1:A20000,A1:A20000,SUM))' },
      ],
    });
    workbook.calculate(60_000);
    assert.equal(workbook.value(0, 0, 3), 20_001);
    assert.equal(String((workbook.value(0, 1, 3) as { code?: string }).code), '#NUM!');
  });
});

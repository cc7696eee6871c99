import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type Cell, makeSpreadsheet, read, restructure, write } from './spreadsheets-world.ts';

/** What people type, one below the other from K2 on, and what it shows. */
const SHOWN: readonly (readonly [formula: string, shown: Cell])[] = [
  ['=@F1:F3', 2],
  ['=K3', '#CIRC!'],
  // Operators: a sign binds closer than a power, a percentage closer than both.
  ['=-2^2', 4],
  ['=0-2^2', -4],
  ['=2^-1', 0.5],
  ['=2^3^2', 64],
  ['=10%+1', 1.1],
  ['=50%%', 0.005],
  ['=-50%', -0.5],
  ['=1+2&3', '33'],
  ['=1&2=12', false],
  ['="1"+1', 2],
  ['="1,000"+1', 1001],
  ['="$5"*2', 10],
  ['="50%"*2', 1],
  ['="abc"+1', '#VALUE!'],
  ['=TRUE+1', 2],
  ['="2026-03-01"+0', 46_082],
  ['="12:00"*1', 0.5],
  ['=+"x"', 'x'],
  ['=--"3"', 3],
  ['=1/0', '#DIV/0!'],
  ['=0^0', '#NUM!'],
  ['=10^309', '#NUM!'],
  ['=1E400', '#NUM!'],
  ['=-1E400', '#NUM!'],
  ['=IF(TRUE,1E400)', '#NUM!'],
  ['={1E400}', '#NUM!'],
  ['=MMULT({1E200},{1E200})', '#NUM!'],
  ['=GROWTH({1,1E300},{1,2},{1000})', '#NUM!'],
  ['=SQRT(-1)', '#NUM!'],
  ['=NOSUCH(1)', '#NAME?'],
  ['=nosuchname', '#NAME?'],
  ['=1+', '#ERROR!'],
  ['=SUM(1,2', '#ERROR!'],
  ['=Nowhere!A1', '#REF!'],
  ['=#N/A', '#N/A'],
  // Comparison: numbers before texts before truth values, texts without regard to case.
  ['="a"="A"', true],
  ['="a"<"B"', true],
  ['=1<"1"', true],
  ['="z"<TRUE', true],
  ['=10="10"', false],
  ['=B9=0', true],
  ['=B9=""', true],
  ['=B9=FALSE', true],
  ['=0.1+0.2=0.3', true],
  ['=1.1-1=0.1', true],
  ['=(0.1+0.2-0.3)=0', true],
  // Dates: 1900 has a 29 February.
  ['=DATE(1900,2,29)', 60],
  ['=DATE(1900,3,1)', 61],
  ['=TEXT(60,"yyyy-mm-dd")', '1900-02-29'],
  ['=DATE(2026,13,1)-DATE(2027,1,1)', 0],
  ['=DATE(2026,3,0)=DATE(2026,2,28)', true],
  ['=WEEKDAY(1)', 1],
  ['=TEXT(1234.5,"#,##0.00")', '1,234.50'],
  ['=TEXT(0.256,"0.0%")', '25.6%'],
  ['=VALUE("1e3")', 1000],
  ['=DATEDIF(DATE(2024,1,31),DATE(2024,3,1),"m")', 1],
  // Aggregates pass over texts and truth values in cells, not in arguments.
  ['=SUM("3",TRUE)', 4],
  ['=SUM(D1:D4)', 7],
  ['=COUNT(D1:D4)', 1],
  ['=COUNTA(D1:D4)', 4],
  ['=AVERAGE(D1:D4)', 7],
  ['=MAX(D2:D4)', 0],
  ['=SUM(D1,"x")', '#VALUE!'],
  ['=COUNTIF(D1:D4,"7")', 2],
  ['=SUMPRODUCT(D1:D2,D1:D2)', 49],
  // Lookups.
  ['=VLOOKUP("B*",E1:F3,2,FALSE)', 2],
  ['=VLOOKUP("zz",E1:F3,2,FALSE)', '#N/A'],
  ['=VLOOKUP("banana",E1:F3,3,FALSE)', '#REF!'],
  ['=INDEX(F1:F3,MATCH("CHERRY",E1:E3,0))', 3],
  ['=XLOOKUP("q",E1:E3,F1:F3,"none")', 'none'],
  ['=SUM(F:F)', 6],
  ['=SUM(F1:F3 E2:F2)', 2],
  ['=F1:F1 F2:F2', '#NULL!'],
  ['=SUM((F1,F3))', 4],
  ['=ROWS(F:F)', 1_048_576],
  ['=SUM(IF(F1:F3>1,F1:F3))', 5],
  // LET and LAMBDA.
  ['=LET(x,2,y,x*3,x+y)', 8],
  ['=LAMBDA(a,b,a*b)(3,4)', 12],
  ['=REDUCE(0,F1:F3,LAMBDA(a,v,a+v^2))', 14],
  ['=SUM(MAP(F1:F3,LAMBDA(v,v*10)))', 60],
  ['=SUM(SCAN(0,F1:F3,LAMBDA(a,v,a+v)))', 10],
  ['=SUM(BYROW(F1:F3,LAMBDA(r,SUM(r))))', 6],
  ['=LAMBDA(x,x)', '#CALC!'],
  ['=SUM(MAKEARRAY(2,2,LAMBDA(r,c,r*c)))', 9],
  ['=FILTER(F1:F3,F1:F3>9)', '#CALC!'],
  ['=IFERROR(1/0,"caught")', 'caught'],
  ['=IF(TRUE,,5)', 0],
  ['=CHOOSE(2,"a","b")', 'b'],
  ['=IFS(FALSE,1)', '#N/A'],
  ['=SWITCH(3,1,"a","other")', 'other'],
  ['=CONCAT("a",1,TRUE)', 'a1TRUE'],
  ['=LEFT(123,2)', '12'],
  ['=ROUND(2.5,0)+ROUND(-2.5,0)', 0],
  ['=MOD(-3,2)', 1],
  ['=INT(-1.5)', -2],
  ['=ISBLANK(B9)', true],
  ['=TYPE(1/0)', 16],
  ['=ERROR.TYPE(NA())', 7],
  ['=FORMULATEXT(G1)', '=1+1'],
  ['=ADDRESS(2,3)', '$C$2'],
  ['=CELL("address",C2)', '$C$2'],
  ["='It''s here'!B2*2", 84],
  ["=SUM('It''s here'!A1:B2)", 42],
  ['=SUM(Sheet1!F1:Sheet1!F3)', 6],
  ['=HYPERLINK("https://example.org","site")', 'site'],
  ['=UNIQUE(E1:E3)', '#SPILL!'],
  ['=1', 1],
];

const BESIDE: Cell[][] = [
  [7, 'apple', 1, '=1+1'],
  ['7', 'banana', 2, ''],
  ['x', 'cherry', 3, ''],
  [true, '', '', ''],
];

forEachEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startApp(engine);
  });
  after(() => app.stop());

  test('show what they show in Excel', async () => {
    const id = await makeSpreadsheet(app);
    await restructure(app, id, [{ type: 'add_sheet', sheet: "It's here" }]);
    await write(app, id, "'It''s here'!B2", [[42]]);
    await write(app, id, 'D1:G4', BESIDE);
    await write(
      app,
      id,
      'K2',
      SHOWN.map(([formula]) => [formula]),
    );
    const values = await read(app, id, `K2:K${SHOWN.length + 1}`, 'value');
    const wrong = SHOWN.flatMap(([formula, shown], at) => {
      const value = values[at]?.[0];
      const isClose =
        typeof value === 'number' && typeof shown === 'number' && Math.abs(value - shown) < 1e-9;
      return value === shown || isClose ? [] : [{ formula, value, shown }];
    });
    assert.deepEqual(wrong, []);
  });

  test('are computed anew where a spilled array, a chain or a sheet changes under them', async () => {
    const id = await makeSpreadsheet(app);
    await write(app, id, 'A1', [[3, '=SEQUENCE(A1)', '=SUM(B1#)', '=COUNTA(B:B)']]);
    assert.deepEqual(await read(app, id, 'A1:D3', 'value'), [
      [3, 1, 6, 3],
      ['', 2],
      ['', 3],
    ]);
    await write(app, id, 'B3', [['in the way']]);
    assert.deepEqual(await read(app, id, 'B1:D1', 'value'), [['#SPILL!', '#SPILL!', 2]]);
    await write(app, id, 'B3', [['']]);
    await write(app, id, 'A1', [[2]]);
    assert.deepEqual(await read(app, id, 'B1:D2', 'value'), [[1, 3, 2], [2]]);
    await restructure(app, id, [
      { type: 'insert_rows', sheet: 'Sheet1', start: 1, count: 2 },
      { type: 'rename_sheet', sheet: 'Sheet1', name: "Mother's" },
      { type: 'add_sheet', sheet: 'Second' },
    ]);
    await write(app, id, 'Second!A1', [
      ["='Mother''s'!C3*10", "=SUM('Mother''s'!B3#)", "=COUNT('Mother''s'!A:D)"],
    ]);
    assert.deepEqual(await read(app, id, 'Second!A1:C1', 'value'), [[30, 3, 5]]);
    assert.deepEqual(await read(app, id, "'Mother''s'!C3:'Mother''s'!D3"), [['=SUM(B3#)', '=COUNTA(B:B)']]);
  });

  test('chain 50,000 cells', async () => {
    const id = await makeSpreadsheet(app);
    await write(
      app,
      id,
      'A1',
      Array.from({ length: 50_000 }, (_, row) => [row === 49_999 ? 1 : `=A${row + 2}+1`]),
    );
    assert.deepEqual(await read(app, id, 'A1', 'value'), [[50_000]]);
    await write(app, id, 'A50000', [[11]]);
    assert.deepEqual(await read(app, id, 'A1', 'value'), [[50_010]]);
  });
});

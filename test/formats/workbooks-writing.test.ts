import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { read, utils } from '@e965/xlsx';
import fc from 'fast-check';
import type { CellInput } from '../../src/formats/workbooks/workbook.ts';
import { writeXlsx } from '../../src/formats/workbooks/xlsx/write.ts';
import { type Cells, cellsOf, exported } from './workbook-files.ts';

type Rows = readonly (readonly (CellInput | undefined)[])[];

async function written(sheets: Record<string, Rows>): Promise<Buffer> {
  const shown = (input: CellInput) => (typeof input === 'string' && input.startsWith('=') ? 7 : input);
  return buffer(writeXlsx(Object.entries(sheets).map(([name, rows]) => exported(name, rows, shown))));
}

function cellsIn(sheets: Record<string, Rows>): Cells {
  const cells: Cells = {};
  for (const [name, rows] of Object.entries(sheets)) {
    for (const [r, row] of rows.entries()) {
      for (const [c, input] of row.entries()) {
        if (input !== undefined && input !== '') cells[`${name}!${utils.encode_cell({ r, c })}`] = input;
      }
    }
  }
  return cells;
}

const FORMULAS = [
  '=A1',
  '=SUM(A1:A3)',
  '=@A1:A3',
  '=A1:A3*2',
  '=SUM(@A1:A3*@B1:B3)',
  '=SUM(A1:A3*B1:B3)',
  '=SUMPRODUCT(A1:A3*B1:B3)',
  '=SORT(A1:A3,1,-1)',
  '=XLOOKUP(A1,B:B,C:C)',
  '=LET(x,1,x+1)',
  '=MAP(A1:A3,LAMBDA(f,f*2))',
  '=SUM(B1#)',
  '=LAMBDA(a,[b],IF(ISOMITTED(b),a,a*b))(1,2)',
  '=Sheet1!#REF!+1',
  '=@INDEX(A1:A3,2)',
  '=@(A1:A3)',
  '=IFNA(VLOOKUP(A1,B:C,2,0),"<&>\r\n\u0001 ""=")',
  '=#REF!',
  '=#N/A',
  "='My sheet'!$A$1:B2",
  '={1,2;3,4}',
  '="=x"',
  '=',
];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    ' both ',
    '_x0041_',
    '_x',
    '\r\n',
    '\t',
    '=1+1',
    '="x"',
    '<b>&amp;',
    '\ud800',
    '\uffff',
    '007',
    'TRUE',
  ),
);
const input: fc.Arbitrary<CellInput | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(undefined, true, false, 0, -1.5, 1e21, 5e-324, 41684.5) },
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  text.map((content) =>
    content.startsWith('=') && content !== '=' ? `="${content.replaceAll('"', '""')}"` : content,
  ),
  fc.constantFrom(...FORMULAS),
);

describe('writing .xlsx workbooks', () => {
  it('gives back equal cells', async () => {
    const name = fc.constantFrom('Sheet1', 'Größe & "more"', "it's", '日本', 'A1');
    const rows = fc.array(fc.array(input, { maxLength: 6 }), { maxLength: 6 });
    const workbooks = fc.dictionary(name, rows, { minKeys: 1, maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(workbooks, async (sheets) => {
        assert.deepEqual(await cellsOf(await written(sheets)), cellsIn(sheets));
      }),
      { numRuns: 150 },
    );
  });

  it('is read alike by another reader: texts, numbers, formulas and what they show', async () => {
    const bytes = await written({
      Sheet1: [
        ['=x is text', 1.5, true, '=SUM(A1:B1)', '="=y"', '=#N/A', '=SORT(A1:B1)', ' a\nb _x0041_ '].map(
          (one) => (one === '=x is text' ? '="=x is text"' : one),
        ),
      ],
      'Größe & "more"': [[undefined], [undefined, 'x']],
    });
    const book = read(bytes, { cellFormula: true, xlfn: true });
    assert.deepEqual(book.SheetNames, ['Sheet1', 'Größe & "more"']);
    const sheet = book.Sheets.Sheet1 ?? {};
    const shown = ['A1', 'B1', 'C1', 'D1', 'E1', 'F1', 'G1', 'H1'].map((address) => [
      sheet[address]?.t,
      sheet[address]?.v,
      sheet[address]?.f,
    ]);
    assert.deepEqual(shown, [
      ['s', '=x is text', undefined],
      ['n', 1.5, undefined],
      ['b', true, undefined],
      ['n', 7, 'SUM(A1:B1)'],
      ['s', '=y', undefined],
      ['e', 42, undefined],
      ['n', 7, '_xlfn._xlws.SORT(A1:B1)'],
      ['s', ' a\nb _x0041_ ', undefined],
    ]);
    assert.equal(book.Sheets['Größe & "more"']?.B2?.v, 'x');
  });

  it('writes a formula that does not parse as the text that it is', async () => {
    assert.deepEqual(await cellsOf(await written({ S: [['=SUM(', `=${'('.repeat(40_000)}`]] })), {
      'S!A1': '="=SUM("',
      'S!B1': `="=${'('.repeat(40_000)}"`,
    });
  });

  it('follows one sheet at a time, however many there are', async () => {
    const sheets = Array.from({ length: 40 }, (_, i) => [`Sheet${i + 1}`, [[i]]] as const);
    const file = writeXlsx(sheets.map(([name, rows]) => exported(name, rows, (input) => input)));
    let most = 0;
    for await (const _ of file) most = Math.max(most, file.listenerCount('close'));
    assert.ok(most < 10, `${most} listeners`);
  });

  it('fails, when what it reads fails, and stops reading when nobody reads it', async () => {
    const failing = { ...exported('S', []), rows: rowsThatFail() };
    await assert.rejects(buffer(writeXlsx([failing])), /lost in the middle/);
    let hasEnded = false;
    const endless = writeXlsx([
      {
        ...exported('S', []),
        rows: endlessRows(() => {
          hasEnded = true;
        }),
      },
    ]);
    let bytes = 0;
    for await (const chunk of endless) {
      bytes += chunk.length;
      if (bytes > 100_000) break;
    }
    while (!hasEnded) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

async function* rowsThatFail() {
  yield { row: 0, cells: [{ column: 0, input: 1, value: 1 }] };
  throw new Error('lost in the middle');
}

async function* endlessRows(onEnd: () => void) {
  try {
    for (let row = 0; ; row++) yield { row, cells: [{ column: 0, input: Math.random(), value: 1 }] };
  } finally {
    onEnd();
  }
}

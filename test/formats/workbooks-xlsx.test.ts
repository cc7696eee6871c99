import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { archive, cellsOf, workbookFixture, workbookOf } from './workbook-files.ts';

/** The inputs of the cells of a row, given as they stand in the file. */
async function inputs(cells: string, parts: Record<string, string> = {}) {
  return Object.values(await cellsOf(await workbookOf(`<row r="1">${cells}</row>`, parts)));
}

const shared = (...items: string[]) => ({
  'xl/sharedStrings.xml': `<sst>${items.map((item) => `<si>${item}</si>`).join('')}</sst>`,
});

describe('reading .xlsx workbooks', () => {
  it('reads numbers, booleans, errors and dates', async () => {
    const cells =
      '<c r="A1"><v>1.5</v></c><c r="B1" t="b"><v>1</v></c><c r="C1" t="b"><v>0</v></c><c r="D1" t="e"><v>#N/A</v></c><c r="E1" t="d"><v>2014-02-14T12:00:00Z</v></c><c r="F1" t="e"><v>#BUSY!</v></c><c r="G1" t="n"/>';
    assert.deepEqual(await inputs(cells), [1.5, true, false, '=#N/A', 41684.5, '#BUSY!']);
  });

  it('reads shared, inline and rich texts, and what XML cannot hold', async () => {
    const parts = shared(
      '<t>one</t>',
      '<r><t xml:space="preserve">two </t></r><r><t>&lt;3</t></r><rPh sb="0" eb="1"><t>no</t></rPh>',
      '<t>_x0007_ _x005F_x0041_</t>',
      '<t/>',
    );
    const cells =
      '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c><c r="E1" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c><c r="F1" t="inlineStr"><is><t>007</t></is></c>';
    assert.deepEqual(await inputs(cells, parts), ['one', 'two <3', '\x07 _x0041_', 'inline', '007']);
  });

  it('makes no formula of a text that looks like one', async () => {
    const cells = '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>';
    assert.deepEqual(await inputs(cells, shared('<t>=x"y"</t>', '<t>=</t>')), ['="=x""y"""', '=']);
  });

  it('reads formulas without what they have computed', async () => {
    const cells =
      '<c r="A1"><f>SUM(B1:C1)&amp;"_xlfn."</f><v>3</v></c><c r="B1" t="str"><f>_xlfn.CONCAT(_xlfn._xlws.SORT(C1))</f><v>x</v></c><c r="C1"><f/><v>4</v></c>';
    assert.deepEqual(await inputs(cells), ['=SUM(B1:C1)&"_xlfn."', '=CONCAT(SORT(C1))', 4]);
  });

  it('moves shared formulas along with their cells', async () => {
    const rows =
      '<row r="2"><c r="B2"><f t="shared" ref="B2:B4" si="0">A1+$A$1+Sheet1!A:A+"A1"+LOG10(A1:A1)</f></c></row><row r="3"><c r="B3"><f t="shared" si="0"/></c></row><row r="4"><c r="C4"><f t="shared" si="0"/></c></row>';
    assert.deepEqual(Object.values(await cellsOf(await workbookOf(rows))), [
      '=A1+$A$1+@Sheet1!A:A+"A1"+LOG10(A1:A1)',
      '=A2+$A$1+@Sheet1!A:A+"A1"+LOG10(A2:A2)',
      '=B3+$A$1+@Sheet1!B:B+"A1"+LOG10(B3:B3)',
    ]);
    const absolute = await cellsOf(workbookFixture('calamine__tests__issue_567_absolute_shared.xlsx'));
    assert.equal(absolute['Sheet1!E3'], '=E$1');
  });

  it('drops what the formula of another cell fills in', async () => {
    const rows =
      '<row r="1"><c r="A1"><f t="array" ref="A1:B2">C1:D2*2</f><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2"><c r="A2"><v>3</v></c><c r="C2"><v>9</v></c></row>';
    assert.deepEqual(await cellsOf(await workbookOf(rows)), { 'Sheet1!A1': '=C1:D2*2', 'Sheet1!C2': 9 });
    const spilled = await cellsOf(workbookFixture('phpspreadsheet__XLSX__atsign.choosecols.xlsx'));
    assert.deepEqual([spilled['Sheet1!F1'], spilled['Sheet1!G1']], ['=CHOOSECOLS(A1:C5,3,1)', undefined]);
  });

  it('says where an older formula takes one cell of a range', async () => {
    const cells =
      '<c r="A1"><f>B1:B9</f></c><c r="B1"><f>SUMPRODUCT(C1:C9*D1:D9)</f></c><c r="C1"><f>SUM(C1:C9*D1:D9)</f></c><c r="D1"><f>_xlfn.SINGLE(E1:E9)+SUM(_xlfn.ANCHORARRAY(F1))</f></c><c r="E1"><f t="array" ref="E1">G1:G9</f></c>';
    assert.deepEqual(await inputs(cells), [
      '=@B1:B9',
      '=SUMPRODUCT(C1:C9*D1:D9)',
      '=SUM(@C1:C9*@D1:D9)',
      '=@E1:E9+SUM(F1#)',
      '=G1:G9',
    ]);
  });

  it('keeps what a data table has computed, which has no formula', async () => {
    const cells = '<c r="A1"><f t="dataTable" ref="A1:A2" r1="B1"/><v>5</v></c>';
    assert.deepEqual(await inputs(cells), [5]);
  });

  it('puts what names stand for in their place', async () => {
    const names =
      '<definedName name="Rate">0.25</definedName><definedName name="Rate" localSheetId="0">Sheet1!$B$2</definedName><definedName name="beside">Sheet1!B1</definedName><definedName name="both">Rate+1</definedName><definedName name="_xlnm.Print_Area">Sheet1!$A$1</definedName><definedName name="loop">loop+1</definedName><definedName name="TWICE">_xlfn.LAMBDA(_xlpm.n,_xlpm.n*2)</definedName>';
    const workbook = `<workbook><sheets><sheet name="Sheet1" r:id="a"/></sheets><definedNames>${names}</definedNames></workbook>`;
    const formulas = ['RATE*2', 'beside', 'SUM(both)', 'loop', 'missing', '"Rate"', 'TWICE(3)'];
    const cells = formulas.map((formula, i) => `<c r="${'ABCDEFG'[i]}1"><f>${formula}</f></c>`).join('');
    assert.deepEqual(await inputs(cells, { 'xl/workbook.xml': workbook }), [
      '=Sheet1!$B$2*2',
      '=Sheet1!C1',
      '=SUM((0.25+1))',
      '=(loop+1)',
      '=missing',
      '="Rate"',
      '=(LAMBDA(n,n*2))(3)',
    ]);
  });

  it('puts ranges in the place of references to tables', async () => {
    const real = await cellsOf(workbookFixture('closedxml__TryToLoad__TableHeadersWithLineBreaks.xlsx'));
    assert.equal(real['Sheet1!H7'], '=SUBTOTAL(109,$H$2:$H$6)');
    const parts = {
      'xl/worksheets/_rels/sheet1.xml.rels':
        '<Relationships><Relationship Id="t" Type="x/table" Target="../tables/t.xml"/></Relationships>',
      'xl/tables/t.xml':
        '<table displayName="Sales" ref="B2:C5" totalsRowCount="1"><tableColumns><tableColumn name="Item"/><tableColumn name="Net price"/></tableColumns><extLst><x14:table altText="what it shows"/></extLst></table>',
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="Sheet1" r:id="a"/></sheets><definedNames><definedName name="total">SUM(Sales[Net price])</definedName></definedNames></workbook>',
    };
    const formulas = [
      'SUM(Sales[Net price])',
      'Sales[[#This Row],[Net price]]*2',
      'COUNTA(Sales[#Headers])',
      'COUNTA(Sales[[#All],[Item]:[Net price]])',
      'SUM(Sales)',
      'Sales[[#Totals],[Item]]',
      'Sales[Missing]',
      'total',
    ];
    const cells = formulas.map((formula, i) => `<c r="${'ABCDEFGH'[i]}4"><f>${formula}</f></c>`).join('');
    assert.deepEqual(Object.values(await cellsOf(await workbookOf(`<row r="4">${cells}</row>`, parts))), [
      '=SUM($C$3:$C$4)',
      '=$C4*2',
      '=COUNTA($B$2:$C$2)',
      '=COUNTA($B$2:$C$5)',
      '=SUM($B$3:$C$4)',
      '=$B$5',
      '=Sales[Missing]',
      '=(SUM(Sheet1!$C$3:$C$4))',
    ]);
  });

  it('counts days from 1900, wherever the workbook counts them from', async () => {
    const parts = {
      'xl/workbook.xml':
        '<workbook><workbookPr date1904="1"/><sheets><sheet name="Sheet1" r:id="a"/></sheets></workbook>',
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/><numFmt numFmtId="165" formatCode="0.0E+00&quot;day&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    };
    const cells = ['', ' s="0"', ' s="1"', ' s="2"', ' s="3"'].map(
      (style, i) => `<c r="${'ABCDE'[i]}1"${style}><v>100</v></c>`,
    );
    assert.deepEqual(await inputs(cells.join(''), parts), [100, 100, 1562, 1562, 100]);
  });

  it('finds sheets by their relationships, in order, without those that are charts', async () => {
    const bytes = await archive({
      '_rels/.rels':
        '<Relationships><Relationship Id="x" Type="t/officeDocument" Target="/b/Book.xml"/></Relationships>',
      'b/book.xml':
        '<x:workbook xmlns:x="m" xmlns:r="r"><x:sheets><x:sheet name="Zwei &amp; mehr" r:id="r2"/><x:sheet name="Chart" r:id="r3"/><x:sheet name="Eins" state="hidden" r:id="r1"/></x:sheets></x:workbook>',
      'b/_rels/book.xml.rels':
        '<Relationships><Relationship Id="r1" Type="t/worksheet" Target="one.xml"/><Relationship Id="r2" Type="t/worksheet" Target="../b/two.xml"/><Relationship Id="r3" Type="t/chartsheet" Target="c.xml"/></Relationships>',
      'b/one.xml':
        '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c><x:c><x:v>2</x:v></x:c></x:row></x:sheetData></x:worksheet>',
      'b/two.xml': Buffer.from(
        '\ufeff<?xml version="1.0" encoding="utf-16"?><worksheet><sheetData><row><c><v>3</v></c></row></sheetData></worksheet>',
        'utf16le',
      ),
    });
    assert.deepEqual(await cellsOf(bytes), { 'Zwei & mehr!A1': 3, 'Eins!A1': 1, 'Eins!B1': 2 });
  });

  it('puts the cells of a row in order, and takes the last of one that comes twice', async () => {
    const cells = '<c r="C1"><v>3</v></c><c r="A1"><v>1</v></c><c r="C1"><v>4</v></c>';
    assert.deepEqual(await cellsOf(await workbookOf(`<row r="1">${cells}</row>`)), {
      'Sheet1!A1': 1,
      'Sheet1!C1': 4,
    });
  });
});

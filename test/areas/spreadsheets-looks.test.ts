/** What people see of workbooks beside cells: that it survives import and export, follows rows and columns, and that what is lost is told. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { read as readBook, type WorkBook } from '@e965/xlsx';
import { sweepOrphanedSheets } from '../../src/areas/spreadsheets/workbook/orphaned-sheets.ts';
import { forEachEngine } from '../engines.ts';
import { archive, noWorkbooks, partOf, realFile, workbookOf } from '../formats/workbook-files.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { type Person, putFile, theOwner } from './files-world.ts';
import { restructure, stateOf, write } from './spreadsheets-world.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relationships = (...all: [id: string, kind: string, target: string, mode?: 'External'][]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all
    .map(
      ([id, kind, target, mode]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
    )
    .join('')}</Relationships>`;

const CELLS = '<row r="1"><c r="A1"><v>1</v></c></row><row r="9"><c r="F9"><v>9</v></c></row>';
const BOOK = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheets><sheet name="Sales" sheetId="1" r:id="r1"/><sheet name="Q&amp;A's" sheetId="2" r:id="r2"/><sheet name="Old" sheetId="3" state="hidden" r:id="r3"/></sheets><definedNames><definedName name="_xlnm.Print_Area" localSheetId="0">Sales!$A$1:$F$9</definedName><definedName name="Prices" comment="of tea">Sales!$B$2:$B$5</definedName><definedName name="Rate" localSheetId="1" hidden="1">'Q&amp;A''s'!$A$1*0.19</definedName><definedName name="Other">[1]Sheet1!$A$1</definedName></definedNames></workbook>`;
const SALES = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"><sheetViews><sheetView workbookViewId="0"><pane xSplit="1" ySplit="2" topLeftCell="C7" activePane="bottomRight" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultColWidth="11.5" defaultRowHeight="15"/><cols><col min="2" max="3" width="20.25" customWidth="1"/><col min="4" max="4" width="9" hidden="1"/></cols><sheetData>${CELLS}</sheetData><autoFilter ref="A1:F9"><filterColumn colId="1"><filters><filter val="x"/></filters></filterColumn></autoFilter><mergeCells count="2"><mergeCell ref="B2:C4"/><mergeCell ref="A6:F6"/></mergeCells><hyperlinks><hyperlink ref="A1" r:id="h1" tooltip="Shop &amp; more"/><hyperlink ref="A2:B3" location="'Q&amp;A''s'!B2"/><hyperlink ref="A5" r:id="h2"/><hyperlink ref="A7" r:id="h3"/></hyperlinks></worksheet>`;
const PARTS = {
  '_rels/.rels': relationships(['book', 'officeDocument', 'xl/workbook.xml']),
  '[Content_Types].xml':
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/worksheets/sheet3.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/comments1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"/></Types>',
  'xl/workbook.xml': BOOK,
  'xl/_rels/workbook.xml.rels': relationships(
    ['r1', 'worksheet', 'worksheets/sheet1.xml'],
    ['r2', 'worksheet', 'worksheets/sheet2.xml'],
    ['r3', 'worksheet', 'worksheets/sheet3.xml'],
  ),
  'xl/worksheets/sheet1.xml': SALES,
  'xl/worksheets/_rels/sheet1.xml.rels': relationships(
    ['h1', 'hyperlink', 'https://example.org/a?b=1&amp;c=2', 'External'],
    ['h2', 'hyperlink', 'mailto:ada@example.org', 'External'],
    ['h3', 'hyperlink', 'file:///etc/passwd', 'External'],
    ['n', 'comments', '../comments1.xml'],
    ['d', 'drawing', '../drawings/drawing1.xml'],
  ),
  'xl/comments1.xml':
    '<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>Ada</author></authors><commentList><comment ref="B5" authorId="0"><text><r><rPr><b/></rPr><t>First </t></r><r><t>&lt;line&gt;\nsecond</t></r></text></comment></commentList></comments>',
  'xl/drawings/drawing1.xml':
    '<xdr:wsDr xmlns:xdr="x" xmlns:a="a"><xdr:twoCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:row>1</xdr:row></xdr:from><xdr:to><xdr:col>5</xdr:col><xdr:row>7</xdr:row></xdr:to><xdr:graphicFrame><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"/></a:graphic></xdr:graphicFrame></xdr:twoCellAnchor></xdr:wsDr>',
  'xl/charts/chart1.xml': '<chart/>',
  'xl/worksheets/sheet2.xml':
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>q</t></is></c></row></sheetData><conditionalFormatting sqref="A1:A5 C2"/><dataValidations><dataValidation sqref="B1"/></dataValidations></worksheet>',
  'xl/worksheets/sheet3.xml':
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>',
  'xl/vbaProject.bin': 'x',
};
const NOTES = [
  { what: 'charts', sheet: 'Sales', range: 'D2:F8' },
  { what: 'conditional_formatting', sheet: "Q&A's", range: 'A1:A5' },
  { what: 'conditional_formatting', sheet: "Q&A's", range: 'C2' },
  { what: 'data_validation', sheet: "Q&A's", range: 'B1' },
  { what: 'defined_names', name: 'Other' },
  { what: 'hyperlinks', sheet: 'Sales', range: 'A7' },
  { what: 'macros' },
];

/** What an independent reader sees of a sheet. */
function seen(book: WorkBook, name: string) {
  const sheet = book.Sheets[name] ?? {};
  const links: Record<string, unknown> = {};
  const notes: Record<string, unknown> = {};
  for (const [address, cell] of Object.entries(sheet)) {
    if (address.startsWith('!')) continue;
    if (cell.l) links[address] = [cell.l.Target, cell.l.Tooltip].filter((part) => part !== undefined);
    if (cell.c?.length > 0) notes[address] = cell.c.map(({ a, t }: { a: string; t: string }) => [a, t]);
  }
  return {
    merges: (sheet['!merges'] ?? []).map(({ s, e }) => [s.r, s.c, e.r, e.c].join()).sort(),
    columns: (sheet['!cols'] ?? []).map((column) => [column?.width, column?.hidden ?? false]),
    rows: (sheet['!rows'] ?? []).flatMap((row, i) => (row?.hidden ? [i] : [])),
    filter: sheet['!autofilter']?.ref,
    links,
    notes,
  };
}

const namesOf = (book: WorkBook) =>
  (book.Workbook?.Names ?? [])
    .filter(({ Name }) => Name !== '_xlnm._FilterDatabase')
    .map(({ Name, Ref, Sheet }) => [Name, Ref, Sheet ?? null])
    .sort();
const hiddenOf = (book: WorkBook) => book.Workbook?.Sheets?.map(({ Hidden }) => Hidden);
const OPTIONS = { cellStyles: true } as const;

forEachEngine((engine) => {
  describe('what people see of workbooks', () => {
    let app: TestApp;
    let owner: Person;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const create = async (bytes: Uint8Array) => {
      const { id } = await putFile(app, owner, { filename: 'book.xlsx', bytes });
      const body = { type: 'spreadsheet', title: 'Looks', source_file_id: id };
      return data(await app.post('/v1/documents', body, { key: OWNER_KEY }), 201);
    };
    const exported = async (id: string, query = ''): Promise<Buffer> => {
      const response = await fetch(`${app.address}/v1/spreadsheets/${id}/export${query}`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      assert.equal(response.status, 200);
      return Buffer.from(await response.arrayBuffer());
    };
    const sheetPart = async (id: string, number = 1) =>
      partOf(await exported(id), `xl/worksheets/sheet${number}.xml`);
    const made = async () => create(await archive(PARTS));

    test('hidden, widths, merged cells, notes, links, filters, names and panes are exported as imported (SHEET-61)', async () => {
      const { id } = await made();
      const bytes = await exported(id);
      const [before, now] = [readBook(await archive(PARTS), OPTIONS), readBook(bytes, OPTIONS)];
      const { links: linksBefore, ...others } = seen(before, 'Sales');
      const { links, ...othersNow } = seen(now, 'Sales');
      assert.deepEqual(othersNow, others);
      assert.equal(others.filter, 'A1:F9');
      assert.deepEqual(others.notes, { B5: [['Ada', 'First <line>\nsecond']] });
      const { A7: _unsafe, ...safe } = linksBefore;
      assert.deepEqual(links, safe);
      assert.equal(Object.keys(safe).length, 6);
      assert.deepEqual(hiddenOf(now), [0, 0, 1]);
      assert.deepEqual(
        namesOf(now),
        namesOf(before).filter(([name]) => name !== 'Other'),
      );
      const part = await partOf(bytes, 'xl/worksheets/sheet1.xml');
      assert.match(
        part,
        /<pane xSplit="1" ySplit="2" topLeftCell="C7" activePane="bottomRight" state="frozen"\/>/,
      );
      assert.match(part, /<sheetFormatPr defaultColWidth="11.5"/);
      assert.match(
        part,
        /<filterColumn colId="1"><filters><filter val="x"><\/filter><\/filters><\/filterColumn>/,
      );
      assert.match(await partOf(bytes, 'xl/workbook.xml'), /name="Prices" comment="of tea"/);
    });

    test('what is exported is imported again without loss (SHEET-61)', async () => {
      const first = await exported((await made()).id);
      const again = await create(first);
      assert.deepEqual(again.import_notes, []);
      assert.deepEqual(await exported(again.id), first);
    });

    test('what an import leaves out is listed with its place, and told later as well (SHEET-62, DOC-14)', async () => {
      const record = await made();
      assert.deepEqual(record.import_notes, NOTES);
      assert.deepEqual(record.import.left_out, [...new Set(NOTES.map(({ what }) => what))]);
      assert.deepEqual(data(await app.get(`/v1/spreadsheets/${record.id}`)).import_notes, NOTES);
      await write(app, record.id, 'A1', [[5]]);
      assert.deepEqual(data(await app.get(`/v1/spreadsheets/${record.id}`)).import_notes, NOTES);
      const plain = await create(await workbookOf(CELLS));
      assert.deepEqual(plain.import_notes, []);
      assert.deepEqual(data(await app.get(`/v1/spreadsheets/${plain.id}`)).import_notes, []);
    });

    test('a spreadsheet that was not imported has no import notes (SHEET-62)', async () => {
      const { id, import_notes } = data(
        await app.post('/v1/documents', { type: 'spreadsheet', title: 'New' }, { key: OWNER_KEY }),
        201,
      );
      assert.equal(import_notes, undefined);
      assert.deepEqual(data(await app.get(`/v1/spreadsheets/${id}`)).import_notes, []);
    });

    test('styles, heights, groups, tables and drawings are listed by sheet and range (SHEET-62)', async () => {
      const bytes = await workbookOf('', {
        'xl/styles.xml':
          '<styleSheet><cellXfs><xf numFmtId="0" fontId="0"/><xf numFmtId="2" fontId="0"/><xf numFmtId="0" fontId="1"/></cellXfs></styleSheet>',
        'xl/worksheets/sheet1.xml': `<worksheet><sheetPr><tabColor rgb="FFFF0000"/></sheetPr><sheetViews><sheetView rightToLeft="1" workbookViewId="0"><pane xSplit="2000" ySplit="900"/></sheetView></sheetViews><cols><col min="1" max="2" outlineLevel="1"/></cols><sheetData><row r="2" ht="40" customHeight="1"><c r="B2" s="1"><v>1</v></c><c r="C2" s="2"><v>1</v></c></row><row r="5" ht="30" customHeight="1"><c r="A5" s="2"/></row></sheetData><sheetProtection sheet="1"/><rowBreaks/><extLst><ext><x14:sparklineGroups xmlns:x14="x" xmlns:xm="y"><x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>Sheet1!A1:B1</xm:f><xm:sqref>C7</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst></worksheet>`,
        'xl/worksheets/_rels/sheet1.xml.rels': relationships(
          ['t', 'table', '../tables/table1.xml'],
          ['d', 'drawing', '../drawings/drawing1.xml'],
          ['p', 'pivotTable', '../pivotTables/pivotTable1.xml'],
        ),
        'xl/tables/table1.xml':
          '<table displayName="Prices" ref="A1:B3"><tableColumns><tableColumn name="a"/><tableColumn name="b"/></tableColumns></table>',
        'xl/pivotTables/pivotTable1.xml':
          '<pivotTableDefinition><location ref="H1:J9"/></pivotTableDefinition>',
        'xl/drawings/drawing1.xml':
          '<wsDr><oneCellAnchor><from><col>1</col><row>2</row></from><pic/></oneCellAnchor><absoluteAnchor><sp/></absoluteAnchor></wsDr>',
      });
      const sheet = 'Sheet1';
      assert.deepEqual((await create(bytes)).import_notes, [
        { what: 'images', sheet, range: 'B3' },
        { what: 'outlines', sheet },
        { what: 'pivot_tables', sheet, range: 'H1:J9' },
        { what: 'print_settings', sheet },
        { what: 'protection', sheet },
        { what: 'row_heights', sheet, range: '2:5' },
        { what: 'shapes', sheet },
        { what: 'sparklines', sheet, range: 'C7' },
        { what: 'split_panes', sheet },
        { what: 'styles', sheet, range: 'A2:C5' },
        { what: 'tab_colors', sheet },
        { what: 'tables', sheet, range: 'A1:B3', name: 'Prices' },
        { what: 'view_settings', sheet },
      ]);
    });

    test('only links by http, https and mailto and within the workbook are kept (SHEET-61)', async () => {
      const targets = [
        'https://example.org/',
        'http://example.org/x',
        'mailto:ada@example.org?subject=a b',
        'javascript:alert(1)',
        'file:///c:/x',
        '\\\\server\\share',
        '../other.xlsx',
        'data:text/html,x',
        'https://',
        `https://example.org/${'x'.repeat(2_100)}`,
      ];
      const cells = targets.map((_, i) => `<hyperlink ref="A${i + 1}" r:id="l${i}"/>`);
      const bytes = await workbookOf('', {
        'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${CELLS}</sheetData><hyperlinks>${cells.join('')}<hyperlink ref="B1" location="Sheet1!C3"/><hyperlink ref="B2" r:id="missing"/></hyperlinks></worksheet>`,
        'xl/worksheets/_rels/sheet1.xml.rels': relationships(
          ...targets
            .map((target, i) => [`l${i}`, 'hyperlink', target, 'External'] as const)
            .map((one) => [...one] as [string, string, string, 'External']),
        ),
      });
      const record = await create(bytes);
      const ranges = record.import_notes.map(({ range }: { range: string }) => range);
      assert.deepEqual(ranges, ['A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'B2']);
      const part = await partOf(await exported(record.id), 'xl/worksheets/_rels/sheet1.xml.rels');
      assert.equal(part.match(/TargetMode="External"/g)?.length, 3);
      assert.doesNotMatch(part, /javascript|file:|data:|server/);
    });

    test('merged cells, notes, links, widths, filters and panes follow rows and columns (SHEET-63)', async () => {
      const { id } = await made();
      const change = async (...operations: object[]) => {
        const answer = await restructure(app, id, operations);
        assert.equal(answer.status, 200);
        return sheetPart(id);
      };
      const sheet = 'Sales';
      const grown = await change(
        { type: 'insert_rows', sheet, start: 3, count: 2 },
        { type: 'insert_columns', sheet, start: 3, count: 1 },
      );
      assert.match(grown, /<mergeCell ref="B2:D6"\/><mergeCell ref="A8:G8"\/>/);
      assert.match(
        grown,
        /<col min="2" max="2" width="20.25" customWidth="1"\/><col min="4" max="4" width="20.25" customWidth="1"\/><col min="5" max="5" width="9" customWidth="1" hidden="1"\/>/,
      );
      assert.match(grown, /<autoFilter ref="A1:G11">/);
      assert.match(grown, /<hyperlink ref="A1" r:id="link1"[^>]*\/><hyperlink ref="A2:B5"/);
      assert.match(grown, /<pane xSplit="1" ySplit="2" topLeftCell="D9"/);
      assert.match(await partOf(await exported(id), 'xl/comments1.xml'), /ref="B7"/);
      const shrunk = await change(
        { type: 'delete_rows', sheet, start: 2, count: 4 },
        { type: 'delete_columns', sheet, start: 1, count: 2 },
      );
      assert.match(shrunk, /<mergeCell ref="A2:B2"\/><mergeCell ref="A4:E4"\/>/);
      assert.match(shrunk, /<pane ySplit="1" topLeftCell="B5" activePane="bottomLeft" state="frozen"\/>/);
      assert.doesNotMatch(shrunk, /hyperlink/);
      assert.doesNotMatch(shrunk, /legacyDrawing/);
    });

    test('defined names and places of links follow rows, columns, renamed and deleted sheets (SHEET-63)', async () => {
      const { id } = await made();
      const operations = [
        { type: 'insert_rows', sheet: 'Sales', start: 1, count: 3 },
        { type: 'insert_columns', sheet: "Q&A's", start: 1, count: 1 },
        { type: 'rename_sheet', sheet: "Q&A's", name: 'Answers' },
        { type: 'rename_sheet', sheet: 'Sales', name: 'My sales' },
      ];
      assert.equal((await restructure(app, id, operations)).status, 200);
      const book = readBook(await exported(id));
      assert.deepEqual(namesOf(book), [
        ['Prices', "'My sales'!$B$5:$B$8", null],
        ['Rate', 'Answers!$B$1*0.19', 1],
        ['_xlnm.Print_Area', "'My sales'!$A$4:$F$12", 0],
      ]);
      assert.equal(book.Sheets['My sales']?.A5?.l?.Target, '#Answers!C2');
      const deleted = [{ type: 'delete_sheet', sheet: 'Answers' }];
      assert.equal((await restructure(app, id, deleted)).status, 200);
      const names = namesOf(readBook(await exported(id)));
      assert.deepEqual(
        names.map(([name]) => name),
        ['Prices', '_xlnm.Print_Area'],
      );
    });

    test('a change beyond the used cells that moves a look or a name makes a new state, another none (SHEET-63, SHEET-34)', async () => {
      const bytes = await workbookOf('', {
        'xl/workbook.xml':
          '<workbook><sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets><definedNames><definedName name="Far">Sheet1!$A$100</definedName></definedNames></workbook>',
        'xl/worksheets/sheet1.xml': `<worksheet><cols><col min="50" max="50" width="30"/></cols><sheetData>${CELLS}</sheetData></worksheet>`,
      });
      const { id } = await create(bytes);
      const isChanged = async (operation: object) => {
        const before = await stateOf(app, id);
        assert.equal((await restructure(app, id, [operation])).status, 200);
        return (await stateOf(app, id)) !== before;
      };
      const sheet = 'Sheet1';
      assert.ok(await isChanged({ type: 'insert_columns', sheet, start: 40, count: 1 }));
      assert.ok(!(await isChanged({ type: 'insert_columns', sheet, start: 60, count: 1 })));
      assert.ok(await isChanged({ type: 'insert_rows', sheet, start: 50, count: 1 }));
      assert.ok(!(await isChanged({ type: 'insert_rows', sheet, start: 200, count: 1 })));
      assert.match(await sheetPart(id), /<col min="51" max="51"/);
    });

    test('what would push a note, a link or merged cells off the sheet is refused (SHEET-48, SHEET-63)', async () => {
      for (const element of [
        '<mergeCells><mergeCell ref="XFC1:XFD2"/></mergeCells>',
        '<hyperlinks><hyperlink ref="XFD1" location="Sheet1!A1"/></hyperlinks>',
      ]) {
        const part = `<worksheet><sheetData>${CELLS}</sheetData>${element}</worksheet>`;
        const { id } = await create(await workbookOf('', { 'xl/worksheets/sheet1.xml': part }));
        const state = await stateOf(app, id);
        const insert = { type: 'insert_columns', sheet: 'Sheet1', start: 1, count: 1 };
        const answer = await restructure(app, id, [insert]);
        assert.deepEqual([answer.status, answer.json.error.code], [400, 'validation_failed']);
        assert.match(JSON.stringify(answer.json.error.details), /no_room/);
        assert.equal(await stateOf(app, id), state);
        assert.match(await sheetPart(id), /XFD/);
      }
    });

    test('looks come along when a sheet is copied to new axes, and go with their sheet (SHEET-63)', async () => {
      const { id } = await made();
      const sheet = 'Sales';
      for (let i = 0; i < 3; i++) {
        const operations = Array.from({ length: 70 }, (_, at) => ({
          type: 'insert_columns',
          sheet,
          start: 2 + at * 2,
          count: 1,
        }));
        await write(app, id, 'Sales!A1', [Array.from({ length: 400 }, () => 1)]);
        assert.equal((await restructure(app, id, operations)).status, 200);
      }
      assert.match(await sheetPart(id), /<mergeCells>.*<hyperlinks>.*<legacyDrawing/);
      await sweepOrphanedSheets(app.services.database);
      assert.match(await sheetPart(id), /<mergeCells>/);
      const looks = async () =>
        app.services.database.read((tx) => tx.selectFrom('spreadsheet_looks').select('sheet').execute());
      const before = await looks();
      assert.equal((await restructure(app, id, [{ type: 'delete_sheet', sheet }])).status, 200);
      await sweepOrphanedSheets(app.services.database);
      assert.equal((await looks()).length, before.length - 1);
    });

    test('an export of one sheet has its looks, and the names that refer to no other (SHEET-61, SHEET-53)', async () => {
      const { id } = await made();
      const book = readBook(await exported(id, '?sheet=Sales'), OPTIONS);
      assert.deepEqual(
        namesOf(book).map(([name]) => name),
        ['Prices', '_xlnm.Print_Area'],
      );
      assert.equal(seen(book, 'Sales').merges.length, 2);
      const csv = (await exported(id, '?format=csv&sheet=Sales')).toString();
      assert.equal(csv.split('\r\n')[0], '1,,,,,');
    });

    test('sheets that get another name keep their names and notes (SHEET-61, SHEET-62)', async () => {
      const bytes = await archive({
        ...PARTS,
        'xl/workbook.xml': BOOK.replaceAll('Sales', 'History'),
      });
      const record = await create(bytes);
      const [note] = record.import_notes;
      assert.deepEqual(note, { what: 'charts', sheet: 'Sheet1', range: 'D2:F8' });
      const names = namesOf(readBook(await exported(record.id)));
      assert.deepEqual(names[0], ['Prices', 'Sheet1!$B$2:$B$5', null]);
    });

    const REAL = [
      'poi__spreadsheet__simple-monthly-budget.xlsx',
      'closedxml__xlsx__bug-fixes.xlsx',
      'ironcalc__tests__link_test.xlsx',
    ];
    test('real workbooks keep them too (SHEET-61)', { skip: noWorkbooks }, async () => {
      for (const name of REAL) {
        const bytes = realFile(name);
        const [before, now] = [
          readBook(bytes, OPTIONS),
          readBook(await exported((await create(bytes)).id), OPTIONS),
        ];
        assert.deepEqual(hiddenOf(now), hiddenOf(before), name);
        for (const sheet of before.SheetNames) {
          const { merges, notes, rows } = seen(before, sheet);
          const { merges: mergesNow, notes: notesNow, rows: rowsNow } = seen(now, sheet);
          assert.deepEqual([mergesNow, notesNow, rowsNow], [merges, notes, rows], `${name} ${sheet}`);
        }
      }
    });
  });
});

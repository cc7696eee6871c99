/** Rows and sheets that a file hides: what totals make of them, what changes of structure do to them, and how they come out again. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sweepOrphanedSheets } from '../../src/areas/spreadsheets/workbook/orphaned-sheets.ts';
import { forEachEngine } from '../engines.ts';
import { partOf, workbookOf } from '../formats/workbook-files.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { type Person, putFile, theOwner } from './files-world.ts';
import { type Cell, read, restructure, write } from './spreadsheets-world.ts';

const row = (number: number, value: number, attributes = '') =>
  `<row r="${number}"${attributes}><c r="A${number}" t="inlineStr"><is><t>x</t></is></c><c r="B${number}"><v>${value}</v></c></row>`;
const HIDDEN = ' hidden="1"';

/** Headings, and powers of ten in B2:B6: B3 is hidden by hand, where the filter is not; B5 and B6 by the filter of A4:B6. */
const ROWS = `<row r="1"/>${row(2, 1)}${row(3, 10, HIDDEN)}${row(4, 100)}${row(5, 1000, HIDDEN)}${row(6, 10_000, HIDDEN)}`;
const FILTER =
  '<autoFilter ref="A4:B6"><filterColumn colId="1"><filters><filter val="a&amp;b"/></filters></filterColumn></autoFilter>';

const sheet = (rows: string, filter = FILTER) =>
  `<worksheet><sheetData>${rows}</sheetData>${filter}</worksheet>`;
const TOTALS = [
  '=SUBTOTAL(9,B1:B9)',
  '=SUBTOTAL(109,B1:B9)',
  '=AGGREGATE(9,4,B1:B9)',
  '=AGGREGATE(9,5,B1:B9)',
];
const SHOWN = [111, 101, 11_111, 101];

forEachEngine((engine) => {
  describe('rows and sheets that are hidden', () => {
    let app: TestApp;
    let owner: Person;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const imported = async (bytes: Uint8Array): Promise<string> => {
      const { id } = await putFile(app, owner, { filename: 'book.xlsx', bytes });
      const body = { type: 'spreadsheet', title: 'Hidden', source_file_id: id };
      return data(await app.post('/v1/documents', body, { key: OWNER_KEY }), 201).id;
    };
    const filtered = async () => imported(await workbookOf('', { 'xl/worksheets/sheet1.xml': sheet(ROWS) }));
    const exported = async (id: string, query = ''): Promise<Buffer> => {
      const response = await fetch(`${app.address}/v1/spreadsheets/${id}/export${query}`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      assert.equal(response.status, 200);
      return Buffer.from(await response.arrayBuffer());
    };
    const totals = async (id: string, formulas: readonly string[] = TOTALS): Promise<Cell[]> => {
      await write(app, id, 'D1', [[...formulas]]);
      return (await read(app, id, 'D1:Z1', 'value'))[0] ?? [];
    };

    test('a subtotal leaves out what a filter hides, and where asked to what is hidden by hand', async () => {
      assert.deepEqual(await totals(await filtered()), SHOWN);
    });

    test('the filter of a table hides rows as well', async () => {
      const id = await imported(
        await workbookOf('', {
          'xl/worksheets/sheet1.xml': sheet(ROWS, ''),
          'xl/worksheets/_rels/sheet1.xml.rels':
            '<Relationships><Relationship Id="t" Type="http://x/table" Target="../tables/table1.xml"/></Relationships>',
          'xl/tables/table1.xml': `<table name="T" ref="A4:B6">${FILTER}<tableColumns count="2"><tableColumn id="1" name="x"/><tableColumn id="2" name="y"/></tableColumns></table>`,
        }),
      );
      assert.deepEqual(await totals(id), SHOWN);
    });

    test('a filter without criteria, or of the view of one person, hides nothing', async () => {
      for (const filter of [
        '<autoFilter ref="A4:B6"/>',
        '<autoFilter ref="A4:B6"><filterColumn colId="0" hiddenButton="1"/></autoFilter>',
        `<customSheetViews><customSheetView>${FILTER}</customSheetView></customSheetViews>`,
      ]) {
        const bytes = await workbookOf('', { 'xl/worksheets/sheet1.xml': sheet(ROWS, filter) });
        assert.deepEqual(await totals(await imported(bytes)), [11_111, 101, 11_111, 101]);
      }
    });

    test('hidden rows move with rows that are put in and taken out', async () => {
      const id = await filtered();
      await write(app, id, 'D1', [TOTALS]);
      const after = async (...operations: object[]) => {
        data(await restructure(app, id, operations));
        return (await read(app, id, 'D1:Z1', 'value'))[0];
      };
      assert.deepEqual(await after({ type: 'insert_rows', sheet: 'Sheet1', start: 2, count: 3 }), SHOWN);
      // Between the two rows of the filter that are hidden: what is put in shows.
      assert.deepEqual(await after({ type: 'insert_rows', sheet: 'Sheet1', start: 9, count: 1 }), SHOWN);
      await write(app, id, 'B9', [[5]]);
      assert.deepEqual((await read(app, id, 'D1:Z1', 'value'))[0], [116, 106, 11_116, 106]);
      assert.deepEqual(
        await after({ type: 'delete_rows', sheet: 'Sheet1', start: 6, count: 1 }),
        [106, 106, 11_106, 106],
      );
      assert.deepEqual(
        await after(
          { type: 'delete_rows', sheet: 'Sheet1', start: 7, count: 2 },
          { type: 'insert_rows', sheet: 'Sheet1', start: 2, count: 1 },
        ),
        [101, 101, 10_101, 101],
      );
    });

    test('rows that are hidden below all that is used move too', async () => {
      const id = await imported(await workbookOf(`${row(1, 1)}<row r="5" hidden="1"/>`));
      data(await restructure(app, id, [{ type: 'insert_rows', sheet: 'Sheet1', start: 3, count: 1 }]));
      await write(app, id, 'B5', [[10], [100]]);
      assert.deepEqual(await totals(id), [111, 11, 111, 11]);
    });

    test('hidden rows stay hidden when a sheet with many insertions is stored anew', async () => {
      const id = await filtered();
      const storedAs = async () => {
        const rows = await app.services.database.read((tx) =>
          tx.selectFrom('spreadsheets').select('sheets').where('node_id', '=', id).execute(),
        );
        return JSON.parse(rows[0]?.sheets ?? '[]')[0].id;
      };
      const first = await storedAs();
      for (const _request of [1, 2]) {
        const operations = Array.from({ length: 100 }, (_, at) => ({
          type: 'insert_rows',
          sheet: 'Sheet1',
          start: 2 + at,
          count: 1,
        }));
        data(await restructure(app, id, operations));
      }
      assert.notEqual(await storedAs(), first);
      const wide = TOTALS.map((formula) => formula.replace('B9', 'B999'));
      assert.deepEqual(await totals(id, wide), SHOWN);
    });

    test('an export hides the rows and sheets that were hidden in the import, and keeps the filter (SHEET-51)', async () => {
      const id = await imported(
        await workbookOf('', {
          'xl/workbook.xml':
            '<workbook><sheets><sheet name="First" state="veryHidden" r:id="1"/><sheet name="Second" r:id="2"/><sheet name="Third" state="hidden" r:id="3"/></sheets></workbook>',
          'xl/worksheets/sheet1.xml': '<worksheet/>',
          'xl/worksheets/sheet2.xml': sheet(`${ROWS}<row r="9" hidden="1"/>`),
          'xl/worksheets/sheet3.xml': '<worksheet/>',
        }),
      );
      const bytes = await exported(id);
      const workbook = await partOf(bytes, 'xl/workbook.xml');
      assert.match(workbook, /<sheet name="First" [^>]*state="veryHidden"/);
      assert.match(workbook, /<sheet name="Second" sheetId="2" r:id/);
      assert.match(workbook, /<sheet name="Third" [^>]*state="hidden"/);
      assert.match(workbook, /activeTab="1"/);
      const written = await partOf(bytes, 'xl/worksheets/sheet2.xml');
      assert.deepEqual(written.match(/<row r="\d+" hidden="1">/g), [
        '<row r="3" hidden="1">',
        '<row r="5" hidden="1">',
        '<row r="6" hidden="1">',
        '<row r="9" hidden="1">',
      ]);
      assert.ok(written.includes('<sheetPr filterMode="1"/>'), written);
      assert.ok(written.includes(`${FILTER.replace('/></filters>', '></filter></filters>')}`), written);
      const copy = await imported(bytes);
      await write(app, copy, 'Second!D1', [TOTALS]);
      assert.deepEqual(await read(app, copy, 'Second!D1:Z1', 'value'), [SHOWN]);
      const again = await exported(copy);
      assert.equal(await partOf(again, 'xl/workbook.xml'), workbook);
    });

    test('a hidden sheet that is exported alone is shown', async () => {
      const id = await imported(
        await workbookOf('', {
          'xl/workbook.xml':
            '<workbook><sheets><sheet name="A" r:id="1"/><sheet name="B" state="hidden" r:id="2"/></sheets></workbook>',
          'xl/worksheets/sheet1.xml': '<worksheet/>',
          'xl/worksheets/sheet2.xml': '<worksheet/>',
        }),
      );
      assert.doesNotMatch(await partOf(await exported(id, '?sheet=B'), 'xl/workbook.xml'), /state=/);
      data(await restructure(app, id, [{ type: 'delete_sheet', sheet: 'A' }]));
      assert.doesNotMatch(await partOf(await exported(id), 'xl/workbook.xml'), /state=/);
    });

    test('the filter follows rows and columns, and goes with its headings', async () => {
      const id = await filtered();
      const filterOf = async (...operations: object[]) => {
        data(await restructure(app, id, operations));
        const part = await partOf(await exported(id), 'xl/worksheets/sheet1.xml');
        return /<autoFilter.*<\/autoFilter>/.exec(part)?.[0]?.replace(/<filters>.*<\/filters>/, '…');
      };
      const change = (type: string, start: number, count: number) => ({
        type,
        sheet: 'Sheet1',
        start,
        count,
      });
      assert.equal(
        await filterOf(change('insert_rows', 1, 2), change('insert_columns', 1, 1)),
        '<autoFilter ref="B6:C8"><filterColumn colId="1">…</filterColumn></autoFilter>',
      );
      assert.equal(
        await filterOf(change('insert_columns', 3, 1), change('delete_rows', 8, 1)),
        '<autoFilter ref="B6:D7"><filterColumn colId="2">…</filterColumn></autoFilter>',
      );
      assert.equal(await filterOf(change('delete_columns', 4, 1)), '<autoFilter ref="B6:C7"></autoFilter>');
      assert.equal(await filterOf(change('delete_rows', 6, 1)), undefined);
    });

    test('what was kept of the rows of a sheet goes with it', async () => {
      const id = await filtered();
      const kept = () =>
        app.services.database.read((tx) =>
          tx.selectFrom('spreadsheet_hidden_rows').select('sheet').execute(),
        );
      await sweepOrphanedSheets(app.services.database);
      const { length } = await kept();
      data(
        await restructure(app, id, [
          { type: 'add_sheet', sheet: 'Other' },
          { type: 'delete_sheet', sheet: 'Sheet1' },
        ]),
      );
      await sweepOrphanedSheets(app.services.database);
      assert.equal((await kept()).length, length - 1);
    });
  });
});

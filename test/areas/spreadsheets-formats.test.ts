/** Number formats of cells: they come with a workbook, stay with their cells, and leave with exports, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import {
  formatsOf,
  noWorkbooks,
  realFile,
  realFiles,
  stylesOf,
  workbookFixture,
  workbookOf,
} from '../formats/workbook-files.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data } from './accounts.ts';
import { type Person, putFile, theOwner } from './files-world.ts';
import { makeSpreadsheet, read, restructure, write } from './spreadsheets-world.ts';

runWorksTwice();

const BOOK = { 'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="1"/></sheets></workbook>' };

forEachEngine((engine) => {
  describe('number formats', () => {
    let app: TestApp;
    let owner: Person;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const create = async (bytes: Uint8Array) => {
      const { id } = await putFile(app, owner, { filename: 'a.xlsx', bytes });
      const body = { type: 'spreadsheet', title: 'Formats', source_file_id: id };
      return data(await app.post('/v1/documents', body), 201);
    };
    const imported = async (rows: string, ...formats: (string | number)[]): Promise<string> =>
      (await create(await workbookOf(rows, { ...BOOK, ...stylesOf(...formats) }))).id;
    const xlsx = async (id: string): Promise<Buffer> => {
      const headers = { authorization: `Bearer ${OWNER_KEY}` };
      const response = await fetch(`${app.address}/v1/spreadsheets/${id}/export`, { headers });
      assert.equal(response.status, 200);
      return Buffer.from(await response.arrayBuffer());
    };
    const formats = async (id: string) => formatsOf(await xlsx(id));
    const csv = async (id: string) => (await app.get(`/v1/spreadsheets/${id}/export?format=csv`)).text;
    const change = async (id: string, ...operations: object[]) =>
      data(await restructure(app, id, operations));
    const lines = (type: string, start: number, count = 1) => ({ type, sheet: 'S', start, count });

    test('an export as .xlsx has the number formats of the import (SHEET-51)', async () => {
      const id = await imported(
        '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" s="1"><v>45000</v></c><c r="C1" s="2"><v>0.25</v></c></row>' +
          '<row r="2"><c r="A2" s="3"><v>1234.5</v></c><c r="B2" s="4"><f>B1+1</f></c><c r="C2"><v>7</v></c></row>',
        'yyyy-mm-dd',
        9,
        '#,##0.00 "€";[Red]-#,##0.00 "€"',
        14,
      );
      const wanted = {
        'S!B1': 'yyyy-mm-dd',
        'S!C1': '0%',
        'S!A2': '#,##0.00 "€";[Red]-#,##0.00 "€"',
        'S!B2': 'mm-dd-yy',
      };
      assert.deepEqual(await formats(id), wanted);
      const again = (await create(await xlsx(id))).id;
      assert.deepEqual(await formats(again), wanted);
      assert.deepEqual(await xlsx(again), await xlsx(id));
    });

    test('an export as .csv shows numbers by their formats, and values that are read are as they were (SHEET-31, SHEET-54)', async () => {
      const id = await imported(
        '<row r="1"><c r="A1" s="1"><v>45000</v></c><c r="B1" s="2"><v>0.25</v></c><c r="C1" s="3"><v>1234567.5</v></c><c r="D1" s="4"><v>45000.5</v></c><c r="E1" s="5"><f>A1+0.75</f></c></row>' +
          '<row r="2"><c r="A2" s="1"><v>-1</v></c><c r="B2" s="2" t="str"><v>none</v></c><c r="C2" s="3" t="b"><v>1</v></c><c r="D2" s="6"><v>-2.5</v></c><c r="E2" s="1"><f>1/0</f></c></row>',
        'yyyy-mm-dd',
        '0%',
        '_(* #,##0.00_);_(* (#,##0.00)',
        14,
        22,
        '0.00;[Red](0.00)',
      );
      assert.equal(
        await csv(id),
        '2023-03-15,25%,"1,234,567.50",2023-03-15,2023-03-15 18:00\r\n-1,none,TRUE,(2.50),#DIV/0!\r\n',
      );
      assert.deepEqual(await read(app, id, 'A1:E2', 'value'), [
        [45000, 0.25, 1234567.5, 45000.5, 45000.75],
        [-1, 'none', true, -2.5, '#DIV/0!'],
      ]);
    });

    test('they stay when a cell is overwritten, also after it was emptied', async () => {
      const id = await imported(
        '<row r="1"><c r="A1" s="1"><v>1</v></c><c r="B1" s="1"><v>2</v></c><c r="C1" s="1"><v>3</v></c></row>',
        'yyyy-mm-dd',
      );
      await write(app, id, 'A1', [[45000, '=A1+1']]);
      await write(app, id, 'C1', [['']]);
      assert.equal(await csv(id), '2023-03-15,2023-03-16\r\n');
      await write(app, id, 'C1', [[45002]]);
      assert.equal(await csv(id), '2023-03-15,2023-03-16,2023-03-17\r\n');
    });

    test('decimals that a .csv file gave a format show what is written later by it, as in Excel', async () => {
      const { id } = await putFile(app, owner, { filename: 'a.csv', bytes: Buffer.from('12.50,1.0\n') });
      const body = { type: 'spreadsheet', title: 'Decimals', source_file_id: id };
      const made = data(await app.post('/v1/documents', body), 201).id;
      assert.equal(await csv(made), '12.50,1.0\r\n');
      await write(app, made, 'A1', [[3.25719]]);
      assert.equal(await csv(made), '3.26,1.0\r\n');
      assert.deepEqual(await read(app, made, 'A1', 'value'), [[3.25719]]);
    });

    test('they move with their cells, and go with their rows and columns', async () => {
      const cells = (row: number) =>
        ['A', 'B', 'C'].map((letter, i) => `<c r="${letter}${row}" s="${i + 1}"><v>${row}</v></c>`).join('');
      const rows = [1, 2, 3, 4].map((row) => `<row r="${row}">${cells(row)}</row>`).join('');
      const id = await imported(rows, '0.0', '0.00', '0.000');
      await change(id, lines('insert_rows', 2, 2), lines('delete_columns', 2));
      assert.equal(await csv(id), '1.0,1.000\r\n,\r\n,\r\n2.0,2.000\r\n3.0,3.000\r\n4.0,4.000\r\n');
      await change(id, lines('delete_rows', 5), lines('insert_columns', 1));
      await change(id, { type: 'rename_sheet', sheet: 'S', name: 'T' });
      await write(app, id, 'A2', [[9, 9, 9]]);
      assert.equal(await csv(id), ',1.0,1.000\r\n9,9,9\r\n,,\r\n,2.0,2.000\r\n,4.0,4.000\r\n');
      assert.deepEqual(Object.keys(await formats(id)), ['T!B1', 'T!C1', 'T!B4', 'T!C4', 'T!B5', 'T!C5']);
    });

    test('they stay with empty cells, below all others too, and move with those', async () => {
      const id = await imported(
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="5"><c r="B5" s="1"/></row><row r="6"><c r="C6" s="2"/></row>',
        '0.0',
        '0.00',
      );
      assert.deepEqual(await formats(id), { 'S!B5': '0.0', 'S!C6': '0.00' });
      assert.equal(await csv(id), '1\r\n');
      await change(id, lines('insert_rows', 3, 4), lines('delete_rows', 10), lines('insert_columns', 2));
      assert.deepEqual(await formats(id), { 'S!C9': '0.0' });
      const sheets = data(await app.get(`/v1/spreadsheets/${id}`)).sheets;
      assert.deepEqual([sheets[0].rows, sheets[0].columns], [1, 1]);
      await write(app, id, 'C9', [[1]]);
      await change(id, lines('delete_rows', 2, 7));
      assert.equal(await csv(id), '1,,\r\n,,1.0\r\n');
    });

    test('a workbook of formats alone is a template to be filled', async () => {
      const id = await imported('<row r="2"><c r="B2" s="1"/></row>', '0.00%');
      await write(app, id, 'B2', [[0.5]]);
      assert.equal(await csv(id), ',\r\n,50.00%\r\n');
    });

    test('cells that a formula spills into show by their own', async () => {
      const id = await imported(
        '<row r="1"><c r="A1" s="1"><f t="array" ref="A1:A3">_xlfn.SEQUENCE(3)</f><v>1</v></c></row><row r="2"><c r="A2" s="2"><v>2</v></c></row><row r="3"><c r="A3" s="1"><v>3</v></c></row>',
        '0.0',
        '0%',
      );
      assert.equal(await csv(id), '1.0\r\n200%\r\n3.0\r\n');
      assert.deepEqual(await formats(id), { 'S!A1': '0.0', 'S!A2': '0%', 'S!A3': '0.0' });
    });

    test('they are right after so many changes of rows that the sheet is copied', async () => {
      const rows = Array.from({ length: 400 }, (_, i) => {
        const style = (i % 3) + 1;
        return `<row r="${i + 1}"><c r="A${i + 1}" s="${style}"><v>${i % 3}</v></c><c r="J${i + 1}" s="${style}"/></row>`;
      });
      const id = await imported(rows.join(''), '"zero"', '"one"', '"two"');
      for (let round = 0; round < 2; round++) {
        const starts = Array.from({ length: 80 }, (_, i) => 2 + round + i * 4);
        await change(id, ...starts.map((start) => lines('insert_rows', start)));
      }
      const words = ['zero', 'one', 'two'];
      const shown = (await csv(id)).split('\r\n').filter((line) => line !== '' && line !== '""');
      assert.deepEqual(
        shown,
        Array.from({ length: 400 }, (_, i) => words[i % 3]),
      );
      const kept = Object.entries(await formats(id));
      assert.equal(kept.length, 800);
      const [first] = kept.filter(([address]) => address.startsWith('S!J'));
      assert.deepEqual(first, ['S!J1', '"zero"']);
    });

    test('nothing of them is left behind by a sheet that is gone', async () => {
      const id = await imported('<row r="1"><c r="A1" s="1"><v>1</v></c></row>', '0.0');
      await change(id, { type: 'add_sheet', sheet: 'Other' }, { type: 'delete_sheet', sheet: 'S' });
      await app.services.spreadsheets.sweep();
      const { stored, known } = await app.services.database.read(async (tx) => ({
        stored: await tx.selectFrom('spreadsheet_formats').select('sheet').distinct().execute(),
        known: await tx.selectFrom('spreadsheets').select('sheets').execute(),
      }));
      const ids = known.flatMap(({ sheets }) => JSON.parse(sheets).map((sheet: { id: string }) => sheet.id));
      assert.deepEqual(
        stored.filter(({ sheet }) => !ids.includes(sheet)),
        [],
      );
    });

    test('codes that look like anything else come back as they were', async () => {
      const codes = [
        '0"<&>""',
        '__proto__',
        '0',
        ' ',
        'constructor',
        '0"_x0041_"',
        '[$€-407]0.0',
        '0"\u00a0ü"',
      ];
      const cells = codes.map((_, i) => `<c s="${i + 1}"><v>1</v></c>`).join('');
      const id = await imported(`<row r="1">${cells}</row>`, ...codes);
      assert.deepEqual(Object.values(await formats(id)), codes);
      const tooLong = await imported('<row><c s="1"><v>1</v></c></row>', '0'.repeat(256));
      assert.deepEqual(await formats(tooLong), {});
    });

    test('spreadsheets that were never imported have none', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [[45000, 0.25, '=A1']]);
      assert.equal(await csv(id), '45000,0.25,45000\r\n');
      assert.deepEqual(await formats(id), {});
    });

    test('a real workbook keeps each of its formats', async () => {
      const bytes = workbookFixture('sheetjs__root__LONumbers.xlsx');
      const wanted = await formatsOf(bytes);
      assert.ok(new Set(Object.values(wanted)).size >= 30);
      assert.deepEqual(await formats((await create(bytes)).id), wanted);
    });

    test('all real workbooks keep their formats', { skip: noWorkbooks }, async () => {
      const names = realFiles('.xlsx').filter((name) => /^(?:closedxml|ironcalc|sheetjs)__/.test(name));
      for (const name of names.filter((_, i) => i % 4 === 0)) {
        const bytes = realFile(name);
        const wanted = await formatsOf(bytes).catch(() => undefined);
        if (wanted) assert.deepEqual(await formats((await create(bytes)).id), wanted, name);
      }
    });

    test('the answer of an import names what was left out (DOC-14, SHEET-51)', async () => {
      const bytes = await workbookOf('<row><c><v>1</v></c></row>', {
        'xl/workbook.xml':
          '<workbook><sheets><sheet name="S" r:id="1"/></sheets><definedNames><definedName name="rate">S!$A$1</definedName></definedNames></workbook>',
        'xl/worksheets/sheet1.xml':
          '<worksheet><sheetData><row><c><v>1</v></c></row></sheetData><autoFilter ref="A1:B2"/><mergeCells><mergeCell ref="A1:B1"/></mergeCells><hyperlinks><hyperlink ref="A1"/></hyperlinks></worksheet>',
        'xl/comments1.xml': '<comments/>',
        'xl/media/image1.png': '',
      });
      assert.deepEqual((await create(bytes)).import, {
        format: 'xlsx',
        left_out: ['comments', 'hyperlinks', 'images'],
      });
      const plain = await workbookOf('<row><c><v>1</v></c></row>');
      assert.deepEqual((await create(plain)).import, { format: 'xlsx', left_out: [] });
    });
  });
});

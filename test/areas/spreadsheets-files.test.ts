/** Spreadsheets from uploaded files, and as files, over HTTP and the command line. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { cellsOf, workbookFixture, workbookOf } from '../formats/workbook-files.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { PROGRAM, programEnvironment } from '../program.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data, makeKey } from './accounts.ts';
import { type Person, putFile, theOwner } from './files-world.ts';
import { type Cell, makeSpreadsheet, read, restructure, write } from './spreadsheets-world.ts';

runWorksTwice();

const run = promisify(execFile);

forEachEngine((engine) => {
  describe('spreadsheets and files', () => {
    let app: TestApp;
    let owner: Person;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const upload = async (filename: string, bytes: Uint8Array): Promise<string> =>
      (await putFile(app, owner, { filename, bytes })).id;
    const createFrom = (fileId: string, key = OWNER_KEY) =>
      app.post(
        '/v1/documents',
        { type: 'spreadsheet', title: 'From a file', source_file_id: fileId },
        { key },
      );
    const imported = async (filename: string, bytes: Uint8Array): Promise<string> =>
      data(await createFrom(await upload(filename, bytes)), 201).id;
    const exported = async (id: string, query = '') => {
      const response = await fetch(`${app.address}/v1/spreadsheets/${id}/export${query}`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      assert.equal(response.status, 200);
      return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
    };
    const csv = async (id: string, query = '') =>
      (await exported(id, `?format=csv${query}`)).bytes.toString();
    const leftovers = () =>
      app.services.database.read(async (tx) => ({
        nodes: (await tx.selectFrom('nodes').select('id').execute()).length,
        spreadsheets: (await tx.selectFrom('spreadsheets').select('node_id').execute()).length,
        blobs: (await tx.selectFrom('pending_blobs').select('blob_key').execute()).length,
      }));
    /** What an export has put aside goes only when its answer has left. */
    const assertNothingIsLeft = async (before: object) => {
      await eventually(async () => (await leftovers()).blobs === 0, 'what was put aside is removed');
      assert.deepEqual(await leftovers(), { ...before, blobs: 0 });
    };

    test('an .xlsx file fills a spreadsheet with its sheets, values and formulas (DOC-13, SHEET-51)', async () => {
      const bytes = await workbookOf(
        '<row r="1"><c r="A1"><v>2</v></c><c r="B1" t="b"><v>1</v></c><c r="C1" t="inlineStr"><is><t>=text</t></is></c></row><row r="3"><c r="B3"><f>A1*2</f><v>999</v></c><c r="C3"><f>Other!A1&amp;"!"</f></c></row>',
        {
          'xl/workbook.xml':
            '<workbook><sheets><sheet name="My data" r:id="1"/><sheet name="Empty" r:id="2"/><sheet name="Other" r:id="3"/></sheets></workbook>',
          'xl/worksheets/sheet2.xml': '<worksheet/>',
          'xl/worksheets/sheet3.xml':
            '<worksheet><sheetData><row><c t="str"><v>hello</v></c></row></sheetData></worksheet>',
        },
      );
      const id = await imported('data.xlsx', bytes);
      const sheets = data(await app.get(`/v1/spreadsheets/${id}`)).sheets;
      assert.deepEqual(
        sheets.map(({ name, rows, columns }: Record<string, unknown>) => [name, rows, columns]),
        [
          ['My data', 3, 3],
          ['Empty', 0, 0],
          ['Other', 1, 1],
        ],
      );
      assert.deepEqual(await read(app, id, 'A1:C3', 'formula'), [
        [2, true, '="=text"'],
        [],
        ['', '=A1*2', '=Other!A1&"!"'],
      ]);
      assert.deepEqual(await read(app, id, 'A1:C3', 'value'), [[2, true, '=text'], [], ['', 4, 'hello!']]);
    });

    test('a sheet whose name has half a surrogate pair is addressed and removed by the name that it gets', async () => {
      const bytes = await workbookOf(
        '<row r="1"><c r="A1"><f>\'a_xD800_\'!A1*2</f></c><c r="B1"><f>whole*3</f></c></row>',
        {
          'xl/workbook.xml':
            '<workbook><sheets><sheet name="First" r:id="1"/><sheet name="a_xD800_" r:id="2"/></sheets>' +
            '<definedNames><definedName name="whole">\'a_xD800_\'!$A$1</definedName></definedNames></workbook>',
          'xl/worksheets/sheet2.xml':
            '<worksheet><sheetData><row><c><v>4</v></c></row></sheetData></worksheet>',
        },
      );
      const id = await imported('halves.xlsx', bytes);
      const names = async () =>
        data(await app.get(`/v1/spreadsheets/${id}`)).sheets.map(({ name }: { name: string }) => name);
      assert.deepEqual(await names(), ['First', 'a\ufffd']);
      assert.deepEqual(await read(app, id, 'First!A1:B1', 'value'), [[8, 12]]);
      assert.deepEqual(await read(app, id, "'a\ufffd'!A1", 'value'), [[4]]);
      const operations = [{ type: 'delete_sheet', sheet: 'a\ufffd' }];
      data(await restructure(app, id, operations));
      assert.deepEqual(await names(), ['First']);
    });

    test('a .csv file fills a spreadsheet, and comes out of it (DOC-13, SHEET-49, SHEET-54)', async () => {
      const text = 'id,name,when,ok\r\n007,"ä, ""b""",2026-03-01,TRUE\r\n1.5,=1+1,,FALSE\r\n';
      const id = await imported('table.csv', Buffer.from(text));
      assert.deepEqual(await read(app, id, 'Sheet1!A2:D3', 'value'), [
        ['007', 'ä, "b"', '2026-03-01', true],
        [1.5, '=1+1', '', false],
      ]);
      assert.equal(await csv(id), text);
    });

    test('a spreadsheet that was exported as .xlsx makes an equal one (SHEET-52, SHEET-53)', async () => {
      const id = await makeSpreadsheet(app, 'A / B');
      const rows: Cell[][] = [
        ['text', 1.5, true, '=B1*2', '="=text"', "='Zwei & mehr'!A1", 41684.25],
        ['', '=SUM(B1:B1)', '=1/0', '="a"&"b"', ' \u0001 ', '=SEQUENCE(2,3)'],
      ];
      await write(app, id, 'A1', rows);
      data(await restructure(app, id, [{ type: 'add_sheet', sheet: 'Zwei & mehr' }]));
      await write(app, id, "'Zwei & mehr'!A1", [['=1+1', 'x']]);
      const { bytes, headers } = await exported(id);
      assert.equal(
        headers.get('content-disposition'),
        `attachment; filename="A - B.xlsx"; filename*=UTF-8''A%20-%20B.xlsx`,
      );
      assert.match(headers.get('content-type') ?? '', /spreadsheetml\.sheet$/);
      assert.equal(headers.get('content-length'), String(bytes.length));
      const copy = await imported('copy.xlsx', bytes);
      for (const range of ['Sheet1!A:XFD', "'Zwei & mehr'!A:XFD"]) {
        for (const render of ['formula', 'value'] as const) {
          assert.deepEqual(await read(app, copy, range, render), await read(app, id, range, render));
        }
      }
      assert.equal((await cellsOf(bytes))['Sheet1!F2'], '=SEQUENCE(2,3)');
    });

    test('a value in the last cell there is does not make a .csv file of gigabytes', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'XFD1048576', [['last']]);
      const text = await csv(id);
      assert.ok(text.length < 5_000_000, `${text.length} characters`);
      const copy = await imported('last.csv', Buffer.from(text));
      assert.deepEqual(await read(app, copy, 'XFD1048576'), [['last']]);
    });

    test('one sheet is exported as .csv, with what formulas spill, or alone as .xlsx (SHEET-52, SHEET-53, SHEET-54)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [['=SEQUENCE(3,2)'], [], [], ['', '', '=Second!A1&1']]);
      data(await restructure(app, id, [{ type: 'add_sheet', sheet: 'Second' }]));
      await write(app, id, 'Second!A1', [['two']]);
      assert.equal(await csv(id), '1,2,\r\n3,4,\r\n5,6,\r\n,,two1\r\n');
      assert.equal(await csv(id, '&sheet=second'), 'two\r\n');
      const alone = await exported(id, '?sheet=SHEET1');
      assert.deepEqual(await cellsOf(alone.bytes), { 'Sheet1!A1': '=SEQUENCE(3,2)', 'Sheet1!C4': 'two1' });
      for (const format of ['csv', 'xlsx']) {
        const unknown = await app.get(`/v1/spreadsheets/${id}/export?format=${format}&sheet=Third`);
        assert.deepEqual([unknown.status, unknown.json.error.details.resource], [404, 'sheet']);
      }
    });

    test('a file that cannot be read is refused, kept as refused, and leaves nothing (DOC-14)', async () => {
      const files = [
        ['broken.xlsx', (await workbookOf('<row><c><v>1</v></c></row>')).subarray(0, 200)],
        [
          'late.xlsx',
          await workbookOf(`${'<row><c><v>1</v></c></row>'.repeat(9_000)}<row r="1"><c><v>1</v></c></row>`),
        ],
        ['picture.png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
      ] as const;
      for (const [name, bytes] of files) {
        const file = await upload(name, bytes);
        const before = await leftovers();
        const idempotencyKey = `fill-from-${name}`;
        const body = { type: 'spreadsheet', title: 'None', source_file_id: file };
        const refused = await app.post('/v1/documents', body, { idempotencyKey });
        assert.deepEqual([refused.status, refused.json.error.code], [422, 'unreadable_file'], name);
        assert.match(refused.json.error.message, /^The source file does not fill it: /);
        const again = await app.post('/v1/documents', body, { idempotencyKey });
        assert.equal(again.text, refused.text);
        await assertNothingIsLeft(before);
      }
    });

    test('files of others, and keys that may not read files, fill nothing', async () => {
      const file = await upload('a.csv', Buffer.from('1'));
      const { key } = await makeKey(app, ['docs.documents.write']);
      assert.equal((await createFrom(file, key)).status, 403);
      assert.equal((await createFrom('file_none')).status, 404);
    });

    test('an export leaves nothing behind: sent, broken off, or only asked about', async () => {
      const id = await makeSpreadsheet(app);
      const noise = Array.from({ length: 400 }, (_, row) =>
        Array.from({ length: 50 }, (_, column) => Math.sin(row * 50 + column)),
      );
      await write(app, id, 'A1', noise);
      const before = await leftovers();
      assert.ok((await exported(id)).bytes.length > 100 * 1024);
      const cut = await fetch(`${app.address}/v1/spreadsheets/${id}/export?format=csv`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      await cut.body?.cancel();
      await assertNothingIsLeft(before);
      const asked = await fetch(`${app.address}/v1/spreadsheets/${id}/export`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      assert.equal(asked.status, 200);
      await assertNothingIsLeft(before);
    });

    test('a real workbook computes what it did elsewhere', async () => {
      const bytes = workbookFixture('closedxml__TryToLoad__TableHeadersWithLineBreaks.xlsx');
      const id = await imported('inventory.xlsx', bytes);
      assert.deepEqual(await read(app, id, 'H7:I7', 'value'), [[33059, 35156.490000000005]]);
    });

    test('the command line exports', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [
        ['a', 1],
        ['b', '=B1+1'],
      ]);
      const directory = await mkdtemp(join(tmpdir(), 'atrium-sheet-'));
      const env = { ...programEnvironment(), ATRIUM_URL: app.address, ATRIUM_KEY: OWNER_KEY };
      const atrium = (...args: string[]) =>
        run(process.execPath, [PROGRAM, ...args], { env, cwd: directory });
      try {
        assert.equal((await atrium('export', 'sheet', id, '--format', 'csv')).stdout, 'a,1\r\nb,2\r\n');
        const { stdout } = await atrium('export', 'sheet', id, 'book.xlsx', '--json');
        const bytes = await readFile(join(directory, 'book.xlsx'));
        assert.deepEqual(JSON.parse(stdout), { id, path: 'book.xlsx', size_bytes: bytes.length });
        assert.equal((await cellsOf(bytes))['Sheet1!B2'], '=B1+1');
        await assert.rejects(atrium('export', 'sheet', id, '--json'), /name the file/);
        await assert.rejects(atrium('export', 'sheet', id, 'x', '--sheet', 'None'), /sheet/i);
      } finally {
        await rm(directory, { recursive: true });
      }
    });
  });
});

/** Number formats that are set and read over HTTP, and what cells show by them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { formatsOf } from '../formats/workbook-files.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data } from './accounts.ts';
import { changesOf, told } from './changes-feed.ts';
import { makePerson, putFile, shareWith, theOwner } from './files-world.ts';
import {
  formatsPath,
  makeSpreadsheet,
  put,
  rangePath,
  read,
  readFormats,
  restructure,
  setFormats,
  stateOf,
  write,
} from './spreadsheets-world.ts';

runWorksTwice();

forEachEngine((engine) => {
  describe('number formats that are set', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const shown = (id: string, range: string) => read(app, id, range, 'formatted');
    const csv = async (id: string) => (await app.get(`/v1/spreadsheets/${id}/export?format=csv`)).text;
    const xlsx = async (id: string): Promise<Buffer> => {
      const headers = { authorization: `Bearer ${OWNER_KEY}` };
      const response = await fetch(`${app.address}/v1/spreadsheets/${id}/export`, { headers });
      return Buffer.from(await response.arrayBuffer());
    };
    const lines = (type: string, start: number, count = 1) => ({ type, sheet: 'Sheet1', start, count });
    const refusal = async (range: string, formats: unknown, headers = {}) => {
      const id = await makeSpreadsheet(app);
      const { status, json } = await app.put(formatsPath(id, range), { formats }, { headers });
      assert.deepEqual(await readFormats(app, id, 'A:D'), []);
      return { status, ...json.error };
    };

    test('a format is set and read, and cells show by it while their values stay (SHEET-55, SHEET-57, SHEET-58, SHEET-59)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [
        [45000, 0.256, 1234.5],
        ['text', true, '=1/0', 3.25],
      ]);
      const result = await setFormats(app, id, 'A1', [
        ['yyyy-mm-dd', '0.0%', '#,##0.00 "€"'],
        ['"<"@">"', '0'],
      ]);
      assert.deepEqual(
        { ...result, state: '' },
        { range: 'Sheet1!A1:C2', updated_cells: 5, state: '', changed: true },
      );
      assert.deepEqual(await shown(id, 'A1:D2'), [
        ['2023-03-15', '25.6%', '1,234.50 €'],
        ['<text>', 'TRUE', '#DIV/0!', '3.25'],
      ]);
      assert.equal(await csv(id), '2023-03-15,25.6%,"1,234.50 €",\r\n<text>,TRUE,#DIV/0!,3.25\r\n');
      assert.deepEqual(await read(app, id, 'A1:D2', 'value'), [
        [45000, 0.256, 1234.5],
        ['text', true, '#DIV/0!', 3.25],
      ]);
      const { range, formats, state } = data(await app.get(formatsPath(id, 'sheet1!a:D')));
      assert.equal(range, 'Sheet1!A:D');
      assert.deepEqual(formats, [
        ['yyyy-mm-dd', '0.0%', '#,##0.00 "€"'],
        ['"<"@">"', '0'],
      ]);
      assert.equal(state, result.state);
    });

    test('rows and cells at the end that have no format are left out, those before are null (SHEET-58)', async () => {
      const id = await makeSpreadsheet(app);
      await setFormats(app, id, 'B2', [[null, '0'], [], ['0.0', null]]);
      assert.deepEqual(await readFormats(app, id, 'A1:Z9'), [[], [null, null, '0'], [], [null, '0.0']]);
      assert.deepEqual(await readFormats(app, id, '2:3'), [[null, null, '0']]);
      assert.deepEqual(await readFormats(app, id, 'C:XFD'), [[], ['0']]);
      assert.deepEqual(await readFormats(app, id, 'E5'), []);
    });

    test('a format that is set changes the state token, the ETag of reads; the same one does not (SHEET-60)', async () => {
      const id = await makeSpreadsheet(app);
      const before = await stateOf(app, id);
      const { state } = await setFormats(app, id, 'A1', [['0']]);
      assert.notEqual(state, before);
      assert.equal(await stateOf(app, id), state);
      const answer = await app.get(formatsPath(id, 'A1'));
      assert.equal(answer.headers.get('etag'), `"${state}"`);
      const known = { headers: { 'if-none-match': `"${state}"` } };
      assert.equal((await app.get(formatsPath(id, 'A1'), known)).status, 304);
      assert.equal((await app.get(rangePath(id, 'A1', '?render=formatted'), known)).status, 304);
      const again = await setFormats(app, id, 'A1', [['0', null]]);
      assert.deepEqual([again.state, again.changed, again.updated_cells], [state, false, 0]);
      const nothing = await setFormats(app, id, 'A1:B2', []);
      assert.deepEqual([nothing.state, nothing.changed, nothing.range], [state, false, 'Sheet1!A1:B2']);
      const other = await setFormats(app, id, 'A1', [['0.0']]);
      assert.notEqual(other.state, state);
      assert.equal((await app.get(formatsPath(id, 'A1'), known)).status, 200);
    });

    test('null and General take a format away (SHEET-59)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [[0.5, 0.5, 0.5]]);
      await setFormats(app, id, 'A1', [['0%', '0%', '0%']]);
      assert.equal((await setFormats(app, id, 'A1', [[null, 'general']])).updated_cells, 2);
      assert.deepEqual(await readFormats(app, id, 'A1:C1'), [[null, null, '0%']]);
      assert.deepEqual(await shown(id, 'A1:C1'), [['0.5', '0.5', '50%']]);
      await setFormats(app, id, 'C1', [['General']]);
      assert.deepEqual(await readFormats(app, id, 'A1:C1'), []);
      const stored = await app.services.database.read((tx) =>
        tx.selectFrom('spreadsheet_formats').select('formats').where('formats', '=', '[]').execute(),
      );
      assert.deepEqual(stored, []);
    });

    test('values that are written later leave the format, and empty cells keep it (SHEET-55)', async () => {
      const id = await makeSpreadsheet(app);
      await setFormats(app, id, 'B2', [['0.00%']]);
      await write(app, id, 'B2', [[0.5]]);
      assert.deepEqual(await shown(id, 'A1:C3'), [[], ['', '50.00%']]);
      await write(app, id, 'B2', [['=1/8']]);
      assert.deepEqual(await shown(id, 'B2'), [['12.50%']]);
      await write(app, id, 'B2', [['']]);
      assert.deepEqual(await shown(id, 'A1:C3'), []);
      assert.deepEqual(await readFormats(app, id, 'B2'), [['0.00%']]);
    });

    test('formats move with rows and columns that are put in and taken out (SHEET-55)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [
        [1, 2],
        [3, 4],
      ]);
      await setFormats(app, id, 'A1', [
        ['0.0', '0.00'],
        ['0.000', '0.0000'],
      ]);
      data(await restructure(app, id, [lines('insert_rows', 2, 2), lines('insert_columns', 1)]));
      assert.deepEqual(await readFormats(app, id, 'A:D'), [
        [null, '0.0', '0.00'],
        [],
        [],
        [null, '0.000', '0.0000'],
      ]);
      data(await restructure(app, id, [lines('delete_rows', 1, 3), lines('delete_columns', 2)]));
      assert.deepEqual(await readFormats(app, id, 'A:D'), [[null, '0.0000']]);
      assert.deepEqual(await shown(id, 'A:D'), [['', '4.0000']]);
      await setFormats(app, id, 'A2', [['@']]);
      data(await restructure(app, id, [lines('insert_rows', 1)]));
      assert.deepEqual(await readFormats(app, id, 'A:D'), [[], [null, '0.0000'], ['@']]);
    });

    test('a workbook takes formats along, and comes back with them (SHEET-51, SHEET-55)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [[45000, 0.25]]);
      const codes = [['d mmm yyyy', '0.00%', '"<&>"0'], [], [null, '[Red]0;-0']];
      await setFormats(app, id, 'A1', codes);
      const bytes = await xlsx(id);
      assert.deepEqual(await formatsOf(bytes), {
        'Sheet1!A1': 'd mmm yyyy',
        'Sheet1!B1': '0.00%',
        'Sheet1!C1': '"<&>"0',
        'Sheet1!B3': '[Red]0;-0',
      });
      const file = await putFile(app, await theOwner(app), { filename: 'a.xlsx', bytes });
      const body = { type: 'spreadsheet', title: 'Again', source_file_id: file.id };
      const again = data(await app.post('/v1/documents', body), 201).id;
      assert.deepEqual(await readFormats(app, again, 'A:C'), codes);
      assert.deepEqual(await shown(again, 'A1:B1'), [['15 Mar 2023', '25.00%']]);
    });

    test('what is no number format is refused, with its place and what is wrong (SHEET-56)', async () => {
      const { status, code, details } = await refusal('A1', [['0'], [null, '0"kg'], ['not a format']]);
      assert.deepEqual([status, code], [400, 'validation_failed']);
      assert.deepEqual(
        details.errors.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
        [
          ['/formats/1/1', 'wrong_format'],
          ['/formats/2/0', 'wrong_format'],
        ],
      );
      assert.match(details.errors[0].message, /quotation mark at character 2 is not closed/);
      assert.equal((await refusal('A1', [['0'.repeat(256)]])).code, 'validation_failed');
      assert.equal((await refusal('nowhere', [['0']])).code, 'validation_failed');
    });

    test('formats have the room and the limits of values (SHEET-11, SHEET-20, SHEET-59)', async () => {
      const tooWide = await refusal('A1:B1', [['0', '0', '0']]);
      assert.deepEqual([tooWide.status, tooWide.code], [400, 'values_exceed_range']);
      assert.equal((await refusal('XFD1', [['0', '0']])).code, 'values_exceed_range');
      const tooMany = await refusal('A1', Array(1_001).fill(Array(100).fill('0')));
      assert.deepEqual([tooMany.status, tooMany.code], [400, 'validation_failed']);
      const id = await makeSpreadsheet(app);
      const unknown = await app.put(formatsPath(id, 'Nowhere!A1'), { formats: [['0']] });
      assert.deepEqual([unknown.status, unknown.json.error.code], [404, 'not_found']);
      const most = await setFormats(app, id, 'A1048000', [['0'.repeat(255)]]);
      assert.equal(most.changed, true);
      assert.equal((await readFormats(app, id, 'A1048000:B1048576'))[0]?.[0]?.length, 255);
      const { status, json } = await app.get(formatsPath(id, 'A:XFD'));
      assert.deepEqual([status, json.data?.formats.length], [200, 1_048_000]);
    });

    test('If-Match lets formats be set on the state that it names only (SHEET-13, SHEET-59)', async () => {
      const refused = await refusal('A1', [['0']], { 'if-match': '"another"' });
      assert.deepEqual([refused.status, refused.code], [412, 'state_mismatch']);
      const id = await makeSpreadsheet(app);
      const headers = { 'if-match': `"${await stateOf(app, id)}"` };
      assert.equal((await app.put(formatsPath(id, 'A1'), { formats: [['0']] }, { headers })).status, 200);
      assert.equal((await app.put(formatsPath(id, 'A1'), { formats: [['0']] }, { headers })).status, 412);
      assert.equal((await put(app, id, 'A1', [[1]], { headers })).status, 412);
    });

    test('who may only read sets no formats, and nobody does in the trash (SHEET-6, SHEET-25)', async () => {
      const id = await makeSpreadsheet(app);
      const owner = await theOwner(app);
      const reader = await makePerson(app);
      await shareWith(app, owner, id, reader.id, 'viewer');
      const { key } = reader;
      assert.equal((await app.put(formatsPath(id, 'A1'), { formats: [['0']] }, { key })).status, 403);
      assert.equal((await app.get(formatsPath(id, 'A1'), { key })).status, 200);
      await app.delete(`/v1/documents/${id}`);
      const { status, json } = await app.put(formatsPath(id, 'A1'), { formats: [['0']] });
      assert.deepEqual([status, json.error.code], [422, 'trashed']);
    });

    test('a format that is set is in the change feed as a range that is written (CHANGE-30, SHEET-60)', async () => {
      const id = await makeSpreadsheet(app);
      let state: string | undefined;
      const changes = await changesOf(app, undefined, async () => {
        ({ state } = await setFormats(app, id, 'B2', [['0', '0']]));
        await setFormats(app, id, 'B2', [['0']]);
      });
      assert.deepEqual(told(changes), [
        ['spreadsheet.changed', { spreadsheet_id: id, state, ranges: ['Sheet1!B2:C2'] }],
      ]);
    });

    test('formulas that are held keep their values when a format is set, and show by it with what they spill', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [['=SEQUENCE(3,2)/4', '', 5, '=A3']]);
      assert.deepEqual(await read(app, id, 'A1:B1', 'value'), [[0.25, 0.5]]);
      await setFormats(app, id, 'A1', [['0%', '0.00', null, '0.000'], ['0.0'], [null, '0.00%']]);
      assert.deepEqual(await shown(id, 'A:D'), [
        ['25%', '0.50', '5', '1.250'],
        ['0.8', '1'],
        ['1.25', '150.00%'],
      ]);
      assert.deepEqual(await shown(id, 'B2:D9'), [['1'], ['150.00%']]);
      await write(app, id, 'A1', [['=SEQUENCE(1,2)/4']]);
      assert.deepEqual(await shown(id, 'A:D'), [['25%', '0.50', '5', '0.000']]);
    });

    test('what a range shows is what a .csv has of it, however long and wherever it begins (SHEET-57)', async () => {
      const id = await makeSpreadsheet(app);
      const codes = ['0.0', '0%', null, '0.00E+00', ';;;', '#;-#', '@"!"'];
      const values = Array.from({ length: 700 }, (_, row) =>
        Array.from({ length: 11 }, (_, column) => {
          const n = row * 11 + column;
          if (n % 7 === 0) return `t${n}`;
          return n % 13 === 0 ? `=${n}/8` : n / 8;
        }),
      );
      await write(app, id, 'C3', values);
      await setFormats(
        app,
        id,
        'B2',
        values.map((row, i) => row.map((_, j) => codes[(i + j * 3) % codes.length] ?? null)),
      );
      data(await restructure(app, id, [lines('insert_rows', 100), lines('delete_columns', 5)]));
      const records = (await csv(id)).split('\r\n').map((line) => line.split(','));
      const part = (top: number, left: number, bottom: number, right: number) => {
        const rows = records.slice(top, bottom + 1).map((row) => {
          const cells = row.slice(left, right + 1);
          return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
        });
        return rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
      };
      assert.deepEqual(await shown(id, 'A:XFD'), part(0, 0, 2_000, 2_000));
      assert.deepEqual(await shown(id, 'D50:H640'), part(49, 3, 639, 7));
      assert.deepEqual(await shown(id, 'K700:Z800'), part(699, 10, 799, 25));
    });

    test('what is too long to be held in memory is shown as well, with formulas and without', async () => {
      const id = await makeSpreadsheet(app);
      const rows = 40_000;
      const code = `0"${'x'.repeat(240)}"`;
      const column = <T>(make: (row: number) => T) => Array.from({ length: rows }, (_, row) => [make(row)]);
      await write(
        app,
        id,
        'A1',
        column((row) => row),
      );
      const half = column(() => code).slice(0, rows / 2);
      for (const start of ['A1', `A${rows / 2 + 1}`]) await setFormats(app, id, start, half);
      const wanted = column((row) => `${row}${'x'.repeat(240)}`);
      assert.deepEqual(await shown(id, 'A:A'), wanted);
      await write(app, id, 'B1', [['=A40000']]);
      assert.deepEqual((await shown(id, 'A:B')).slice(1), wanted.slice(1));
      assert.equal((await readFormats(app, id, 'A:A')).length, rows);
    });
  });
});

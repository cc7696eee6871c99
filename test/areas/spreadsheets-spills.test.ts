/** Formulas that spill count where rows are appended and where a sheet says how far it goes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data } from './accounts.ts';
import { makeSpreadsheet, read, restructure, write } from './spreadsheets-world.ts';

runWorksTwice();

forEachEngine((engine) => {
  describe('a sheet with formulas that spill', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const append = async (id: string, values: unknown, sheet?: string) =>
      data(await app.post(`/v1/spreadsheets/${id}/values/append`, { values, ...(sheet && { sheet }) }));
    const extentsOf = async (id: string) =>
      data(await app.get(`/v1/spreadsheets/${id}`)).sheets.map((sheet: { rows: number; columns: number }) => [
        sheet.rows,
        sheet.columns,
      ]);

    test('a sheet says how far it shows something, spilled values included (SHEET-26)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [['=SEQUENCE(3,2)']]);
      assert.deepEqual(await extentsOf(id), [[3, 2]]);
      await write(app, id, 'A1', [['=SEQUENCE(2)', 'x', '=SEQUENCE(1,4)']]);
      assert.deepEqual(await extentsOf(id), [[2, 6]]);
      await write(app, id, 'A1', [[1, '', '']]);
      assert.deepEqual(await extentsOf(id), [[1, 1]]);
    });

    test('rows are appended below spilled values (SHEET-22)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [['=SEQUENCE(3,2)']]);
      assert.equal((await append(id, [['new', 1]])).range, 'Sheet1!A4:B4');
      assert.equal((await append(id, [['next']])).range, 'Sheet1!A5');
      assert.deepEqual(await read(app, id, 'A:B', 'value'), [[1, 2], [3, 4], [5, 6], ['new', 1], ['next']]);
    });

    test('takes appended rows below spills of other sheets that refer to it', async () => {
      const id = await makeSpreadsheet(app);
      data(await restructure(app, id, [{ type: 'add_sheet', sheet: 'Sorted' }]));
      await write(app, id, 'A1', [[3], [1]]);
      await write(app, id, 'Sorted!B2', [['=SORT(Sheet1!A1:A10)']]);
      const { rows } = data(await app.get(`/v1/spreadsheets/${id}`)).sheets[1];
      assert.equal((await append(id, [['below']], 'Sorted')).range, `Sorted!A${rows + 1}`);
      assert.equal((await append(id, [[2]])).range, 'Sheet1!A3');
    });

    test('takes rows that are appended at once below each other', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [['=SEQUENCE(5)']]);
      const appended = await Promise.all(Array.from({ length: 12 }, (_, i) => append(id, [[`row ${i}`]])));
      const rows = appended.map(({ range }) => Number(/A(\d+)/.exec(range)?.[1]));
      assert.deepEqual(
        rows.sort((a, b) => a - b),
        Array.from({ length: 12 }, (_, i) => 6 + i),
      );
      assert.equal((await read(app, id, 'A1:A5', 'value')).flat().join(), '1,2,3,4,5');
    });

    test('refuses rows for which there is no room below a spill of all rows', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [['=SEQUENCE(1048576)']]);
      assert.deepEqual(await extentsOf(id), [[1_048_576, 1]]);
      const { status, json } = await app.post(`/v1/spreadsheets/${id}/values/append`, { values: [[1]] });
      assert.deepEqual([status, json.error.code], [400, 'values_exceed_range']);
    });

    test('a spreadsheet answers 304 only where nothing that it shows has changed, not by chance either (SHEET-35)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [['=SEQUENCE(3)']]);
      const { headers } = await app.get(`/v1/spreadsheets/${id}`);
      const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
      assert.equal((await app.get(`/v1/spreadsheets/${id}`, again)).status, 304);
      await write(app, id, 'A1', [['=SEQUENCE(RANDBETWEEN(2,3))']]);
      const volatile = await app.get(`/v1/spreadsheets/${id}`);
      const known = { headers: { 'if-none-match': volatile.headers.get('etag') ?? '' } };
      assert.equal((await app.get(`/v1/spreadsheets/${id}`, known)).status, 200);
    });
  });
});

/** Rows that are appended to columns, and once for ever, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { usedRowsWithin } from '../../src/areas/spreadsheets/cells/last-used-row.ts';
import { getWorkbook } from '../../src/areas/spreadsheets/workbook/workbook-store.ts';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data } from './accounts.ts';
import { makePerson, type Person, putFile, shareWith, theOwner } from './files-world.ts';
import { makeSpreadsheet, read, restructure, setFormats, stateOf, write } from './spreadsheets-world.ts';

runWorksTwice();

forEachEngine((engine) => {
  describe('rows that are appended', () => {
    let app: TestApp;
    let owner: Person;
    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const send = (id: string, body: object, options = {}) =>
      app.post(`/v1/spreadsheets/${id}/values/append`, body, options);
    const append = async (id: string, values: unknown, more: object = {}) =>
      data(await send(id, { values, ...more }));
    const to = async (id: string, values: unknown, columns: string) =>
      (await append(id, values, { columns })).range;
    const lines = (type: string, start: number, count = 1) => ({ type, sheet: 'Sheet1', start, count });
    const restructured = async (id: string, ...operations: object[]) =>
      data(await restructure(app, id, operations));
    const keysOf = () =>
      app.services.database.read((tx) => tx.selectFrom('spreadsheet_row_keys').selectAll().execute());

    describe('to columns', () => {
      test('go below the last row that is used there, whatever stands beside (SHEET-71)', async () => {
        const id = await makeSpreadsheet(app);
        await write(
          app,
          id,
          'G1',
          Array.from({ length: 13 }, (_, i) => [`month ${i}`, i]),
        );
        assert.equal((await append(id, [['below all']])).range, 'Sheet1!A14');
        await write(app, id, 'A14', [['']]);
        assert.equal(await to(id, [['Invoice', 'Sum']], 'A:E'), 'Sheet1!A1:B1');
        assert.equal(
          await to(
            id,
            [
              ['acme', 5],
              ['zeta', 7, '', '', 'x'],
            ],
            'a:$E',
          ),
          'Sheet1!A2:E3',
        );
        assert.equal(await to(id, [['next']], 'E:A'), 'Sheet1!A4');
        assert.equal(await to(id, [['c']], 'C:C'), 'Sheet1!C1');
        assert.equal(await to(id, [[1, 2]], 'H:I'), 'Sheet1!H14:I14');
        assert.equal(await to(id, [[1]], 'XFD:XFD'), 'Sheet1!XFD1');
        assert.equal(await to(id, [['all']], 'A:XFD'), 'Sheet1!A15');
        assert.equal(await to(id, [], 'J:K'), 'Sheet1!J1');
        const wide = await makeSpreadsheet(app);
        await write(app, wide, 'L40', [[1]]);
        await write(app, wide, 'I1', [[1]]);
        await write(app, wide, 'A5', [[1]]);
        assert.equal(await to(wide, [[1]], 'A:J'), 'Sheet1!A6');
      });

      test('count what was emptied, deleted, inserted and moved as it is now (SHEET-71)', async () => {
        const id = await makeSpreadsheet(app);
        await write(
          app,
          id,
          'H1',
          Array.from({ length: 200 }, (_, i) => [i]),
        );
        await write(
          app,
          id,
          'A1',
          Array.from({ length: 100 }, (_, i) => [i, i]),
        );
        await write(
          app,
          id,
          'A50',
          Array.from({ length: 51 }, () => ['', '']),
        );
        assert.equal(await to(id, [['x']], 'A:E'), 'Sheet1!A50');
        await restructured(id, lines('insert_rows', 10, 40));
        assert.equal(await to(id, [['y']], 'A:E'), 'Sheet1!A91');
        await restructured(id, lines('delete_rows', 60, 10), lines('delete_rows', 75, 100));
        assert.equal(await to(id, [['z']], 'A:E'), 'Sheet1!A75');
        await restructured(id, lines('insert_columns', 1, 2));
        assert.equal(await to(id, [['c']], 'A:B'), 'Sheet1!A1');
        assert.equal(await to(id, [['c']], 'A:C'), 'Sheet1!A76');
        await restructured(id, lines('delete_columns', 3));
        assert.equal(await to(id, [['d']], 'C:E'), 'Sheet1!C75');
        await write(
          app,
          id,
          'A1',
          Array.from({ length: 200 }, () => ['', '', '']),
        );
        assert.equal(await to(id, [['e']], 'A:E'), 'Sheet1!A1');
        await write(app, id, 'A9', [['moved']]);
        data(
          await app.post(`/v1/spreadsheets/${id}/values/batch`, {
            data: [
              { range: 'A9', values: [['']] },
              { range: 'A20', values: [['moved']] },
            ],
          }),
        );
        assert.equal(await to(id, [['f']], 'A:E'), 'Sheet1!A21');
      });

      test('stand below what formulas spill there, and not below what they spill elsewhere (SHEET-71)', async () => {
        const id = await makeSpreadsheet(app);
        await write(app, id, 'A1', [['=SEQUENCE(3)', '', '', '=SEQUENCE(40)']]);
        assert.equal(await to(id, [['x']], 'A:B'), 'Sheet1!A4');
        assert.equal(await to(id, [['x']], 'D:D'), 'Sheet1!D41');
        assert.equal(await to(id, [['x']], 'B:C'), 'Sheet1!B1');
        const made = await Promise.all(Array.from({ length: 6 }, (_, i) => to(id, [[i]], 'A:B')));
        assert.deepEqual(made.toSorted(), [5, 6, 7, 8, 9, 10].map((row) => `Sheet1!A${row}`).toSorted());
        assert.equal((await read(app, id, 'A1:A4', 'value')).flat().join(), '1,2,3,x');
      });

      test('that do not fit are refused, and so are columns that are none (SHEET-72)', async () => {
        const id = await makeSpreadsheet(app);
        const wide = await send(id, { values: [[1, 2, 3]], columns: 'B:C' });
        assert.deepEqual([wide.status, wide.json.error.code], [400, 'values_exceed_range']);
        await write(app, id, 'B1048576', [['end']]);
        for (const values of [[[1]], [[1], [2]]]) {
          const full = await send(id, { values, columns: 'B:C' });
          assert.deepEqual([full.status, full.json.error.code], [400, 'values_exceed_range']);
        }
        for (const columns of [
          'A',
          'A1',
          'A1:B2',
          '1:2',
          'Sheet1!A:B',
          'A:XFE',
          'A:B:C',
          '',
          ' A:B',
          'A-E',
          'Ä:E',
        ]) {
          const { status, json } = await send(id, { values: [[1]], columns });
          assert.deepEqual([status, json.error.details.errors[0].pointer], [400, '/columns'], columns);
          assert.match(json.error.details.errors[0].message, /./);
        }
        for (const columns of [null, 5, ['A:B']])
          assert.equal((await send(id, { values: [[1]], columns })).status, 400);
        assert.deepEqual(await read(app, id, 'A1:C9'), []);
      });

      test('cost what they write, not what the sheet holds, also after many were emptied (SHEET-71)', async () => {
        const rowsRead = async (rows: number): Promise<number[]> => {
          const id = await makeSpreadsheet(app);
          for (let from = 0; from < rows; from += 5_000)
            await write(
              app,
              id,
              `G${from + 1}`,
              Array.from({ length: Math.min(5_000, rows) }, (_, i) => [i]),
            );
          await write(
            app,
            id,
            'A1',
            Array.from({ length: rows }, (_, i) => [i]),
          );
          await write(
            app,
            id,
            'A11',
            Array.from({ length: rows - 10 }, () => ['']),
          );
          assert.equal(await to(id, [['first']], 'A:E'), 'Sheet1!A11');
          const counts: number[] = [];
          for (let row = 12; row < 15; row++) {
            counts.push(await rowsOfSearch(id));
            assert.equal(await to(id, [[row]], 'A:E'), `Sheet1!A${row}`);
          }
          return counts;
        };
        const rowsOfSearch = (id: string) =>
          app.services.database.write(async (tx) => {
            let seen = 0;
            const counted = new Proxy(tx, {
              get: (target, name) => {
                const value = Reflect.get(target, name);
                if (name !== 'executeQuery') return typeof value === 'function' ? value.bind(target) : value;
                return async (query: Parameters<WriteTransaction['executeQuery']>[0]) => {
                  const result = await target.executeQuery(query);
                  seen += result.rows.length;
                  return result;
                };
              },
            });
            const workbook = await getWorkbook(tx, { workspaceId: await workspaceOf(tx), id });
            const [sheet] = workbook.sheets;
            assert.ok(sheet);
            await usedRowsWithin(counted, workbook.workspaceId, sheet, { left: 0, right: 4 });
            return seen;
          });
        const [few, many] = [await rowsRead(2_000), await rowsRead(20_000)];
        assert.deepEqual(many, few);
        assert.ok(Math.max(...many) < 40, String(many));
      });

      test('of a sheet whose columns were filled before it was kept how far they go are found as well (SHEET-71)', async () => {
        const id = await makeSpreadsheet(app);
        await write(app, id, 'A1', [['a', 'b'], ['c']]);
        await write(
          app,
          id,
          'G1',
          Array.from({ length: 70 }, (_, i) => [i]),
        );
        await app.services.database.write((tx) =>
          tx.updateTable('spreadsheet_columns').set({ reach: null }).execute(),
        );
        await write(app, id, 'B2', [['d'], ['e']]);
        assert.equal(await to(id, [['x']], 'A:E'), 'Sheet1!A4');
        assert.equal(await to(id, [['y']], 'A:E'), 'Sheet1!A5');
      });
    });

    describe('under a key', () => {
      const ROW = ['acme', 119.5, '=1+1'];

      test('are appended once for ever; the answer says where the row is (SHEET-73, SHEET-74)', async () => {
        const id = await makeSpreadsheet(app);
        await write(app, id, 'A1', [['Invoices']]);
        const first = await append(id, [ROW], { row_key: 'msg_1' });
        assert.deepEqual([first.range, first.updated_cells, first.changed], ['Sheet1!A2:C2', 3, true]);
        await append(id, [['between']]);
        const state = await stateOf(app, id);
        for (const values of [[ROW], [['other', 'values', 'than', 'before']]]) {
          const again = await append(id, values, { row_key: 'msg_1' });
          assert.deepEqual(again, { range: 'Sheet1!A2:C2', updated_cells: 0, state, changed: false });
        }
        assert.equal((await append(id, [ROW], { row_key: 'MSG_1' })).range, 'Sheet1!A4:C4');
        assert.equal((await append(id, [ROW], { row_key: 'msg_1 ' })).range, 'Sheet1!A5:C5');
        assert.deepEqual(await read(app, id, 'A1:A9'), [
          ['Invoices'],
          ['acme'],
          ['between'],
          ['acme'],
          ['acme'],
        ]);
      });

      test('of several clients at once are one row (SHEET-73)', async () => {
        const id = await makeSpreadsheet(app);
        const key = { row_key: 'only one' };
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, i) => append(id, [[`row ${i}`]], key)),
        );
        assert.equal(answers.filter(({ changed }) => changed).length, 1);
        assert.deepEqual(new Set(answers.map(({ range }) => range)), new Set(['Sheet1!A1']));
        assert.equal((await read(app, id, 'A:A')).length, 1);
        const formulas = await makeSpreadsheet(app);
        await write(app, formulas, 'A1', [['=SEQUENCE(3)']]);
        const spilled = await Promise.all(Array.from({ length: 6 }, (_, i) => append(formulas, [[i]], key)));
        assert.deepEqual(new Set(spilled.map(({ range }) => range)), new Set(['Sheet1!A4']));
      });

      test('keep their key while rows and columns come and go, are renamed, emptied and overwritten (SHEET-75)', async () => {
        const id = await makeSpreadsheet(app);
        const where = async () => (await append(id, [['?']], { row_key: 'k' })).range;
        await append(id, [['head', 1, 2, 3]]);
        await append(id, [['a', 'b', 'c']], { row_key: 'k', columns: 'B:E' });
        assert.equal(await where(), 'Sheet1!B2:D2');
        await restructured(id, lines('insert_rows', 1, 3), lines('insert_columns', 3, 2));
        assert.equal(await where(), 'Sheet1!B5:F5');
        await restructured(id, lines('delete_rows', 2), lines('delete_columns', 1));
        assert.equal(await where(), 'Sheet1!A4:E4');
        await restructured(id, lines('delete_columns', 1));
        assert.equal(await where(), 'Sheet1!C4:D4');
        await restructured(id, { type: 'rename_sheet', sheet: 'Sheet1', name: 'In & out' });
        assert.equal(await where(), "'In & out'!C4:D4");
        await write(app, id, 'A4', [['', '', '', 'else']]);
        assert.equal(await where(), "'In & out'!C4:D4");
      });

      test('are not appended again when their row has been deleted (SHEET-76)', async () => {
        const id = await makeSpreadsheet(app);
        for (const key of ['a', 'b', 'c']) await append(id, [[key, 1]], { row_key: key });
        await restructured(id, lines('delete_rows', 2));
        const state = await stateOf(app, id);
        const gone = await append(id, [['b', 1]], { row_key: 'b' });
        assert.deepEqual(gone, { range: null, updated_cells: 0, state, changed: false });
        assert.equal((await append(id, [['?']], { row_key: 'c' })).range, 'Sheet1!A2:B2');
        await restructured(id, lines('delete_columns', 1, 2));
        assert.equal((await append(id, [['?']], { row_key: 'a' })).range, null);
        assert.equal((await append(id, [['d']], { row_key: 'd' })).range, 'Sheet1!A1');
      });

      test('keep their key when the positions of a sheet in pieces are made anew (SHEET-75)', async () => {
        const id = await makeSpreadsheet(app);
        await write(
          app,
          id,
          'A1',
          Array.from({ length: 400 }, (_, i) => [i]),
        );
        await append(id, [['key', 'row']], { row_key: 'k' });
        await append(id, [['gone']], { row_key: 'gone' });
        await restructured(id, lines('delete_rows', 402));
        const sheetOf = async () => (await keysOf()).find((row) => row.row_key === 'gone')?.sheet;
        const before = await sheetOf();
        const pieces = Array.from({ length: 80 }, (_, i) => lines('insert_rows', 1 + 3 * i));
        await restructured(id, ...pieces);
        await restructured(id, ...pieces);
        assert.notEqual((await keysOf()).filter((row) => row.row_key === 'gone').at(-1)?.sheet, undefined);
        assert.ok((await keysOf()).some((row) => row.row_key === 'gone' && row.sheet !== before));
        assert.equal((await append(id, [['?']], { row_key: 'k' })).range, 'Sheet1!A561:B561');
        assert.equal((await append(id, [['?']], { row_key: 'gone' })).range, null);
        await restructured(id, lines('insert_columns', 1), lines('delete_rows', 1));
        assert.equal((await append(id, [['?']], { row_key: 'k' })).range, 'Sheet1!B560:C560');
        await app.services.spreadsheets.sweep();
        assert.ok(!(await keysOf()).some((row) => row.sheet === before));
      });

      test('belong to one sheet; what deletes that deletes its keys (SHEET-73, SHEET-76)', async () => {
        const id = await makeSpreadsheet(app);
        await restructured(id, { type: 'add_sheet', sheet: 'Two' });
        const key = { row_key: 'shared' };
        assert.equal((await append(id, [[1]], key)).range, 'Sheet1!A1');
        assert.equal((await append(id, [[2]], { ...key, sheet: 'Two' })).range, 'Two!A1');
        const other = await makeSpreadsheet(app);
        assert.equal((await append(other, [[3]], key)).changed, true);
        await restructured(id, { type: 'delete_sheet', sheet: 'Two' }, { type: 'add_sheet', sheet: 'Two' });
        assert.equal((await append(id, [[4]], { ...key, sheet: 'Two' })).changed, true);
        const count = (await keysOf()).length;
        await app.services.spreadsheets.sweep();
        assert.equal((await keysOf()).length, count - 1);
        assert.equal((await append(id, [[5]], { ...key, sheet: 'Two' })).changed, false);
      });

      test('survive the trash and are in no file (SHEET-77)', async () => {
        const id = await makeSpreadsheet(app);
        await append(id, [['x']], { row_key: 'k' });
        await app.delete(`/v1/documents/${id}`);
        assert.equal((await send(id, { values: [['x']], row_key: 'k' })).json.error.code, 'trashed');
        data(await app.post(`/v1/documents/${id}/restore`));
        assert.equal((await append(id, [['x']], { row_key: 'k' })).changed, false);
        const headers = { authorization: `Bearer ${OWNER_KEY}` };
        const file = await fetch(`${app.address}/v1/spreadsheets/${id}/export`, { headers });
        const bytes = Buffer.from(await file.arrayBuffer());
        const source = await putFile(app, owner, { filename: 'a.xlsx', bytes });
        const body = { type: 'spreadsheet', title: 'Copy', source_file_id: source.id };
        const copy = data(await app.post('/v1/documents', body), 201).id;
        assert.equal((await append(copy, [['x']], { row_key: 'k' })).range, 'Sheet1!A2');
      });

      test('are one row with something in it (SHEET-78)', async () => {
        const id = await makeSpreadsheet(app);
        for (const values of [[], [[]], [['']], [[{ text: '' }]], [['a'], ['b']], [['a'], []]]) {
          const { status, json } = await send(id, { values, row_key: 'k' });
          assert.deepEqual(
            [status, json.error.details.errors[0].pointer],
            [400, '/values'],
            JSON.stringify(values),
          );
          assert.match(json.error.details.errors[0].message, /one row/);
        }
        for (const key of ['', 'x'.repeat(256), null, 5, ['k'], 'a\u0000b', '\ud800']) {
          const { status, json } = await send(id, { values: [[1]], row_key: key });
          assert.equal(status, 400, JSON.stringify(key));
          assert.equal(json.error.details.errors[0].pointer, '/row_key');
        }
        assert.deepEqual(await read(app, id, 'A:C'), []);
        const longest = { row_key: '🗝'.repeat(127) };
        assert.equal((await append(id, [[0]], longest)).changed, true);
        assert.equal((await append(id, [[0]], longest)).changed, false);
      });

      test('are not known of a write that was refused, and not told to who may not write (SHEET-73)', async () => {
        const id = await makeSpreadsheet(app);
        const headers = { 'if-match': '"another"' };
        const body = { values: [['x']], row_key: 'k' };
        assert.equal((await send(id, body, { headers })).status, 412);
        const viewer = await makePerson(app);
        await shareWith(app, owner, id, viewer.id, 'viewer');
        assert.equal((await send(id, body, { key: viewer.key })).status, 403);
        assert.equal((await send(id, { ...body, columns: 'A:A', values: [[1, 2]] })).status, 400);
        assert.equal((await append(id, [['x']], { row_key: 'k' })).changed, true);
        assert.equal((await send(id, body, { key: viewer.key })).status, 403);
        assert.equal((await send(id, body, { headers })).status, 412);
      });

      test('take raw texts and dates, and columns beside them (SHEET-65, SHEET-68, SHEET-71, SHEET-73)', async () => {
        const id = await makeSpreadsheet(app);
        await write(app, id, 'G1', [
          ['sum', '=SUM(C:C)'],
          ['count', '=COUNTA(A:A)'],
        ]);
        await setFormats(app, id, 'C1', [['0.00']]);
        const invoice = (n: number) =>
          append(id, [[`=subject ${n}`, { date: `2026-11-0${n}` }, 10 * n]], {
            columns: 'A:E',
            row_key: `invoice ${n}`,
            input: 'raw',
          });
        for (const n of [1, 2, 1, 3, 2, 3]) await invoice(n);
        assert.deepEqual(await read(app, id, 'A1:H4', 'formatted'), [
          ['=subject 1', '2026-11-01', '10.00', '', '', '', 'sum', '60'],
          ['=subject 2', '2026-11-02', '20', '', '', '', 'count', '3'],
          ['=subject 3', '2026-11-03', '30'],
        ]);
      });

      test('need no calculation where formulas only quote texts (SHEET-66, SHEET-73)', async () => {
        const id = await makeSpreadsheet(app);
        await append(id, [['=a'], ['=b']], { input: 'raw' });
        const workbook = await app.services.database.read(async (tx) =>
          getWorkbook(tx, { workspaceId: await workspaceOf(tx), id }),
        );
        const counts = workbook.sheets.map(({ formulas, quotes }) => [formulas, quotes]);
        assert.deepEqual(counts, [[2, 2]]);
        await write(app, id, 'A1', [['=1+1'], ['']]);
        assert.deepEqual(await read(app, id, 'A:A', 'value'), [[2]]);
        assert.equal((await append(id, [['c']])).range, 'Sheet1!A2');
      });
    });
  });
});

/** The workspace of a test application: it has one. */
async function workspaceOf(tx: Pick<WriteTransaction, 'selectFrom'>): Promise<string> {
  const { id } = await tx.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
  return id;
}

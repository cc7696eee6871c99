import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { makeSpreadsheet, put, read, restructure, stateOf, write } from './spreadsheets-world.ts';

forEachEngine((engine) => {
  describe('the structure of spreadsheets', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const sheetsOf = async (id: string) => data(await app.get(`/v1/spreadsheets/${id}`)).sheets;

    test('rows and columns come and go, and cells with them (SHEET-40, SHEET-42, SHEET-43)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ]);
      const { state } = data(
        await restructure(app, id, [
          { type: 'insert_rows', sheet: 'Sheet1', start: 2, count: 2 },
          { type: 'delete_columns', sheet: 'sheet1', start: 2, count: 1 },
        ]),
      );
      assert.equal(state, await stateOf(app, id));
      assert.deepEqual(await read(app, id, 'A1:Z9'), [[1, 3], [], [], [4, 6], [7, 9]]);
      assert.deepEqual(await sheetsOf(id), [{ name: 'Sheet1', rows: 5, columns: 2 }]);
      await write(app, id, 'A2', [['new', 'row']]);
      data(await restructure(app, id, [{ type: 'delete_rows', sheet: 'Sheet1', start: 4, count: 100 }]));
      assert.deepEqual(await read(app, id, 'A1:Z9'), [
        [1, 3],
        ['new', 'row'],
      ]);
      assert.deepEqual(await sheetsOf(id), [{ name: 'Sheet1', rows: 2, columns: 2 }]);
    });

    test('references follow a structural change as in Excel, on other sheets too (SHEET-45, SHEET-47)', async () => {
      const id = await makeSpreadsheet(app);
      data(await restructure(app, id, [{ type: 'add_sheet', sheet: 'My sheet' }]));
      const formulas = [
        '=A5',
        '=$A$5+a1',
        '=SUM(A1:A10)',
        '=SUM(A5:A6)',
        '=SUM(A:A)',
        '=SUM(5:6)',
        '=Sheet1!A5&"A5"',
        "='My sheet'!A5",
      ];
      await write(app, id, 'E1', [formulas]);
      await write(app, id, "'My sheet'!A1", [formulas]);
      data(await restructure(app, id, [{ type: 'insert_rows', sheet: 'Sheet1', start: 5, count: 2 }]));
      assert.deepEqual(await read(app, id, 'E1:L1'), [
        [
          '=A7',
          '=$A$7+A1',
          '=SUM(A1:A12)',
          '=SUM(A7:A8)',
          '=SUM(A:A)',
          '=SUM(7:8)',
          '=Sheet1!A7&"A5"',
          "='My sheet'!A5",
        ].map((f) => f.replace('+A1', '+a1')),
      ]);
      assert.deepEqual(await read(app, id, "'My sheet'!A1:H1"), [
        formulas.map((f) => f.replace('Sheet1!A5', 'Sheet1!A7')),
      ]);
      data(
        await restructure(app, id, [
          { type: 'rename_sheet', sheet: 'My sheet', name: 'Other' },
          { type: 'delete_rows', sheet: 'Sheet1', start: 7, count: 1 },
        ]),
      );
      assert.deepEqual(await read(app, id, 'E1:L1'), [
        [
          '=#REF!',
          '=#REF!+a1',
          '=SUM(A1:A11)',
          '=SUM(A7:A7)',
          '=SUM(A:A)',
          '=SUM(7:7)',
          '=#REF!&"A5"',
          '=Other!A5',
        ],
      ]);
      data(await restructure(app, id, [{ type: 'delete_sheet', sheet: 'other' }]));
      assert.deepEqual(await read(app, id, 'L1'), [['=#REF!']]);
    });

    test('a change by which a formula would become longer than a write takes is refused', async () => {
      const id = await makeSpreadsheet(app);
      const formula = `=Sheet1!A2${'+Sheet1!A2'.repeat(800)}`;
      await write(app, id, 'B1', [[formula]]);
      const state = await stateOf(app, id);
      const longer = { type: 'rename_sheet', sheet: 'Sheet1', name: `a${"'".repeat(29)}b` };
      const { status, json } = await restructure(app, id, [longer]);
      assert.deepEqual([status, json.error.code], [400, 'validation_failed']);
      assert.deepEqual(
        json.error.details.errors.map(({ pointer, code }: { pointer: string; code: string }) => [
          pointer,
          code,
        ]),
        [['/operations', 'too_long']],
      );
      assert.deepEqual([await stateOf(app, id), await read(app, id, 'B1')], [state, [[formula]]]);
      data(await restructure(app, id, [{ ...longer, name: 'New' }]));
      assert.deepEqual(await read(app, id, 'B1'), [[formula.replaceAll('Sheet1', 'New')]]);
    });

    test('many operations on formulas that are very long together are refused', async () => {
      const id = await makeSpreadsheet(app);
      // Their length counts, not the references in it, which would take long to follow.
      const formulas = Array.from({ length: 310 }, () => [`=A2&"${'x'.repeat(8_184)}"`]);
      for (const column of ['B1', 'C1']) await write(app, id, column, formulas);
      const insertion = { type: 'insert_rows', sheet: 'Sheet1', start: 1, count: 1 };
      const behind = Array.from({ length: 100 }, () => ({ ...insertion, start: 1_000 }));
      const { status, json } = await restructure(app, id, behind);
      assert.deepEqual([status, json.error.details.errors[0].code], [400, 'too_many']);
      data(await restructure(app, id, [insertion]));
      assert.deepEqual((await read(app, id, 'C311'))[0]?.[0], formulas[0]?.[0]?.replaceAll('A2', 'A3'));
    });

    test('a structural change without the state, or with another one, is refused and changes nothing (SHEET-17, SHEET-41)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [[1]]);
      const state = await stateOf(app, id);
      const change = (headers: Record<string, string>) =>
        app.post(
          `/v1/spreadsheets/${id}/structure`,
          { operations: [{ type: 'add_sheet', sheet: 'X' }] },
          { headers },
        );
      const missing = await change({});
      assert.deepEqual([missing.status, missing.json.error.code], [428, 'precondition_required']);
      const other = await change({ 'if-match': 'other' });
      assert.deepEqual(
        [other.status, other.json.error.code, other.json.error.details.state],
        [412, 'state_mismatch', state],
      );
      assert.equal(await stateOf(app, id), state);
      const quoted = data(await change({ 'if-match': `"${state}"` }));
      assert.notEqual(quoted.state, state);
      assert.equal((await change({ 'if-match': state })).status, 412);
    });

    test('an operation that does not fit hides no name of another one that is off', async () => {
      const answer = await restructure(app, await makeSpreadsheet(app), [
        { type: 'add_sheet', sheet: 'a/b' },
        { type: 'move_rows' },
        { type: 'rename_sheet', sheet: 'Sheet1', name: '' },
        { type: 'add_sheet', sheet: 7, name: '' },
      ]);
      assert.equal(answer.status, 400, answer.text);
      const places = new Set(
        answer.json.error.details.errors.map(({ pointer }: { pointer: string }) => pointer),
      );
      for (const place of [
        '/operations/0/sheet',
        '/operations/1',
        '/operations/2/name',
        '/operations/3/sheet',
      ])
        assert.ok(places.has(place), `${place} of ${[...places]}`);
    });

    test('the operations of a structural change are carried out all or none, and a refusal says why (SHEET-5, SHEET-42, SHEET-46, SHEET-48)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1:A2', [[1], [2]]);
      await write(app, id, 'XFD1048576', [['end']]);
      const state = await stateOf(app, id);
      const refused = async (operation: object, pointer: string) => {
        const answer = await restructure(app, id, [{ type: 'add_sheet', sheet: 'Before' }, operation]);
        assert.deepEqual([answer.status, answer.json.error.code], [400, 'validation_failed'], answer.text);
        assert.equal(answer.json.error.details.errors[0].pointer, `/operations/1${pointer}`);
      };
      await refused({ type: 'insert_rows', sheet: 'Sheet1', start: 1, count: 1 }, '');
      await refused({ type: 'insert_columns', sheet: 'Sheet1', start: 3, count: 1 }, '');
      await refused({ type: 'add_sheet', sheet: 'SHEET1' }, '/sheet');
      await refused({ type: 'add_sheet', sheet: 'a/b' }, '/sheet');
      await refused({ type: 'rename_sheet', sheet: 'Sheet1', name: 'before' }, '/name');
      await refused({ type: 'rename_sheet', sheet: 'Sheet1', name: "'x" }, '/name');
      await refused({ type: 'insert_rows', sheet: 'Sheet1', start: 0, count: 1 }, '/start');
      await refused({ type: 'insert_rows', sheet: 'Sheet1', start: 1 }, '/count');
      await refused({ type: 'add_sheet', sheet: 'A', count: 1 }, '/count');
      await refused({ type: 'rename_sheet', sheet: 'Sheet1' }, '/name');
      await refused({}, '');
      await refused({ type: 'move_rows', sheet: 'Sheet1', start: 1, count: 1 }, '');
      const unknown = await restructure(app, id, [{ type: 'delete_sheet', sheet: 'None' }]);
      assert.deepEqual(
        [unknown.status, unknown.json.error.details],
        [404, { resource: 'sheet', id: 'None' }],
      );
      assert.equal(unknown.json.error.message, 'The spreadsheet has no sheet "None".');
      const last = await restructure(app, id, [{ type: 'delete_sheet', sheet: 'Sheet1' }]);
      assert.deepEqual([last.status, last.json.error.code], [400, 'validation_failed']);
      assert.equal(await stateOf(app, id), state);
    });

    test('a spreadsheet has at most 500 sheets, and a change at most 100 operations (SHEET-1, SHEET-40, SHEET-44)', async () => {
      const id = await makeSpreadsheet(app);
      const adding = (from: number, count: number) =>
        Array.from({ length: count }, (_, i) => ({ type: 'add_sheet', sheet: `S${from + i}` }));
      const refused = async (operations: object[]) => {
        const answer = await restructure(app, id, operations);
        assert.deepEqual([answer.status, answer.json.error.code], [400, 'validation_failed'], answer.text);
      };
      await refused(adding(0, 101));
      for (const from of [0, 100, 200, 300]) data(await restructure(app, id, adding(from, 100)));
      await refused(adding(400, 100));
      data(await restructure(app, id, adding(400, 99)));
      assert.deepEqual(
        (await sheetsOf(id)).map(({ name }: { name: string }) => name),
        ['Sheet1', ...Array.from({ length: 499 }, (_, i) => `S${i}`)],
      );
      await refused(adding(499, 1));
    });

    test('the name of a sheet has 1 to 31 characters that names of sheets may have (SHEET-5)', async () => {
      const id = await makeSpreadsheet(app);
      const named = async (name: string) =>
        (await restructure(app, id, [{ type: 'rename_sheet', sheet: (await sheetsOf(id))[0].name, name }]))
          .status;
      const wrong = [...'[]:*?/\\'].map((character) => `a${character}b`);
      for (const name of [
        '',
        'x'.repeat(32),
        "'x",
        "x'",
        'History',
        'hISTORY',
        '🎬'.repeat(16),
        'a\u0085b',
        ...wrong,
      ])
        assert.equal(await named(name), 400, name);
      for (const name of ['x', '日'.repeat(31), `${'🎬'.repeat(15)}a`, "it's", 'History 2', 'x'.repeat(31)]) {
        assert.equal(await named(name), 200, name);
        assert.equal((await sheetsOf(id))[0].name, name);
      }
    });

    test('a structural change that changes nothing makes no new state (SHEET-34)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [[1]]);
      const state = await stateOf(app, id);
      const operations = [
        { type: 'insert_rows', sheet: 'Sheet1', start: 50, count: 3 },
        { type: 'add_sheet', sheet: 'X' },
        { type: 'delete_sheet', sheet: 'X' },
        { type: 'rename_sheet', sheet: 'Sheet1', name: 'Sheet1' },
      ];
      assert.equal(data(await restructure(app, id, operations)).state, state);
    });

    test('a sheet that is gone leaves no cells behind', async () => {
      const id = await makeSpreadsheet(app);
      data(await restructure(app, id, [{ type: 'add_sheet', sheet: 'Gone' }]));
      await write(
        app,
        id,
        'Gone!A1',
        Array.from({ length: 300 }, (_, i) => Array(300).fill(i)),
      );
      data(await restructure(app, id, [{ type: 'delete_sheet', sheet: 'Gone' }]));
      assert.equal((await put(app, id, 'Gone!A1', [[1]])).status, 404);
      await app.services.spreadsheets.sweep();
      const left = await app.services.database.read(async (tx) => ({
        remains: await tx.selectFrom('spreadsheet_remains').selectAll().execute(),
        sheets: (
          await tx.selectFrom('spreadsheets').select('sheets').where('node_id', '=', id).execute()
        ).flatMap((row) => JSON.parse(row.sheets)),
        blocks: await tx.selectFrom('spreadsheet_blocks').select('sheet').distinct().execute(),
        all: await tx.selectFrom('spreadsheets').select('sheets').execute(),
      }));
      assert.deepEqual(left.remains, []);
      const known = left.all.flatMap((row) =>
        JSON.parse(row.sheets).map((sheet: { id: string }) => sheet.id),
      );
      assert.deepEqual(
        left.blocks.filter(({ sheet }) => !known.includes(sheet)),
        [],
      );
    });

    test('an axis in many pieces is made straight again, and nobody sees it', async () => {
      const id = await makeSpreadsheet(app);
      await write(
        app,
        id,
        'A1',
        Array.from({ length: 1_000 }, (_, i) => [i, `=A${i + 1}`]),
      );
      const rows = Array.from({ length: 1_000 }, (_, i) => i);
      for (let round = 0; round < 3; round++) {
        const starts = Array.from({ length: 60 }, (_, i) => 5 + round + i * 7);
        data(
          await restructure(
            app,
            id,
            starts.map((start) => ({ type: 'delete_rows', sheet: 'Sheet1', start, count: 1 })),
          ),
        );
        for (const start of starts) rows.splice(start - 1, 1);
      }
      assert.deepEqual(
        await read(app, id, 'A:B'),
        rows.map((value, i) => [value, `=A${i + 1}`]),
      );
    });
  });
});

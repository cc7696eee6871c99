import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, problems } from './accounts.ts';
import { makePerson, shareWith, theOwner } from './files-world.ts';
import { makeSpreadsheet, put, rangePath, read, restructure, stateOf, write } from './spreadsheets-world.ts';

forEachEngine((engine) => {
  describe('spreadsheets', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    test('a new spreadsheet has one empty sheet, Sheet1 (SHEET-1, SHEET-26)', async () => {
      const id = await makeSpreadsheet(app, 'Fresh');
      const answer = await app.get(`/v1/spreadsheets/${id}`);
      const { state, ...rest } = data(answer);
      assert.deepEqual(rest, {
        id,
        title: 'Fresh',
        sheets: [{ name: 'Sheet1', rows: 0, columns: 0 }],
        import_notes: [],
      });
      assert.equal(answer.headers.get('etag'), `"${state}"`);
      assert.deepEqual(await read(app, id, 'A1:C3'), []);
    });

    test('a block is written from its corner on, and the answer tells where it went (SHEET-6, SHEET-7, SHEET-11, SHEET-14, SHEET-15, SHEET-16, SHEET-17, SHEET-18, SHEET-29)', async () => {
      const id = await makeSpreadsheet(app);
      const before = await stateOf(app, id);
      const written = await write(app, id, 'B2', [['a', 1], [true], ['', 2]]);
      assert.deepEqual(
        { ...written, state: '' },
        { range: 'Sheet1!B2:C4', updated_cells: 4, state: '', changed: true },
      );
      assert.notEqual(written.state, before);
      assert.equal(await stateOf(app, id), written.state);
      assert.deepEqual(await read(app, id, 'A1:D5'), [[], ['', 'a', 1], ['', true], ['', '', 2]]);
      assert.deepEqual(data(await app.get(`/v1/spreadsheets/${id}`)).sheets, [
        { name: 'Sheet1', rows: 4, columns: 3 },
      ]);
    });

    test('cells of a range that the values do not reach stay as they are (SHEET-12)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [
        [1, 2],
        [3, 4],
        [5, 6],
      ]);
      const written = await write(app, id, 'A1:B10', [[7], [8]]);
      assert.equal(written.range, 'Sheet1!A1:A2');
      assert.deepEqual(await read(app, id, 'A:B'), [
        [7, 2],
        [8, 4],
        [5, 6],
      ]);
    });

    test('the same values again store nothing and make no new state (SHEET-8, SHEET-16, SHEET-18, SHEET-34)', async () => {
      const id = await makeSpreadsheet(app);
      const first = await write(app, id, 'A1', [[1, 'x', false, '=A1']]);
      const again = await write(app, id, 'A1', [[1, 'x', false, '=A1']]);
      assert.deepEqual(again, { ...first, updated_cells: 0, changed: false });
      const other = await write(app, id, 'A1', [['1']]);
      assert.equal(other.updated_cells, 1, '"1" is not 1');
      assert.deepEqual(await write(app, id, 'Z9', [['']]), {
        range: 'Sheet1!Z9',
        updated_cells: 0,
        state: other.state,
        changed: false,
      });
    });

    test('an empty text deletes its cell, and the used extent shrinks (SHEET-10, SHEET-26)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [[1]]);
      await write(app, id, 'ZZ5000', [['far']]);
      assert.equal((await write(app, id, 'ZZ5000', [['']])).updated_cells, 1);
      assert.deepEqual(data(await app.get(`/v1/spreadsheets/${id}`)).sheets, [
        { name: 'Sheet1', rows: 1, columns: 1 },
      ]);
      await write(app, id, 'A1', [['']]);
      assert.deepEqual(data(await app.get(`/v1/spreadsheets/${id}`)).sheets, [
        { name: 'Sheet1', rows: 0, columns: 0 },
      ]);
    });

    test('no values write nothing (SHEET-19)', async () => {
      const id = await makeSpreadsheet(app);
      const state = await stateOf(app, id);
      for (const values of [[], [[]], [[], []]]) {
        assert.deepEqual(await write(app, id, 'c3:b2', values), {
          range: 'Sheet1!B2:C3',
          updated_cells: 0,
          state,
          changed: false,
        });
      }
    });

    test('a range is taken however it is written, and answered in one form (SHEET-2, SHEET-3, SHEET-4, SHEET-27, SHEET-28)', async () => {
      const id = await makeSpreadsheet(app);
      data(await restructure(app, id, [{ type: 'add_sheet', sheet: "It's 50% & 1" }]));
      const said = async (range: string) => (await write(app, id, range, [['x']])).range;
      assert.equal(await said('a1'), 'Sheet1!A1');
      assert.equal(await said('$b$2:$A$1'), 'Sheet1!A1');
      assert.equal(await said('C:A'), 'Sheet1!A1');
      assert.equal(await said('5:2'), 'Sheet1!A2');
      assert.equal(await said('SHEET1!xfd1048576'), 'Sheet1!XFD1048576');
      assert.equal(await said("'it''s 50% & 1'!B2:C3"), "'It''s 50% & 1'!B2");
      const last = await write(app, id, "'it''S 50% & 1'!$c$3", [['y', '=1+1']]);
      assert.deepEqual(await read(app, id, "'It''s 50% & 1'!A1:Z99"), [[], ['', 'x'], ['', '', 'y', '=1+1']]);
      // Without a word of what is shown, the values of formulas are.
      assert.deepEqual(data(await app.get(rangePath(id, "'it''s 50% & 1'!$d$3:b2"))), {
        range: "'It''s 50% & 1'!B2:D3",
        values: [['x'], ['', 'y', 2]],
        state: last.state,
      });
    });

    test('numbers are kept exactly as JSON reads them, and minus zero is zero', async () => {
      const id = await makeSpreadsheet(app);
      const path = rangePath(id, 'A1');
      const body = '{"values":[[1e308,5e-324,0.1,9007199254740993,-0,123456789012345680000]]}';
      data(await app.put(path, undefined, { body, headers: { 'content-type': 'application/json' } }));
      assert.deepEqual(await read(app, id, 'A1:F1'), [
        [1e308, 5e-324, 0.1, 9007199254740992, 0, 123456789012345680000],
      ]);
    });

    test('rows are appended below the last row that is used, from column A on (SHEET-22)', async () => {
      const id = await makeSpreadsheet(app);
      const path = `/v1/spreadsheets/${id}/values/append`;
      assert.equal(data(await app.post(path, { values: [['a', 1]] })).range, 'Sheet1!A1:B1');
      await write(app, id, 'D7', [['low']]);
      const { state, ...appended } = data(
        await app.post(path, { sheet: 'sheet1', values: [['b'], ['c', 2]] }),
      );
      assert.deepEqual(appended, { range: 'Sheet1!A8:B9', updated_cells: 3, changed: true });
      assert.equal(await stateOf(app, id), state);
      await write(app, id, 'A1048576', [['end']]);
      const full = await app.post(path, { values: [[1]] });
      assert.equal(full.status, 400);
      assert.equal(full.json.error.code, 'values_exceed_range');
      assert.equal(data(await app.post(path, { values: [] })).changed, false);
    });

    test('values of a batch that do not fit hide no range that is off', async () => {
      const path = `/v1/spreadsheets/${await makeSpreadsheet(app)}/values/batch`;
      const answer = await app.post(path, {
        data: [
          { range: 'A1:', values: [[null]] },
          { range: 'A2', values: [[1]] },
          { range: 'ZZZZ1', values: [[2]] },
          { range: 5, values: [[3]] },
        ],
      });
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(
        answer.json.error.details.errors.map(({ pointer }: { pointer: string }) => pointer).sort(),
        ['/data/0/range', '/data/0/values/0/0', '/data/2/range', '/data/3/range'],
      );
    });

    test('the ranges of a batch are written in order, all or none (SHEET-23, SHEET-24)', async () => {
      const id = await makeSpreadsheet(app);
      data(await restructure(app, id, [{ type: 'add_sheet', sheet: 'Two' }]));
      const path = `/v1/spreadsheets/${id}/values/batch`;
      const batch = {
        data: [
          { range: 'A1', values: [[1]] },
          { range: 'Two!B2', values: [[2]] },
          { range: 'A1:B1', values: [[3, 4]] },
        ],
      };
      const { state, ...answered } = data(await app.post(path, batch));
      assert.deepEqual(answered, {
        results: [
          { range: 'Sheet1!A1', updated_cells: 1 },
          { range: 'Two!B2', updated_cells: 1 },
          { range: 'Sheet1!A1:B1', updated_cells: 2 },
        ],
        changed: true,
      });
      assert.deepEqual(await read(app, id, 'A1:B2'), [[3, 4]]);
      const missing = await app.post(path, {
        data: [
          { range: 'A1', values: [[9]] },
          { range: 'None!A1', values: [[9]] },
        ],
      });
      assert.equal(missing.status, 404);
      assert.equal(await stateOf(app, id), state);
      const back = {
        data: [
          { range: 'A1', values: [[9]] },
          { range: 'A1', values: [[3]] },
        ],
      };
      assert.deepEqual(data(await app.post(path, back)), {
        results: [
          { range: 'Sheet1!A1', updated_cells: 1 },
          { range: 'Sheet1!A1', updated_cells: 1 },
        ],
        state,
        changed: false,
      });
    });

    test('a range write that is refused says what to do and stores nothing (SHEET-1, SHEET-2, SHEET-4, SHEET-8, SHEET-11, SHEET-20)', async () => {
      const id = await makeSpreadsheet(app);
      const state = await stateOf(app, id);
      const refused = async (range: string, values: unknown, code: string) => {
        const answer = await put(app, id, range, values);
        assert.equal(answer.json.error.code, code, answer.text);
        return answer.json.error.details;
      };
      assert.deepEqual(await refused('A1:B1', [[1, 2, 3]], 'values_exceed_range'), {
        range: 'A1:B1',
        rows: 1,
        columns: 3,
      });
      assert.deepEqual(await refused('A:B', [[1, 2, 3]], 'values_exceed_range'), {
        range: 'A:B',
        rows: 1,
        columns: 3,
      });
      assert.deepEqual(await refused('XFD1', [[1, 2]], 'values_exceed_range'), {
        range: 'XFD1',
        rows: 1,
        columns: 2,
      });
      assert.deepEqual(await refused('A1048576', [[1], [2]], 'values_exceed_range'), {
        range: 'A1048576',
        rows: 2,
        columns: 1,
      });
      assert.deepEqual(await refused("'a/b'!A1", [[1]], 'not_found'), { resource: 'sheet', id: 'a/b' });
      assert.deepEqual(await refused('None!A1', [[1]], 'not_found'), { resource: 'sheet', id: 'None' });
      const nulls = await refused('A1', [[1, null], [[]]], 'validation_failed');
      assert.deepEqual(nulls.errors.map((e: { pointer: string }) => e.pointer).sort(), [
        '/values/0/1',
        '/values/1/0',
      ]);
      const both = await refused('A0', [[null]], 'validation_failed');
      assert.deepEqual(both.errors.map((e: { code: string }) => e.code).sort(), ['invalid', 'invalid_range']);
      await refused(
        'A1',
        Array.from({ length: 1_001 }, () => Array(100).fill(1)),
        'validation_failed',
      );
      const long = await refused('A1', [['x'.repeat(50_001)]], 'validation_failed');
      assert.partialDeepStrictEqual(long, problems(['/values/0/0', 'too_long']));
      for (const range of [
        '',
        'A',
        '1',
        'A1:B',
        'XFE1',
        'A1048577',
        'A1:B2:C3',
        '!A1',
        "''!A1",
        "'x!A1",
        'A1 ',
        'Å1',
      ]) {
        if (range !== '') await refused(range, [[1]], 'validation_failed');
      }
      assert.equal(await stateOf(app, id), state);
      assert.equal((await put(app, id, 'A1', [['x'.repeat(50_000)]])).status, 200);
    });

    test('If-Match with another state refuses a range write, append and batch (SHEET-13)', async () => {
      const id = await makeSpreadsheet(app);
      const values = [[1]];
      const path = `/v1/spreadsheets/${id}/values`;
      const writers = [
        (headers: Record<string, string>) => put(app, id, 'A1', [[Math.random()]], { headers }),
        (headers: Record<string, string>) => app.post(`${path}/append`, { values }, { headers }),
        (headers: Record<string, string>) =>
          app.post(`${path}/batch`, { data: [{ range: 'B1', values: [[Math.random()]] }] }, { headers }),
      ];
      for (const write of writers) {
        const state = await stateOf(app, id);
        const refused = await write({ 'if-match': '"other"' });
        assert.deepEqual([refused.status, refused.json.error.code], [412, 'state_mismatch']);
        assert.equal(refused.json.error.details.state, state);
        assert.equal(await stateOf(app, id), state);
        assert.equal((await write({ 'if-match': `"${state}"` })).status, 200);
        assert.equal((await write({ 'if-match': state })).status, 412);
        assert.equal((await write({ 'if-match': '*' })).status, 200);
      }
    });

    test('of writes at once that name one state, one alone is carried out (SHEET-13)', async () => {
      const id = await makeSpreadsheet(app);
      const headers = { 'if-match': await stateOf(app, id) };
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => put(app, id, `A${i + 1}`, [[i + 1]], { headers })),
      );
      const statuses = answers.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 1);
      assert.equal(statuses.filter((status) => status === 412).length, 11);
      const winner = statuses.indexOf(200);
      const state = await stateOf(app, id);
      for (const { status, json } of answers)
        if (status === 412) assert.equal(json.error.details.state, state);
      const { values } = data(await app.get(rangePath(id, 'A1:A12')));
      assert.deepEqual(
        values.flat().filter((value: unknown) => value !== ''),
        [winner + 1],
      );
    });

    test('a read answers 304 to a client that has the state, and 412 to one that wants another (SHEET-34)', async () => {
      const id = await makeSpreadsheet(app);
      const { state } = await write(app, id, 'A1', [[1]]);
      for (const path of [
        `/v1/spreadsheets/${id}`,
        rangePath(id, 'A1'),
        rangePath(id, 'A1', '?render=formula'),
      ]) {
        const known = await app.get(path, { headers: { 'if-none-match': `"${state}"` } });
        assert.deepEqual([known.status, known.text, known.headers.get('etag')], [304, '', `"${state}"`]);
        const other = await app.get(path, { headers: { 'if-none-match': '"other"' } });
        assert.equal(other.status, 200);
        const unwanted = await app.get(path, { headers: { 'if-match': '"other"' } });
        assert.deepEqual([unwanted.status, unwanted.json.error.details.state], [412, state]);
      }
    });

    test('a new title is a new state (SHEET-34)', async () => {
      const id = await makeSpreadsheet(app, 'One');
      const { state } = await write(app, id, 'A1', [[1]]);
      data(await app.put(`/v1/documents/${id}`, { title: 'Two' }));
      const renamed = await stateOf(app, id);
      assert.notEqual(renamed, state);
      data(await app.put(`/v1/documents/${id}`, { title: 'Two' }));
      assert.equal(await stateOf(app, id), renamed);
    });

    test('a repeat gets the first answer', async () => {
      const id = await makeSpreadsheet(app);
      const options = { idempotencyKey: randomUUID() };
      const first = await put(app, id, 'A1', [[1]], options);
      await write(app, id, 'A1', [[2]]);
      const again = await put(app, id, 'A1', [[1]], options);
      assert.equal(again.text, first.text);
      assert.deepEqual(await read(app, id, 'A1'), [[2]]);
    });

    test('viewers read a spreadsheet, editors change it, others see nothing, and in the trash only its owner reads (SHEET-6, SHEET-25, SHEET-40)', async () => {
      const id = await makeSpreadsheet(app);
      const owner = await theOwner(app);
      const [viewer, editor, stranger] = [
        await makePerson(app),
        await makePerson(app),
        await makePerson(app),
      ];
      await shareWith(app, owner, id, viewer.id, 'viewer');
      await shareWith(app, owner, id, editor.id, 'editor');
      const as = (key: string) => put(app, id, 'A1', [[key]], { key });
      assert.equal((await as(editor.key)).status, 200);
      const refused = await as(viewer.key);
      assert.deepEqual(
        [refused.status, refused.json.error.code, refused.json.error.details.required_role],
        [403, 'forbidden', 'editor'],
      );
      const structure = async (key: string) => {
        const operations = [{ type: 'add_sheet', sheet: 'More' }];
        const headers = { 'if-match': await stateOf(app, id) };
        return app.post(`/v1/spreadsheets/${id}/structure`, { operations }, { key, headers });
      };
      const kept = await structure(viewer.key);
      assert.deepEqual([kept.status, kept.json.error.details.required_role], [403, 'editor']);
      data(await structure(editor.key));
      assert.equal((await app.get(rangePath(id, 'A1'), { key: viewer.key })).status, 200);
      assert.equal((await as(stranger.key)).status, 404);
      assert.equal((await app.get(rangePath(id, 'A1'), { key: stranger.key })).status, 404);
      await app.delete(`/v1/documents/${id}`);
      const trashed = await put(app, id, 'A1', [[1]]);
      const { state } = data(await app.get(`/v1/spreadsheets/${id}`));
      const values = [[1]];
      for (const answer of [
        trashed,
        await app.post(`/v1/spreadsheets/${id}/values/append`, { values }),
        await app.post(`/v1/spreadsheets/${id}/values/batch`, { data: [{ range: 'A1', values }] }),
        await restructure(app, id, [{ type: 'add_sheet', sheet: 'Other' }]),
      ])
        assert.deepEqual([answer.status, answer.json.error?.code], [422, 'trashed'], answer.text);
      assert.equal(await stateOf(app, id), state);
      assert.deepEqual(await read(app, id, 'A1'), [[editor.key]]);
      for (const path of [rangePath(id, 'A1'), `/v1/spreadsheets/${id}`, `/v1/spreadsheets/${id}/export`]) {
        const hidden = await app.get(path, { key: editor.key });
        assert.deepEqual([hidden.status, hidden.json?.error.code], [403, 'forbidden'], path);
      }
    });

    test('of two hundred range writes at once none is refused, and every cell is there (SHEET-13)', async () => {
      const id = await makeSpreadsheet(app);
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) => put(app, id, `A${i + 1}:B${i + 1}`, [[i, 'x']])),
      );
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      assert.equal(new Set(answers.map(({ json }) => json.data.state)).size, 200);
      assert.deepEqual(
        await read(app, id, 'A1:B200'),
        Array.from({ length: 200 }, (_, i) => [i, 'x']),
      );
    });

    test('a write changes the time of the record', async () => {
      const id = await makeSpreadsheet(app);
      const before = data(await app.get(`/v1/documents/${id}`)).updated_at;
      await write(app, id, 'A1', [[1]]);
      const after = data(await app.get(`/v1/documents/${id}`)).updated_at;
      assert.ok(after > before);
      await write(app, id, 'A1', [[1]]);
      assert.equal(data(await app.get(`/v1/documents/${id}`)).updated_at, after);
    });
  });
});

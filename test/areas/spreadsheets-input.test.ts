/** Texts that are written as texts, and dates that are written as dates, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data } from './accounts.ts';
import { type Person, putFile, theOwner } from './files-world.ts';
import {
  makeSpreadsheet,
  rangePath,
  read,
  readFormats,
  restructure,
  setFormats,
  stateOf,
  write,
} from './spreadsheets-world.ts';

runWorksTwice();

const EVIL = '=HYPERLINK("http://evil","pay")';
/** What a person may have written that is no formula and no number. */
const TEXTS = [
  EVIL,
  '=1+1',
  '=',
  '==',
  '="x"',
  "'=1",
  '007',
  '1',
  '1.0',
  '1e5',
  '+49 30 123',
  '-1',
  '0x10',
  'TRUE',
  '@x',
  ' =1 ',
];

forEachEngine((engine) => {
  describe('texts and dates that are written as such', () => {
    let app: TestApp;
    let owner: Person;
    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const send = async (id: string, range: string, values: unknown, input?: string) =>
      app.put(rangePath(id, range), { values, ...(input && { input }) });
    const raw = async (id: string, range: string, values: unknown) =>
      data(await send(id, range, values, 'raw'));
    const file = async (id: string, format: string) => {
      const headers = { authorization: `Bearer ${OWNER_KEY}` };
      const response = await fetch(`${app.address}/v1/spreadsheets/${id}/export?format=${format}`, {
        headers,
      });
      assert.equal(response.status, 200);
      return Buffer.from(await response.arrayBuffer());
    };
    /** A new spreadsheet from the export of another one. */
    const copied = async (id: string, format: string) => {
      const source = await putFile(app, owner, { filename: `a.${format}`, bytes: await file(id, format) });
      const body = { type: 'spreadsheet', title: 'Copy', source_file_id: source.id };
      return data(await app.post('/v1/documents', body), 201).id as string;
    };

    test('raw stores every text as text, and what it begins with does nothing (SHEET-65, SHEET-66)', async () => {
      const id = await makeSpreadsheet(app);
      const column = TEXTS.map((text) => [text]);
      const { updated_cells: updated, changed } = await raw(id, 'A1', column);
      assert.deepEqual([updated, changed], [TEXTS.length, true]);
      assert.deepEqual(await read(app, id, 'A:A', 'value'), column);
      assert.deepEqual(await read(app, id, 'A:A', 'formatted'), column);
      await write(app, id, 'B1', [['=ISTEXT(A1)', '=A1&"!"', '=ISNUMBER(A8)', '=LEN(A2)']]);
      assert.deepEqual(await read(app, id, 'B1:E1', 'value'), [[true, `${EVIL}!`, false, 4]]);
      assert.deepEqual(await raw(id, 'A1', column).then((again) => again.changed), false);
      assert.deepEqual(await raw(id, 'A1', [['', 5, true]]).then((next) => next.updated_cells), 3);
      assert.deepEqual(await read(app, id, 'A1:C1', 'value'), [['', 5, true]]);
    });

    test('a batch and an append take raw as well, and entered is the default (SHEET-65, SHEET-66)', async () => {
      const id = await makeSpreadsheet(app);
      const batch = {
        data: [
          { range: 'A1', values: [['=1+1']] },
          { range: 'B1', values: [['=1+2']] },
        ],
      };
      const path = `/v1/spreadsheets/${id}/values`;
      data(await app.post(`${path}/batch`, { ...batch, input: 'raw' }));
      data(await app.post(`${path}/append`, { values: [['=2+2']], input: 'raw' }));
      assert.deepEqual(await read(app, id, 'A1:B2', 'value'), [['=1+1', '=1+2'], ['=2+2']]);
      data(await app.post(`${path}/batch`, batch));
      data(await app.post(`${path}/append`, { values: [['=2+2']], input: 'entered' }));
      data(await app.post(`${path}/append`, { values: [['=2+3']] }));
      assert.deepEqual(await read(app, id, 'A1:B4', 'value'), [[2, 3], ['=2+2'], [4], [5]]);
    });

    test('{"text": …} is a text in any write, and "" in it deletes (SHEET-67)', async () => {
      const id = await makeSpreadsheet(app);
      data(await send(id, 'A1', [[{ text: '=1+1' }, '=1+1', { text: '12' }, { text: '' }]]));
      assert.deepEqual(await read(app, id, 'A1:D1', 'value'), [['=1+1', 2, '12']]);
      data(await send(id, 'A1', [[{ text: '' }]], 'raw'));
      assert.deepEqual(await read(app, id, 'A1:B1', 'value'), [['', 2]]);
    });

    test('a text is never taken for a number: "1" and 1 differ, as entered and raw (SHEET-65)', async () => {
      const id = await makeSpreadsheet(app);
      for (const input of ['entered', 'raw']) {
        data(await send(id, 'A1', [['1', 1]], input));
        assert.deepEqual(await read(app, id, 'A1:B1', 'value'), [['1', 1]], input);
        assert.equal(data(await send(id, 'A1', [[1, '1']], input)).updated_cells, 2);
      }
      await write(app, id, 'A2', [['007', '1e5', '+49', '1.0', '01.02.2026']]);
      assert.deepEqual(await read(app, id, 'A2:E2', 'value'), [['007', '1e5', '+49', '1.0', '01.02.2026']]);
    });

    test('a raw text stays a text through .xlsx, .csv, rows that move and a formula read and entered again (SHEET-66)', async () => {
      const id = await makeSpreadsheet(app);
      const column = TEXTS.map((text) => [text]);
      await raw(id, 'A1', column);
      data(await restructure(app, id, [{ type: 'insert_rows', sheet: 'Sheet1', start: 1, count: 2 }]));
      assert.deepEqual(await read(app, id, 'A3:A30', 'value'), column);
      assert.deepEqual(await read(app, await copied(id, 'xlsx'), 'A3:A30', 'value'), column);
      const fromCsv = await read(app, await copied(id, 'csv'), 'A3:A30', 'formatted');
      assert.deepEqual(fromCsv, column);
      const inputs = await read(app, id, 'A3:A30', 'formula');
      const state = await stateOf(app, id);
      assert.equal(data(await send(id, 'A3', inputs)).state, state);
      const other = await makeSpreadsheet(app);
      data(await send(other, 'A1', inputs));
      assert.deepEqual(await read(app, other, 'A:A', 'value'), column);
    });

    test('raw texts of the longest length are kept and shown, also beside formulas (SHEET-20, SHEET-66)', async () => {
      const id = await makeSpreadsheet(app);
      const texts = [`=${'x'.repeat(49_999)}`, `=${'"'.repeat(49_999)}`, `=SUM(${'1,'.repeat(9_000)}1)`];
      await raw(id, 'A1', [texts]);
      await write(app, id, 'D1', [['=LEN(A1)']]);
      assert.deepEqual(await read(app, id, 'A1:D1', 'value'), [[...texts, 50_000]]);
      assert.equal((await send(id, 'A2', [[{ text: '='.repeat(50_001) }]])).status, 400);
    });

    test('every text written raw comes back the same, and what is read as formula may be entered again (SHEET-66)', async () => {
      const id = await makeSpreadsheet(app);
      const text = fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        fc.string({ unit: fc.constantFrom('=', '"', 'A', '1', '+', '(', ')', ',', "'"), maxLength: 12 }),
      );
      const storable = text.filter((one) => !one.includes('\u0000') && one !== '');
      await fc.assert(
        fc.asyncProperty(fc.array(storable, { minLength: 1, maxLength: 6 }), async (texts) => {
          await raw(id, 'A1', [['', '', '', '', '', '']]);
          await raw(id, 'A1', [texts]);
          assert.deepEqual(await read(app, id, 'A1:F1', 'value'), [texts]);
          const { state } = await raw(id, 'A1', [texts]);
          assert.equal(data(await send(id, 'A1', await read(app, id, 'A1:F1', 'formula'))).state, state);
        }),
        { numRuns: 40 },
      );
    });

    test('a date is a serial number in a format, for formulas, .csv and .xlsx (SHEET-68, SHEET-69)', async () => {
      const id = await makeSpreadsheet(app);
      const values = [
        [{ date: '2026-11-23' }, { datetime: '2026-11-23T14:30:00' }, 5],
        [{ date: '1900-01-01' }, { datetime: '2026-11-23t23:30:15.5+01:00' }],
        [{ date: '9999-12-31' }, { datetime: '2026-11-23 00:15Z' }],
      ];
      const written = data(await send(id, 'A1', values));
      assert.deepEqual([written.updated_cells, written.range], [7, 'Sheet1!A1:C3']);
      const serials = [
        [46349, 46349 + 870 / 1440, 5],
        [1, 46349 + 81_015.5 / 86_400],
        [2_958_465, 46349 + 15 / 1440],
      ];
      for (const render of ['value', 'formula'] as const)
        assert.deepEqual(await read(app, id, 'A1:C3', render), serials);
      const shown = [
        ['2026-11-23', '2026-11-23 14:30:00', '5'],
        ['1900-01-01', '2026-11-23 22:30:16'],
        ['9999-12-31', '2026-11-23 00:15:00'],
      ];
      assert.deepEqual(await read(app, id, 'A1:C3', 'formatted'), shown);
      assert.deepEqual((await readFormats(app, id, 'A1:C1'))[0], ['yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss']);
      assert.equal((await file(id, 'csv')).toString().split('\r\n')[0], '2026-11-23,2026-11-23 14:30:00,5');
      const copy = await copied(id, 'xlsx');
      assert.deepEqual(await read(app, copy, 'A1:C3', 'formatted'), shown);
      assert.deepEqual(await read(app, copy, 'A1:C3', 'value'), serials);
      await write(app, id, 'E1', [['=ISNUMBER(A1)', '=YEAR(A1)', '=B1-A1', '=TEXT(A1,"d.m.yyyy")']]);
      assert.deepEqual(
        await read(app, id, 'E1:H1', 'value'),
        [[true, 2026, 870 / 1440, '23.11.2026']].map(([a, b, , d]) => [a, b, 46349 + 870 / 1440 - 46349, d]),
      );
      const state = await stateOf(app, id);
      const again = data(await send(id, 'A1', values));
      assert.deepEqual([again.state, again.changed, again.updated_cells], [state, false, 0]);
    });

    test('dates are summed by month and compared, and days before March 1900 count as in Excel (SHEET-68)', async () => {
      const id = await makeSpreadsheet(app);
      data(
        await send(id, 'A1', [
          [{ date: '2026-10-31' }, 10],
          [{ date: '2026-11-01' }, 20],
          [{ date: '2026-11-30' }, 30],
          [
            '=SUMIF(A1:A3,">=2026-11-01",B1:B3)',
            '=SUMIFS(B1:B3,A1:A3,">="&DATE(2026,11,1),A1:A3,"<"&DATE(2026,12,1))',
          ],
          [{ date: '1900-02-28' }, { date: '1900-03-01' }, '=DATE(1900,2,28)', '=DATE(1900,3,1)'],
          [{ datetime: '1900-03-01T00:30:00+01:00' }, { datetime: '1900-02-28T23:30:00-01:00' }],
        ]),
      );
      assert.deepEqual(await read(app, id, 'A4:D6', 'value'), [
        [50, 50],
        [59, 61, 59, 61],
        [59 + 23.5 / 24, 61 + 0.5 / 24],
      ]);
    });

    test('a cell that shows dates in a format of its own keeps it, and any other format makes room (SHEET-69)', async () => {
      const id = await makeSpreadsheet(app);
      const codes = ['dd.mm.yyyy', '0.00', 'd/m/yy h:mm', 'mm:ss', '@', '"d"0'];
      await setFormats(app, id, 'A1', [codes, codes]);
      const day = codes.map(() => ({ date: '2026-11-23' }));
      const moment = codes.map(() => ({ datetime: '2026-11-23T14:30:00' }));
      data(await send(id, 'A1', [day, moment]));
      const [DAY, MOMENT] = ['yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss'];
      assert.deepEqual(await readFormats(app, id, 'A1:F2'), [
        ['dd.mm.yyyy', DAY, 'd/m/yy h:mm', DAY, DAY, DAY],
        [MOMENT, MOMENT, 'd/m/yy h:mm', MOMENT, MOMENT, MOMENT],
      ]);
      await write(app, id, 'A1', [[7]]);
      assert.equal((await readFormats(app, id, 'A1'))[0]?.[0], 'dd.mm.yyyy');
    });

    test('a cell whose number stays and whose format changes counts as changed, once (SHEET-70)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [[46349, 1]]);
      const before = await stateOf(app, id);
      const first = data(await send(id, 'A1', [[{ date: '2026-11-23' }, { date: '2026-11-23' }]]));
      assert.deepEqual([first.updated_cells, first.changed], [2, true]);
      assert.notEqual(first.state, before);
      assert.equal(await stateOf(app, id), first.state);
      const batch = data(
        await app.post(`/v1/spreadsheets/${id}/values/batch`, {
          data: [
            { range: 'C1', values: [[{ date: '2026-11-23' }]] },
            { range: 'C1', values: [['']] },
            { range: 'A1', values: [[{ datetime: '2026-11-23T00:00:00' }]] },
          ],
        }),
      );
      assert.deepEqual(
        [batch.changed, ...batch.results.map((one: { updated_cells: number }) => one.updated_cells)],
        [true, 1, 1, 1],
      );
      assert.deepEqual(await readFormats(app, id, 'A1:C1'), [
        ['yyyy-mm-dd hh:mm:ss', 'yyyy-mm-dd', 'yyyy-mm-dd'],
      ]);
      const emptied = data(
        await app.post(`/v1/spreadsheets/${id}/values/batch`, {
          data: [
            { range: 'D1', values: [[{ date: '2026-11-23' }]] },
            { range: 'D1', values: [['']] },
          ],
        }),
      );
      assert.equal(emptied.changed, true);
      assert.equal((await readFormats(app, id, 'D1'))[0]?.[0], 'yyyy-mm-dd');
    });

    test('dates follow rows that were inserted, in many blocks (SHEET-69)', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [[1], [2], [3]]);
      data(await restructure(app, id, [{ type: 'insert_rows', sheet: 'Sheet1', start: 2, count: 5 }]));
      const days = Array.from({ length: 3_000 }, () => [{ date: '2026-11-23' }, { date: '2026-11-24' }]);
      assert.equal(data(await send(id, 'A1', days)).updated_cells, 6_000);
      const shown = await read(app, id, 'A1:B3000', 'formatted');
      assert.ok(shown.length === 3_000 && shown.every(([a, b]) => a === '2026-11-23' && b === '2026-11-24'));
    });

    const wrong: [cell: unknown, at: string, message: RegExp][] = [
      [{ date: '2026-02-30' }, '/date', /such as "2026-11-23"/],
      [{ date: '2026-13-01' }, '/date', /such as/],
      [{ date: '1899-12-31' }, '/date', /1900-01-01 to 9999-12-31/],
      [{ date: '23.11.2026' }, '/date', /such as/],
      [{ date: '2026-11-23T10:00:00' }, '/date', /such as/],
      [{ date: '' }, '/date', /such as/],
      [{ date: 46349 }, '/date', /a string/],
      [{ date: null }, '/date', /a string/],
      [{ datetime: '2026-11-23' }, '/datetime', /such as "2026-11-23T14:30:00"/],
      [{ datetime: '2026-11-23T24:00:00' }, '/datetime', /such as/],
      [{ datetime: '2026-11-23T10:60:00' }, '/datetime', /such as/],
      [{ datetime: '2026-11-23T10:00:60' }, '/datetime', /such as/],
      [{ datetime: '1900-01-01T00:00:00+01:00' }, '/datetime', /such as/],
      [{ datetime: '2026-11-23T10:00:00+25:00' }, '/datetime', /such as/],
      [{ datetime: 5 }, '/datetime', /a string/],
      [{ text: 5 }, '/text', /a string/],
      [{ text: 'x', date: '2026-11-23' }, '', /./],
      [{ text: 'x', bold: true }, '/bold', /no field bold/],
      [{ number: 5 }, '', /./],
      [{}, '', /./],
      [[], '', /./],
    ];
    for (const [cell, at, message] of wrong) {
      test(`the cell ${JSON.stringify(cell)} is refused where it stands (SHEET-67, SHEET-68)`, async () => {
        const id = await makeSpreadsheet(app);
        const path = `/v1/spreadsheets/${id}/values`;
        const values = [[1], ['x', cell]];
        for (const [answer, pointer] of [
          [await send(id, 'A1', values), `/values/1/1${at}`],
          [await app.post(`${path}/append`, { values }), `/values/1/1${at}`],
          [await app.post(`${path}/batch`, { data: [{ range: 'A1', values }] }), `/data/0/values/1/1${at}`],
        ] as const) {
          assert.deepEqual([answer.status, answer.json.error.code], [400, 'validation_failed'], answer.text);
          const [problem] = answer.json.error.details.errors;
          assert.equal(problem.pointer, pointer, answer.text);
          assert.match(problem.message, message);
        }
        assert.deepEqual(await read(app, id, 'A:C'), []);
      });
    }

    test('input of another word is refused, and formats take none (SHEET-65)', async () => {
      const id = await makeSpreadsheet(app);
      for (const input of ['RAW', 'user', '', null, 5, true]) {
        const answer = await app.put(rangePath(id, 'A1'), { values: [[1]], input });
        assert.deepEqual([answer.status, answer.json.error.details.errors[0].pointer], [400, '/input']);
        assert.match(answer.json.error.details.errors[0].message, /entered, raw/);
      }
      assert.equal(
        (await app.put(`/v1/spreadsheets/${id}/formats/A1`, { formats: [['0']], input: 'raw' })).status,
        400,
      );
      assert.deepEqual(await read(app, id, 'A1'), []);
    });

    test('a raw text that begins with "=" is found by the search, as any text (SHEET-66)', async () => {
      const id = await makeSpreadsheet(app, 'Searched');
      await raw(id, 'A1', [['=zwetschgenkuchen()']]);
      for (let attempt = 0; ; attempt++) {
        const found = data(await app.get('/v1/search?q=zwetschgenkuchen'));
        if (found.length > 0) return;
        assert.ok(attempt < 600, 'the text is found');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
  });
});

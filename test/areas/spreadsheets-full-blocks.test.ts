/**
 * How much one write may send; and that a block of cells holds that much and no more, so that a cell of it is read and
 * written in no time.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { putFile, theOwner } from './files-world.ts';
import { type Cell, makeSpreadsheet, put, rangePath, read, stateOf, write } from './spreadsheets-world.ts';

/** The longest text of a cell. Each of its characters takes six bytes in JSON. */
const LARGEST = '\u0001'.repeat(50_000);
const ROW: Cell[] = Array.from({ length: 8 }, () => LARGEST);

function assertFull({ status, json }: Answer): void {
  assert.deepEqual([status, json.error.code], [400, 'validation_failed']);
  assert.match(json.error.message, /at most 10 MB of text/);
  assert.equal(json.error.details.errors[0].code, 'too_large');
}

forEachEngine((engine) => {
  describe('the cells of a block', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    test('a write has at most 100,000 cells and 10 MB (SHEET-20, SHEET-24)', async () => {
      const id = await makeSpreadsheet(app);
      const rows = Array.from({ length: 1_000 }, () => Array<number>(100).fill(1));
      const batch = (values: number[][]) => ({
        data: [
          { range: 'A1', values: rows.slice(500) },
          { range: 'A2000', values },
        ],
      });
      const path = `/v1/spreadsheets/${id}/values/batch`;
      for (const answer of [
        await put(app, id, 'A1', [...rows, [1]]),
        await app.post(path, batch([...rows.slice(500), [1]])),
        await app.post(`/v1/spreadsheets/${id}/values/append`, { values: [...rows, [1]] }),
      ])
        assert.deepEqual([answer.status, answer.json.error.code], [400, 'validation_failed']);
      assert.deepEqual(await read(app, id, 'A1:Z9'), []);
      assert.equal((await write(app, id, 'A1', rows)).updated_cells, 100_000);
      data(await app.post(path, batch(rows.slice(500))));
      const sent = async (bytes: number) => {
        const body = '{"values":[["x"]]}'.padEnd(bytes);
        const headers = { 'content-type': 'application/json' };
        return app.request('PUT', rangePath(id, 'A1'), { body, headers });
      };
      const large = await sent(10_000_001);
      assert.deepEqual([large.status, large.json.error.code], [413, 'payload_too_large']);
      assert.equal((await sent(10_000_000)).status, 200);
    });

    /** A spreadsheet whose first 32 rows of 8 columns hold 9.9 million bytes: 33 of the largest texts. */
    async function makeFull(): Promise<string> {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [ROW, ROW, ROW, ROW]);
      await write(app, id, 'A5', [[LARGEST]]);
      return id;
    }

    const writes: Record<string, (id: string) => Promise<Answer>> = {
      'a range': (id) => put(app, id, 'D5', [[LARGEST]]),
      'a batch': (id) => {
        const values = [[LARGEST]];
        const batch = [
          { range: 'J1', values },
          { range: 'D5', values },
        ];
        return app.post(`/v1/spreadsheets/${id}/values/batch`, { data: batch });
      },
      'rows below': (id) => app.post(`/v1/spreadsheets/${id}/values/append`, { values: [[LARGEST]] }),
    };

    for (const [name, send] of Object.entries(writes)) {
      test(`the cells of a block take no more than a write of ${name} may send (SHEET-21)`, async () => {
        const id = await makeFull();
        const before = await stateOf(app, id);
        assertFull(await send(id));
        assert.equal(await stateOf(app, id), before);
        assert.deepEqual(await read(app, id, 'D5:J6'), []);
        assert.deepEqual(await read(app, id, 'J1'), []);
        await write(app, id, 'I5', [[LARGEST]]);
        await write(app, id, 'A5', [['room']]);
        assert.equal((await send(id)).status, 200);
      });
    }

    test('take what others write at once with what is refused', async () => {
      const id = await makeFull();
      await write(app, id, 'D5', [[LARGEST.slice(0, 15_000)]]);
      // Small enough to be done together with the others.
      const large = LARGEST.slice(0, 5_000);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => put(app, id, `H${i + 6}`, [[i === 7 ? large : 'small']])),
      );
      for (const [i, answer] of answers.entries()) {
        if (i === 7) assertFull(answer);
        else assert.equal(answer.status, 200, answer.text);
      }
      const written = await read(app, id, 'H6:H25');
      assert.deepEqual(
        written,
        Array.from({ length: 20 }, (_, i) => (i === 7 ? [] : ['small'])),
      );
    });

    for (const [character, count] of [
      ['x', 199],
      ['日', 66],
    ] as const) {
      test(`the cells of a block take ${count} of the longest texts, of ${character}, in one write (SHEET-20, SHEET-21)`, async () => {
        const id = await makeSpreadsheet(app);
        const longest = character.repeat(50_000);
        const texts = Array.from({ length: count }, () => longest);
        const rows = Array.from({ length: Math.ceil(count / 8) }, (_, row) =>
          texts.slice(8 * row, 8 * row + 8),
        );
        await write(app, id, 'A1', rows);
        const [last] = await read(app, id, `A${rows.length}`);
        assert.ok(last?.[0] === longest);
      });
    }

    test('come from no file that has more', async () => {
      const row = Array(8).fill('x'.repeat(49_990)).join();
      const file = Array(32).fill(row).join('\n');
      const { id } = await putFile(app, await theOwner(app), {
        filename: 'full.csv',
        bytes: Buffer.from(file),
      });
      const body = { type: 'spreadsheet', title: 'From a file', source_file_id: id };
      const { status, json } = await app.post('/v1/documents', body);
      assert.deepEqual([status, json.error.code], [422, 'unreadable_file']);
      assert.match(json.error.message, /at most 10 MB of text/);
    });
  });
});

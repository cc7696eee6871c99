/** Rows of ranges are remembered strip by strip: whatever was read before, and however it changed, a range is what it is. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { formatRange, type Rectangle } from '../../src/areas/spreadsheets/cells/a1.ts';
import { Strips } from '../../src/areas/spreadsheets/reading/strips.ts';
import { newSheet, type Workbook } from '../../src/areas/spreadsheets/workbook/workbook.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type Cell, makeSpreadsheet, read, write } from './spreadsheets-world.ts';

const ROWS = 150;
const COLUMNS = 12;
const area: fc.Arbitrary<Rectangle> = fc
  .record({ top: fc.nat(ROWS - 1), left: fc.nat(COLUMNS - 1), rows: fc.nat(90), columns: fc.nat(COLUMNS) })
  .map(({ top, left, rows, columns }) => ({ top, left, bottom: top + rows, right: left + columns }));

/** The cells of a rectangle without trailing empty rows and cells. */
function partOf(cells: readonly (readonly Cell[])[], { top, left, bottom, right }: Rectangle): Cell[][] {
  const rows = cells.slice(top, bottom + 1).map((row) => {
    const part = row.slice(left, right + 1);
    return part.slice(0, part.findLastIndex((cell) => cell !== '') + 1);
  });
  return rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
}

describe('strips of rows that were read lately', () => {
  const workbook = { revision: 'first' } as Workbook;
  const sheet = newSheet('Sheet1');
  const cells = Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (_, column): Cell => ((row >> 3) % 3 === column % 3 ? '' : `],[${row}`)),
  );
  const reader = (most = Number.POSITIVE_INFINITY) => {
    const asked: Rectangle[] = [];
    const readGrid = async (wanted: Rectangle) => {
      asked.push(wanted);
      const rows = partOf(cells, wanted);
      if (wanted.bottom - wanted.top > most) throw new ApiError('validation_failed', 'too much');
      return { rows: () => rows.map((row) => JSON.stringify(row).slice(1, -1)) };
    };
    return { asked, readGrid };
  };

  test('a range is the same, whatever was read before it', async () => {
    const strips = new Strips();
    const { readGrid } = reader();
    await fc.assert(
      fc.asyncProperty(area, async (wanted) => {
        const json = await strips.json(workbook, sheet, wanted, readGrid);
        assert.deepEqual(JSON.parse(json ?? ''), partOf(cells, wanted));
      }),
    );
  });

  test('what is known is not read again in the same version, and is in another one', async () => {
    const strips = new Strips();
    const { asked, readGrid } = reader();
    const wanted = { top: 40, left: 0, bottom: 100, right: 5 };
    await strips.json(workbook, sheet, wanted, readGrid);
    await strips.json(workbook, sheet, { ...wanted, top: 32, bottom: 127 }, readGrid);
    assert.deepEqual(asked, [{ ...wanted, top: 32, bottom: 127 }]);
    await strips.json(workbook, sheet, { ...wanted, bottom: 140 }, readGrid);
    assert.deepEqual(asked[1], { ...wanted, top: 128, bottom: 159 });
    await strips.json({ ...workbook, revision: 'second' }, sheet, wanted, readGrid);
    await strips.json(workbook, newSheet('Sheet2'), wanted, readGrid);
    assert.equal(asked.length, 4);
  });

  test('what is too much with the rows around it is kept by somebody else, and asked for once', async () => {
    const strips = new Strips();
    const { asked, readGrid } = reader(20);
    const wanted = { top: 40, left: 0, bottom: 50, right: 5 };
    for (let again = 0; again < 2; again++)
      assert.equal(await strips.json(workbook, sheet, wanted, readGrid), undefined);
    assert.deepEqual(asked, [{ ...wanted, top: 32, bottom: 63 }]);
  });

  test('rows that are too much only together are kept when they are asked for alone', async () => {
    const strips = new Strips();
    const { asked, readGrid } = reader(40);
    const [all, some] = [
      { top: 0, left: 0, bottom: 95, right: 5 },
      { top: 32, left: 0, bottom: 63, right: 5 },
    ];
    for (let again = 0; again < 2; again++) {
      assert.equal(await strips.json(workbook, sheet, all, readGrid), undefined);
      const json = await strips.json(workbook, sheet, some, readGrid);
      assert.deepEqual(JSON.parse(json ?? ''), partOf(cells, some));
    }
    assert.deepEqual(asked.slice(0, 2), [all, some]);
  });

  test('rows that are too much together are asked for together once', async () => {
    const strips = new Strips();
    const { asked, readGrid } = reader(40);
    const all = { top: 0, left: 0, bottom: 95, right: 5 };
    for (let again = 0; again < 2; again++)
      assert.equal(await strips.json(workbook, sheet, all, readGrid), undefined);
    assert.deepEqual(asked, [all]);
  });

  test('so is what is beside texts that would take the room of many, whatever was read before', async () => {
    const strips = new Strips();
    const asked: Rectangle[] = [];
    const long = JSON.stringify('x'.repeat(600_000));
    const readGrid = async (wanted: Rectangle) => {
      asked.push(wanted);
      const rows = Array.from({ length: wanted.bottom - wanted.top + 1 }, (_, row) =>
        wanted.top + row === 40 ? long : '1',
      );
      return { rows: () => rows };
    };
    const ask = (top: number, bottom: number) =>
      strips.json(workbook, sheet, { top, left: 0, bottom, right: 0 }, readGrid);
    assert.equal(await ask(33, 33), undefined);
    assert.equal(await ask(0, 1), '[[1],[1]]');
    assert.equal(await ask(0, 95), undefined);
    assert.equal(await ask(33, 33), undefined);
    assert.equal(asked.length, 2);
  });

  test('what is so tall or so wide that it would take the room of others is not asked for', async () => {
    const strips = new Strips();
    const { asked, readGrid } = reader();
    const [tall, wide] = [
      { top: 5, left: 0, bottom: 2_100, right: 0 },
      { top: 5, left: 0, bottom: 6, right: 2_100 },
    ];
    for (const wanted of [tall, wide])
      assert.equal(await strips.json(workbook, sheet, wanted, readGrid), undefined);
    assert.deepEqual(asked, []);
  });

  test('what nobody asks for is given back', async () => {
    const strips = new Strips();
    const { asked, readGrid } = reader();
    const [used, unused] = [0, 64].map((top) => ({ top, left: 0, bottom: top + 31, right: 5 }));
    assert.ok(used && unused);
    const ask = (wanted: Rectangle) => strips.json(workbook, sheet, wanted, readGrid);
    for (const wanted of [used, unused]) await ask(wanted);
    strips.forgetUnused();
    await ask(used);
    strips.forgetUnused();
    for (const wanted of [used, unused]) await ask(wanted);
    assert.deepEqual(asked, [used, unused, unused]);
  });
});

forEachEngine((engine) => {
  describe('ranges that overlap', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    test('are the same, large or small, beside long texts and beyond what is used', async () => {
      const id = await makeSpreadsheet(app);
      const long = 'x'.repeat(50_000);
      await write(app, id, 'Sheet1!A1', [['short', 1], ...Array.from({ length: 12 }, () => [long])]);
      for (let again = 0; again < 2; again++) {
        assert.deepEqual(await read(app, id, 'Sheet1!A1:B1'), [['short', 1]]);
        assert.deepEqual(await read(app, id, 'Sheet1!A12:B3000'), [[long], [long]]);
        assert.deepEqual(await read(app, id, 'Sheet1!Z:Z'), []);
        assert.deepEqual(await read(app, id, 'Sheet1!A100:B200'), []);
      }
    });

    test('are read as they are after each write', async () => {
      const id = await makeSpreadsheet(app);
      const cells = Array.from({ length: ROWS }, () => Array.from({ length: COLUMNS }, (): Cell => ''));
      const edit = fc.tuple(
        fc.nat(ROWS - 1),
        fc.nat(COLUMNS - 1),
        fc.constantFrom<Cell>('', 'a,"]', 7, true),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { maxLength: 3 }), area, area, async (edits, one, other) => {
          for (const [row, column, cell] of edits) {
            (cells[row] ?? [])[column] = cell;
            await write(
              app,
              id,
              formatRange('Sheet1', { top: row, left: column, bottom: row, right: column }, 'block'),
              [[cell]],
            );
          }
          for (const wanted of [one, other]) {
            const shown = await read(app, id, formatRange('Sheet1', wanted, 'block'));
            assert.deepEqual(shown, partOf(cells, wanted));
          }
        }),
        { numRuns: 12 },
      );
    });
  });
});

/** A range that was read is kept under its revision: whatever was read before, and however it changed, a range is what it is. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { formatRange, type Rectangle } from '../../src/areas/spreadsheets/cells/a1.ts';
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

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { columnLetters } from '../../src/text/column-letters.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { type Cell, makeSpreadsheet, put, read, restructure, stateOf, write } from './spreadsheets-world.ts';

const SIZE = 40;

/** What a cell holds: an input, or a reference to a cell that is known by the lines it is on, wherever these go. */
type Held = Cell | { row: number; column: number };

/** A sheet as a person would think of it: lines that come and go, and cells on them. */
class SheetModel {
  #lastLine = 0;
  #rows = this.#lines(SIZE);
  #columns = this.#lines(SIZE);
  readonly #cells = new Map<string, Held>();

  #lines(count: number): number[] {
    return Array.from({ length: count }, () => ++this.#lastLine);
  }

  /** Answers how many cells hold something else than before. */
  write(row: number, column: number, values: readonly (readonly Held[])[]): number {
    const before = new Map(this.#cells);
    for (const [r, cells] of values.entries()) {
      for (const [c, cell] of cells.entries()) this.#set(row + r, column + c, cell);
    }
    const keys = new Set([...before.keys(), ...this.#cells.keys()]);
    return [...keys].filter((key) => this.#text(before.get(key)) !== this.#text(this.#cells.get(key))).length;
  }

  #set(row: number, column: number, held: Held): void {
    const key = `${this.#rows[row]},${this.#columns[column]}`;
    if (held === '') this.#cells.delete(key);
    else this.#cells.set(key, held);
  }

  /** The reference to the cell that is at a place now. */
  referenceTo(row: number, column: number): Held {
    return { row: this.#rows[row] ?? 0, column: this.#columns[column] ?? 0 };
  }

  change(axis: 'rows' | 'columns', isInsert: boolean, at: number, count: number): void {
    const lines = axis === 'rows' ? this.#rows : this.#columns;
    if (isInsert) lines.splice(at, 0, ...this.#lines(count));
    else lines.splice(at, count, ...[]);
    while (lines.length < SIZE) lines.push(...this.#lines(1));
  }

  shown(): Cell[][] {
    const rows = this.#rows.map((row) => {
      const cells = this.#columns.map((column) => this.#input(this.#cells.get(`${row},${column}`)));
      return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
    });
    return rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
  }

  #input(held: Held | undefined): Cell {
    if (typeof held !== 'object') return held ?? '';
    const [row, column] = [this.#rows.indexOf(held.row), this.#columns.indexOf(held.column)];
    return row < 0 || column < 0 ? '=#REF!' : `=${columnLetters(column)}${row + 1}`;
  }

  #text(held: Held | undefined): string {
    return JSON.stringify(typeof held === 'object' ? this.#input(held) : (held ?? null));
  }
}

const place = fc.nat(12);
const cell = fc.oneof(
  fc.constantFrom<Cell>('', 'x', 'y', '1', '=', true, false, ''),
  fc.integer({ min: -3, max: 3 }),
  fc.record({ r: place, c: place }),
);
const block = fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 4 });
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('write' as const), row: place, column: place, block }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('append' as const), block }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('lines' as const),
      axis: fc.constantFrom('rows' as const, 'columns' as const),
      isInsert: fc.boolean(),
      at: place,
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

forEachEngine((engine) => {
  describe('spreadsheets beside a model', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    test('every answer and every cell of a spreadsheet is that of a model (SHEET-14, SHEET-16, SHEET-18, SHEET-22, SHEET-26, SHEET-34, SHEET-43, SHEET-47)', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 20 }), async (commands) => {
          const id = await makeSpreadsheet(app);
          const model = new SheetModel();
          for (const command of commands) {
            const state = await stateOf(app, id);
            const before = JSON.stringify(model.shown());
            if (command.kind === 'lines') {
              const { axis, isInsert, at, count } = command;
              const type = `${isInsert ? 'insert' : 'delete'}_${axis}`;
              data(await restructure(app, id, [{ type, sheet: 'Sheet1', start: at + 1, count }]));
              model.change(axis, isInsert, at, count);
            } else {
              const used = model.shown().length;
              const [row, column] = command.kind === 'append' ? [used, 0] : [command.row, command.column];
              const held = command.block.map((cells) =>
                cells.map((one) => (typeof one === 'object' ? model.referenceTo(one.r, one.c) : one)),
              );
              const sent = command.block.map((cells) =>
                cells.map((one) => (typeof one === 'object' ? `=${columnLetters(one.c)}${one.r + 1}` : one)),
              );
              const answer =
                command.kind === 'append'
                  ? await app.post(`/v1/spreadsheets/${id}/values/append`, { values: sent })
                  : await put(app, id, `${columnLetters(column)}${row + 1}`, sent);
              const updated = model.write(row, column, held);
              assert.equal(data(answer).updated_cells, updated);
              assert.equal(data(answer).changed, updated > 0);
              assert.equal(data(answer).state !== state, JSON.stringify(model.shown()) !== before);
            }
            assert.deepEqual(await read(app, id, 'A1:AN40'), model.shown());
            const [sheet] = data(await app.get(`/v1/spreadsheets/${id}`)).sheets;
            const shown = model.shown();
            assert.deepEqual(
              [sheet.rows, sheet.columns],
              [shown.length, Math.max(0, ...shown.map((row) => row.length))],
            );
          }
        }),
        { numRuns: engine === 'sqlite' ? 40 : 12 },
      );
    });

    test('clients at once: each finds its own columns as it left them, and no write is refused', async () => {
      const id = await makeSpreadsheet(app);
      await write(app, id, 'A1', [['start']]);
      const client = async (number: number) => {
        const column = columnLetters(number + 1);
        const last = new Map<number, number>();
        for (let i = 0; i < 25; i++) {
          const row = (i * 7 + number) % 10;
          const answer = await put(app, id, `${column}${row + 1}`, [[i]]);
          assert.deepEqual([answer.status, answer.json.data.updated_cells], [200, 1]);
          last.set(row, i);
        }
        return Array.from({ length: 10 }, (_, row) => last.get(row) ?? '');
      };
      const columns = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(client));
      const rows = await read(app, id, 'B1:I10');
      assert.deepEqual(
        columns,
        columns.map((_, c) => Array.from({ length: 10 }, (_, r) => rows[r]?.[c] ?? '')),
      );
    });
  });
});

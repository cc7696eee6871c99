import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  findBlocks,
  findLastRowBlock,
  listBlocks,
  listBlocksUpwards,
  listFormulaBlocks,
  putBlocks,
  removeBlocks,
  wholeBlock,
} from '../../src/areas/spreadsheets/cells/block-store.ts';
import {
  addToColumnCounts,
  findLastColumn,
  findReach,
  lowerReach,
} from '../../src/areas/spreadsheets/cells/column-store.ts';
import {
  findFormats,
  listFormats,
  putFormats,
  removeFormats,
} from '../../src/areas/spreadsheets/cells/format-store.ts';
import { findImportNotes, insertImportNotes } from '../../src/areas/spreadsheets/looks/import-notes-store.ts';
import { findLooks, putLooks, removeLooks } from '../../src/areas/spreadsheets/looks/looks-store.ts';
import { findNames, putNames } from '../../src/areas/spreadsheets/looks/names-store.ts';
import {
  insertChange,
  listChangedBlocks,
  removeChanges,
} from '../../src/areas/spreadsheets/workbook/change-store.ts';
import {
  listOrphanedSheets,
  putOrphanedSheets,
} from '../../src/areas/spreadsheets/workbook/orphaned-sheets.ts';
import { getWorkbook } from '../../src/areas/spreadsheets/workbook/workbook-store.ts';
import {
  findKeyedRow,
  insertKeyedRows,
  listKeyedRows,
  removeKeyedRows,
} from '../../src/areas/spreadsheets/writing/row-key-store.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { analyze, plansOf } from '../plans.ts';

const WORKSPACE = 'wsp_1';
const BOOK = { workspaceId: WORKSPACE, id: 'sheet_1' };
const KEY = { workspaceId: WORKSPACE, sheet: 'one' };
/** Enough for PostgreSQL to know that reading all of them is dear. */
const ROW_BLOCKS = 500;
const COLUMN_BLOCKS = 6;
const AREA = { top: 10, bottom: 12, left: 1, right: 2 };
const KEYS = [
  { rowBlock: 3, columnBlock: 1 },
  { rowBlock: 400, columnBlock: 2 },
];

const READS: [string, (tx: ReadTransaction) => Promise<unknown>][] = [
  ['a spreadsheet', (tx) => getWorkbook(tx, BOOK)],
  ['blocks by their keys', (tx) => findBlocks(tx, KEY, KEYS)],
  ['the blocks of an area', (tx) => listBlocks(tx, KEY, AREA, undefined, 32)],
  ['further blocks', (tx) => listBlocks(tx, KEY, AREA, { rowBlock: 11, columnBlock: 1 }, 32)],
  ['blocks with formulas', (tx) => listFormulaBlocks(tx, KEY, { rowBlock: 11, columnBlock: 1 }, 32)],
  ['formats by their keys', (tx) => findFormats(tx, KEY, KEYS)],
  ['the formats of an area', (tx) => listFormats(tx, KEY, AREA, { rowBlock: 11, columnBlock: 1 }, 64)],
  ['a large block', (tx) => wholeBlock(tx, KEY, { rowBlock: 11, columnBlock: 1, cells: null })],
  ['the last row', (tx) => findLastRowBlock(tx, KEY, 0, 10_000)],
  ['the last column', (tx) => findLastColumn(tx, KEY, 0, 10_000)],
  ['what has changed', (tx) => listChangedBlocks(tx, BOOK, 490, 512)],
  ['remains', (tx) => listOrphanedSheets(tx, 5, 50)],
  ['looks', (tx) => findLooks(tx, KEY)],
  ['names', (tx) => findNames(tx, BOOK)],
  ['import notes', (tx) => findImportNotes(tx, BOOK)],
  ['blocks from below', (tx) => listBlocksUpwards(tx, KEY, AREA, undefined, 32)],
  ['how far columns may be used', (tx) => findReach(tx, KEY, 3, 7, 10_000)],
  ['the row of a key', (tx) => findKeyedRow(tx, KEY, 'key 7')],
  ['the keys of rows', (tx) => listKeyedRows(tx, KEY, 'key 7', 512)],
];

const WRITES: [string, (tx: WriteTransaction) => Promise<unknown>][] = [
  ['emptied blocks', (tx) => removeBlocks(tx, KEY, KEYS)],
  ['formats of blocks', (tx) => removeFormats(tx, KEY, KEYS)],
  ['old changes', (tx) => removeChanges(tx, BOOK, 10)],
  ['looks of a sheet', (tx) => removeLooks(tx, KEY)],
  ['keys of rows', (tx) => removeKeyedRows(tx, KEY, 'key 100')],
  ['rows that columns no longer use', (tx) => lowerReach(tx, KEY, 3, 7, 5)],
];

forEachEngine((engine) => {
  describe('how cells are found', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
      await app.services.database.write(fill);
      await analyze(app.services.database);
    });
    after(() => app.stop());

    for (const [name, work] of READS) {
      test(`finding ${name} reads along a key`, async () => {
        const plans = await app.services.database.read((tx) => plansOf(tx, work));
        assertAlongKeys(plans);
      });
    }
    for (const [name, work] of WRITES) {
      test(`removing ${name} reads along a key`, async () => {
        const plans = await app.services.database.write((tx) => plansOf(tx, work));
        assertAlongKeys(plans);
      });
    }
  });
});

/** No table is read as a whole, nor sorted. */
function assertAlongKeys(plans: string[][]): void {
  assert.ok(plans.length > 0);
  for (const plan of plans) {
    const lines = plan.join('\n');
    assert.match(lines, /spreadsheet/, lines);
    assert.doesNotMatch(lines, /SCAN (?:spreadsheet\w*|b)\b|Seq Scan on spreadsheet/, lines);
    assert.doesNotMatch(lines, /USE TEMP B-TREE/, lines);
    // A search by the sheet alone reads all of it; only looks are one row for each sheet.
    if (!lines.includes('spreadsheet_looks')) assert.doesNotMatch(lines, /sheet=\?\)/, lines);
  }
}

async function fill(tx: WriteTransaction): Promise<void> {
  for (const sheet of ['one', 'two', 'three']) {
    const blocks = Array.from({ length: ROW_BLOCKS * COLUMN_BLOCKS }, (_, i) => ({
      rowBlock: Math.floor(i / COLUMN_BLOCKS),
      columnBlock: i % COLUMN_BLOCKS,
      formulas: i % 3,
      cells: JSON.stringify([0, 'x'.repeat(100)]),
    }));
    await putBlocks(tx, { ...KEY, sheet }, blocks);
    const formats = JSON.stringify([['0.00', 0, 256]]);
    await putFormats(
      tx,
      { ...KEY, sheet },
      blocks.map(({ rowBlock, columnBlock }) => ({ rowBlock, columnBlock, formats })),
    );
    await insertKeyedRows(
      tx,
      { ...KEY, sheet },
      Array.from({ length: 2_000 }, (_, i) => ({ rowKey: `key ${i}`, position: i, columns: [[0, 5]] })),
    );
    await addToColumnCounts(
      tx,
      { ...KEY, sheet },
      new Map(Array.from({ length: 2_000 }, (_, i) => [i, { cells: 1, reach: i }])),
    );
  }
  for (let i = 0; i < 500; i++) {
    await tx
      .insertInto('spreadsheets')
      .values({
        workspace_id: WORKSPACE,
        node_id: `sheet_${i}`,
        version: 1,
        followed_since: 1,
        revision: '',
        sheets: '[]',
      })
      .execute();
    for (const id of ['sheet_1', 'sheet_2']) {
      await insertChange(tx, { ...BOOK, id }, i, [{ sheet: 'one', rowBlock: i, columnBlock: 1 }]);
    }
    await putOrphanedSheets(tx, { ...KEY, sheet: `gone ${i}` }, i);
    await putLooks(tx, { ...KEY, sheet: `sheet ${i}` }, '{}');
    await putNames(tx, { ...BOOK, id: `sheet_${i}` }, []);
    await insertImportNotes(tx, { ...BOOK, id: `sheet_${i}` }, []);
  }
}

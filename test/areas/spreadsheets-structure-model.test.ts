/** What becomes of a sheet and of a workbook by each structural change, without any cells. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COLUMNS, ROWS } from '../../src/areas/spreadsheets/cells/a1.ts';
import { insertLines, removeLines, STRAIGHT } from '../../src/areas/spreadsheets/cells/axis.ts';
import {
  type LineChange,
  lineChangeOf,
  withLines,
  withNewSheet,
  withoutLines,
  withoutSheet,
  withSheetRenamed,
} from '../../src/areas/spreadsheets/structure/structure-model.ts';
import { newSheet, type Sheet, type Workbook } from '../../src/areas/spreadsheets/workbook/workbook.ts';

const MOST_SHEETS = 500;

function workbookOf(...sheets: Sheet[]): Workbook {
  return { workspaceId: 'wks_1', id: 'sht_1', version: 1, followedSince: 1, revision: 'r', sheets };
}

function refusal(pointer: string, code: string, message: string) {
  return { code: 'validation_failed', details: { errors: [{ pointer, code, message }] } };
}

describe('lines', () => {
  const used: Sheet = { ...newSheet('S'), rows: 10, columns: 5 };
  const change = (axis: LineChange['axis'], at: number, count: number) =>
    ({ kind: 'insert', axis, at, count }) as const;

  test('are told by the operation', () => {
    const of = (type: 'insert_rows' | 'insert_columns' | 'delete_rows' | 'delete_columns') =>
      lineChangeOf({ type, sheet: 'S', start: 3, count: 2 });
    assert.deepEqual(of('insert_rows'), { kind: 'insert', axis: 'rows', at: 2, count: 2 });
    assert.deepEqual(of('insert_columns'), { kind: 'insert', axis: 'columns', at: 2, count: 2 });
    assert.deepEqual(of('delete_rows'), { kind: 'remove', axis: 'rows', at: 2, count: 2 });
    assert.deepEqual(of('delete_columns'), { kind: 'remove', axis: 'columns', at: 2, count: 2 });
    assert.throws(() => lineChangeOf({ type: 'insert_rows', sheet: 'S', start: 0, count: 1 }), {
      code: 'validation_failed',
    });
  });

  test('come before what is used, and change nothing behind it', () => {
    assert.deepEqual(withLines(used, change('rows', 2, 3), ''), {
      ...used,
      rows: 13,
      rowAxis: insertLines(STRAIGHT, 2, 3),
    });
    assert.deepEqual(withLines(used, change('columns', 4, 3), ''), {
      ...used,
      columns: 8,
      columnAxis: insertLines(STRAIGHT, 4, 3),
    });
    for (const one of [change('rows', 10, 1), change('rows', 11, 1), change('columns', 5, 1)])
      assert.equal(withLines(used, one, ''), used);
  });

  test('come and go behind what is used, where cells have formats', () => {
    const formatted = { ...used, formatted: { rows: 20, columns: 8 } };
    for (const at of [10, 15]) {
      const longer = withLines(formatted, change('rows', at, ROWS - 9), '');
      assert.deepEqual([longer.rows, longer.formatted], [10, { rows: ROWS, columns: 8 }]);
    }
    const shorter = withoutLines(formatted, { kind: 'remove', axis: 'rows', at: 15, count: 3 }, 10);
    assert.deepEqual([shorter.rows, shorter.formatted], [10, { rows: 17, columns: 8 }]);
  });

  test('push nothing off the sheet', () => {
    assert.equal(withLines(used, change('rows', 0, ROWS - 10), '').rows, ROWS);
    assert.equal(withLines(used, change('columns', 0, COLUMNS - 5), '').columns, COLUMNS);
    const message = (size: number, axis: string, lines: number, more: number) =>
      `The sheet has ${size} ${axis} and ${lines} are used: ${more} more would push cells off it.`;
    assert.throws(
      () => withLines(used, change('rows', 0, ROWS - 9), '/x'),
      refusal('/x', 'no_room', message(ROWS, 'rows', 10, ROWS - 9)),
    );
    assert.throws(
      () => withLines(used, change('columns', 0, COLUMNS - 4), '/x'),
      refusal('/x', 'no_room', message(COLUMNS, 'columns', 5, COLUMNS - 4)),
    );
  });

  test('go with what was used of them', () => {
    const without = (sheet: Sheet, axis: LineChange['axis'], at: number, count: number, before: number) =>
      withoutLines(sheet, { kind: 'remove', axis, at, count }, before);
    assert.deepEqual(without(used, 'rows', 2, 3, 10), {
      ...used,
      rows: 7,
      rowAxis: removeLines(STRAIGHT, 2, 3),
    });
    assert.deepEqual(without(used, 'columns', 1, 2, 5), {
      ...used,
      columns: 3,
      columnAxis: removeLines(STRAIGHT, 1, 2),
    });
    // The last lines that were used are empty already.
    assert.deepEqual(without({ ...used, rows: 8 }, 'rows', 8, 5, 10), {
      ...used,
      rows: 8,
      rowAxis: removeLines(STRAIGHT, 8, 2),
    });
    for (const at of [10, 11]) assert.equal(without(used, 'rows', at, 1, 10), used);
  });
});

describe('sheets', () => {
  const [one, other] = [newSheet('One'), newSheet('Other')];

  test('are added behind the others, as many as may be', () => {
    const { sheets } = withNewSheet(workbookOf(one), 'New', '');
    assert.deepEqual(
      sheets.map(({ name }) => name),
      ['One', 'New'],
    );
    const many = Array.from({ length: MOST_SHEETS - 1 }, (_, i) => newSheet(`S${i}`));
    assert.equal(withNewSheet(workbookOf(...many), 'New', '').sheets.length, MOST_SHEETS);
    assert.throws(
      () => withNewSheet(workbookOf(...many, one), 'New', '/x'),
      refusal('/x', 'too_many', 'A spreadsheet has at most 500 sheets.'),
    );
  });

  test('have names that differ in more than case', () => {
    const message = (name: string) =>
      `The spreadsheet has a sheet "${name}" already; names differ in more than case.`;
    assert.throws(
      () => withNewSheet(workbookOf(one), 'ONE', '/x'),
      refusal('/x/sheet', 'taken', message('ONE')),
    );
    assert.throws(
      () => withNewSheet(workbookOf(one, other), 'other', ''),
      refusal('/sheet', 'taken', message('other')),
    );
    assert.throws(
      () => withSheetRenamed(workbookOf(one, other), one, 'other', '/x'),
      refusal('/x/name', 'taken', message('other')),
    );
    assert.deepEqual(withSheetRenamed(workbookOf(one, other), one, 'ONE', '').sheets, [
      { ...one, name: 'ONE' },
      other,
    ]);
  });

  test('go, but for the last one', () => {
    assert.deepEqual(withoutSheet(workbookOf(one, other), one, '').sheets, [other]);
    assert.throws(
      () => withoutSheet(workbookOf(one), one, '/x'),
      refusal('/x', 'last_sheet', 'The last sheet stays; add another one before.'),
    );
  });
});

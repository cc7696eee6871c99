/** What people see of workbooks beside cells, as files have it: real ones, and those made to do harm. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { type ImportNote, ImportNotes } from '../../src/formats/workbooks/import-notes.ts';
import { decodeLooks, NO_LOOKS, type SheetLooks } from '../../src/formats/workbooks/looks.ts';
import { readWorkbook } from '../../src/formats/workbooks/read.ts';
import type { HiddenRows, ReadResult } from '../../src/formats/workbooks/workbook.ts';
import { writeXlsx } from '../../src/formats/workbooks/xlsx/write.ts';
import { exported, noWorkbooks, realFile, realFiles, workbookOf } from './workbook-files.ts';

interface Seen {
  readonly name: string;
  hidden?: string | undefined;
  hiddenRows?: HiddenRows | undefined;
  looks: SheetLooks;
}

async function look(bytes: Uint8Array): Promise<{ sheets: Seen[]; result: ReadResult }> {
  const { sheets: names, portions } = await readWorkbook(bytes);
  const sheets: Seen[] = names.map((name) => ({ name, looks: NO_LOOKS }));
  for (;;) {
    const { done, value } = await portions.next();
    if (done) return { sheets, result: value };
    const sheet = sheets[value.sheet];
    if (!sheet || !value.properties) continue;
    const { hidden, hiddenRows, looks } = value.properties;
    Object.assign(sheet, { hidden, hiddenRows, looks: looks ? await decodeLooks(looks) : NO_LOOKS });
  }
}

async function again(bytes: Uint8Array) {
  const { sheets, result } = await look(bytes);
  const written = sheets.map(({ name, looks, hiddenRows, hidden }) => ({
    ...exported(name, []),
    looks,
    hiddenRows,
    hidden: hidden as 'hidden' | undefined,
  }));
  const file = await buffer(writeXlsx(written, result.names));
  return { before: { sheets, result }, now: await look(file) };
}

describe('what people see of real workbooks', { skip: noWorkbooks }, () => {
  it('is written and read again without loss (SHEET-61)', async () => {
    const found = { columns: 0, merges: 0, notes: 0, links: 0, panes: 0, names: 0 };
    for (const name of realFiles('.xlsx')) {
      const made = await again(realFile(name)).catch((error: Error) => {
        assert.equal(error.name, 'UnreadableWorkbook', name);
      });
      if (!made) continue;
      const { before, now } = made;
      // A workbook has a visible sheet, or programs refuse it.
      if (before.sheets.some(({ hidden }) => hidden === undefined))
        assert.deepEqual(now.sheets, before.sheets, name);
      const kept = before.result.names.filter(
        ({ formula, name }) => !(name.startsWith('_xlnm') && formula.includes('#REF!')),
      );
      assert.deepEqual(now.result.names, kept, name);
      assert.deepEqual(now.result.notes, [], name);
      for (const { looks } of now.sheets) {
        for (const kind of ['columns', 'merges', 'notes', 'links'] as const)
          found[kind] += looks[kind].length;
        if (looks.panes) found.panes++;
      }
      found.names += now.result.names.length;
    }
    assert.ok(found.columns > 1_000 && found.merges > 1_000 && found.notes > 100, JSON.stringify(found));
    assert.ok(found.links > 10 && found.panes > 20 && found.names > 500, JSON.stringify(found));
  });
});

const sheetOf = (elements: string, others: Record<string, string> = {}) =>
  workbookOf('', {
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData/>${elements}</worksheet>`,
    ...others,
  });
const repeated = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

async function seen(bytes: Uint8Array): Promise<{ looks: SheetLooks; notes: readonly ImportNote[] }> {
  const { sheets, result } = await look(bytes);
  return { looks: sheets[0]?.looks ?? NO_LOOKS, notes: result.notes };
}
const counted = (notes: readonly ImportNote[]) => notes.reduce((sum, { count = 1 }) => sum + count, 0);

describe('looks that are made to do harm', () => {
  it('are kept up to a number, and counted beyond (SHEET-64)', async () => {
    const bytes = await sheetOf(
      `<mergeCells>${repeated(70_000, (i) => `<mergeCell ref="A${i + 1}:B${i + 1}"/>`)}</mergeCells>`,
    );
    const { looks, notes } = await seen(bytes);
    assert.equal(looks.merges.length, 65_536);
    assert.equal(counted(notes), 70_000 - 65_536);
    assert.equal(notes.length, 21);
    assert.deepEqual(notes[0], { what: 'merged_cells', sheet: 'Sheet1', range: 'A65537:B65537' });
  });

  it('of overlapping merged cells and columns keep the first (SHEET-64)', async () => {
    const { looks, notes } = await seen(
      await workbookOf('', {
        'xl/worksheets/sheet1.xml':
          '<worksheet><cols><col min="3" max="9" width="5"/><col min="1" max="3" width="7"/><col min="0" max="2" width="1"/><col min="20" max="20" width="300"/></cols><sheetData/><mergeCells><mergeCell ref="B2:C3"/><mergeCell ref="C3:D4"/><mergeCell ref="A1:XFD1"/><mergeCell ref="E5"/><mergeCell ref="x"/></mergeCells></worksheet>',
      }),
    );
    assert.deepEqual(looks.columns, [{ first: 0, last: 2, width: 7 }]);
    assert.deepEqual(
      looks.merges.map(({ top, left }) => [top, left]),
      [
        [0, 0],
        [1, 1],
      ],
    );
    assert.deepEqual(notes, [
      { what: 'column_widths', sheet: 'Sheet1', range: 'C:I' },
      { what: 'merged_cells', sheet: 'Sheet1' },
      { what: 'merged_cells', sheet: 'Sheet1', range: 'C3:D4' },
    ]);
  });

  it('are read in linear time, however many elements there are (SHEET-64)', async () => {
    const rels =
      '<Relationships><Relationship Id="n" Type="x/comments" Target="/xl/comments1.xml"/></Relationships>';
    const bytes = await workbookOf('', {
      'xl/worksheets/sheet1.xml': `<worksheet><cols>${repeated(300_000, () => '<col min="1" max="16384" width="9"/>')}</cols><sheetData/><mergeCells>${repeated(60_000, (i) => `<mergeCell ref="A${i * 2 + 1}:XFD${i * 2 + 2}"/>`)}</mergeCells><hyperlinks>${repeated(200_000, () => '<hyperlink ref="A1" location="Sheet1!A1"/>')}</hyperlinks></worksheet>`,
      'xl/worksheets/_rels/sheet1.xml.rels': rels,
      'xl/comments1.xml': `<comments><authors>${repeated(100_000, () => '<author/>')}</authors><commentList>${repeated(200_000, (i) => `<comment ref="A${i + 1}" authorId="${i}"><text><t>x</t></text></comment>`)}</commentList></comments>`,
    });
    const startedAt = performance.now();
    const { looks, notes } = await seen(bytes);
    assert.ok(performance.now() - startedAt < 60_000);
    assert.equal(looks.merges.length + looks.links.length + looks.notes.length, 65_536);
    assert.equal(looks.columns.length, 1);
    assert.ok(notes.length < 100, `${notes.length} notes`);
  });

  it('have no text beyond the limits of a note and a link (SHEET-64)', async () => {
    const rels =
      '<Relationships><Relationship Id="n" Type="x/comments" Target="/xl/comments1.xml"/></Relationships>';
    const long = '<r><t>'.concat('x'.repeat(20_000), '</t></r>');
    const { looks, notes } = await seen(
      await sheetOf(`<hyperlinks><hyperlink ref="A1" location="${'x'.repeat(3_000)}"/></hyperlinks>`, {
        'xl/worksheets/_rels/sheet1.xml.rels': rels,
        'xl/comments1.xml': `<comments><commentList><comment ref="B2"><text>${long.repeat(2)}</text></comment><comment ref="B3"><text>${long}</text></comment></commentList></comments>`,
      }),
    );
    assert.deepEqual(
      looks.notes.map(({ row, text }) => [row, text.length]),
      [[2, 20_000]],
    );
    assert.deepEqual(notes, [
      { what: 'comments', sheet: 'Sheet1', range: 'B2' },
      { what: 'hyperlinks', sheet: 'Sheet1', range: 'A1' },
    ]);
  });

  it('of defined names keep those that programs read without repair (SHEET-64)', async () => {
    const names: [name: string, formula: string, attributes?: string][] = [
      ['Fine', 'Sheet1!$A$1'],
      ['fine', 'Sheet1!$A$2'],
      ['A1', 'Sheet1!$A$1'],
      ['R1C1', '1'],
      ['two words', '1'],
      ['Empty', ''],
      ['Gone', 'Sheet9!$A$1'],
      ['File', "'[book.xlsx]Sheet1'!$A$1"],
      ['Macro', '1', ' function="1"'],
      ['Nowhere', '1', ' localSheetId="7"'],
      ['Deep', `${'('.repeat(500)}1${')'.repeat(500)}`],
      ['Long', `"${'x'.repeat(9_000)}"`],
      ['Lost', 'Sheet1!#REF!'],
      ['Größe_1', 'OFFSET(Sheet1!$A$1,0,0,COUNTA(Sheet1!$A:$A),1)'],
      ['_xlnm._FilterDatabase', 'Sheet1!$A$1:$B$2', ' localSheetId="0"'],
    ];
    const list = names.map(
      ([name, text, attributes = '']) => `<definedName name="${name}"${attributes}>${text}</definedName>`,
    );
    const { result } = await look(
      await workbookOf('', {
        'xl/workbook.xml': `<workbook><sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets><definedNames>${list.join('')}</definedNames></workbook>`,
      }),
    );
    assert.deepEqual(
      result.names.map(({ name }) => name),
      ['Fine', 'Lost', 'Größe_1'],
    );
    assert.equal(result.notes.length, 11);
  });

  it('make a list of notes of a thousand entries at most', () => {
    const notes = new ImportNotes();
    for (let sheet = 0; sheet < 900; sheet++) {
      for (let row = 1; row <= 30; row++) notes.add('styles', { sheet: `S${sheet}`, range: `A${row}` });
      notes.add('charts', { sheet: `S${sheet}` });
    }
    const list = notes.list();
    assert.ok(list.length <= 1_000, `${list.length}`);
    assert.equal(counted(list), 900 * 31);
  });
});

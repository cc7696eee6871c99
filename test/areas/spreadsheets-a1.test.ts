import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  COLUMNS,
  formatRange,
  parseRange,
  type RangeForm,
  ROWS,
} from '../../src/areas/spreadsheets/cells/a1.ts';
import {
  type Axis,
  insertLines,
  lineLookup,
  positionLookup,
  removeLines,
  STRAIGHT,
  spansOf,
} from '../../src/areas/spreadsheets/cells/axis.ts';
import { followSteps, type Step, type StepSheet } from '../../src/areas/spreadsheets/structure/references.ts';
import { quotedSheetName, sheetNameProblem } from '../../src/areas/spreadsheets/workbook/workbook.ts';
import { columnLetters, columnNumber } from '../../src/text/column-letters.ts';

const line = (size: number) => fc.integer({ min: 0, max: size - 1 });
const ends = fc.tuple(line(ROWS), line(ROWS), line(COLUMNS), line(COLUMNS));
const sheetName = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((name) => sheetNameProblem(name) === undefined);

describe('A1', () => {
  test('letters and numbers of columns are each other', () => {
    assert.deepEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD'].map(columnNumber), [0, 25, 26, 701, 702, 16_383]);
    fc.assert(fc.property(line(COLUMNS), (column) => columnNumber(columnLetters(column)) === column));
  });

  test('a range reads as it was written, in any direction and case, behind any sheet', () => {
    fc.assert(
      fc.property(sheetName, ends, fc.boolean(), fc.boolean(), (name, [r1, r2, c1, c2], flip, lower) => {
        const area = {
          top: Math.min(r1, r2),
          bottom: Math.max(r1, r2),
          left: Math.min(c1, c2),
          right: Math.max(c1, c2),
        };
        const [from, to] = [`$${columnLetters(c1)}${r1 + 1}`, `${columnLetters(c2)}$${r2 + 1}`];
        const cells = flip ? `${to}:${from}` : `${from}:${to}`;
        const read = parseRange(`${quotedSheetName(name)}!${lower ? cells.toLowerCase() : cells}`);
        assert.deepEqual(read, { sheet: name, form: 'block', area });
        const [first, second] = cells.split(':');
        const twice = `${quotedSheetName(name)}!${first}:${quotedSheetName(name)}!${second}`;
        assert.deepEqual(parseRange(twice), read);
        const shown = parseRange(formatRange(quotedSheetName(name), area, 'block'));
        assert.deepEqual([shown.sheet, shown.area], [name, area]);
      }),
    );
  });

  test('whatever the text, it is read or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."AZ19$:!'x ") }), (text) => {
        try {
          parseRange(text);
        } catch (error) {
          assert.equal((error as Error).name, 'InvalidRange');
        }
      }),
    );
  });

  const READ: [text: string, sheet: string | undefined, form: RangeForm, area: readonly number[]][] = [
    ['A1', undefined, 'cell', [0, 0, 0, 0]],
    ['$b$3', undefined, 'cell', [2, 1, 2, 1]],
    ['XFD1048576', undefined, 'cell', [ROWS - 1, COLUMNS - 1, ROWS - 1, COLUMNS - 1]],
    ['A1:A1', undefined, 'block', [0, 0, 0, 0]],
    ['C1:A5', undefined, 'block', [0, 0, 4, 2]],
    ['C:A', undefined, 'columns', [0, 0, ROWS - 1, 2]],
    ['XFD:XFD', undefined, 'columns', [0, COLUMNS - 1, ROWS - 1, COLUMNS - 1]],
    ['5:2', undefined, 'rows', [1, 0, 4, COLUMNS - 1]],
    ['1048576:1', undefined, 'rows', [0, 0, ROWS - 1, COLUMNS - 1]],
    ['S!B2', 'S', 'cell', [1, 1, 1, 1]],
    ['S!A1:s!B2', 'S', 'block', [0, 0, 1, 1]],
    ['S!A:S!B', 'S', 'columns', [0, 0, ROWS - 1, 1]],
    ["'It''s'!B2", "It's", 'cell', [1, 1, 1, 1]],
    // A sheet that is named twice is one only where both ends name the same.
    ['xS!A1:S!B2', 'xS!A1:S', 'cell', [1, 1, 1, 1]],
    ['S!A1:S!B2:C3', 'S!A1:S', 'block', [1, 1, 2, 2]],
    // Quotes are such only at the beginning.
    ["x'S'!B2", "x'S'", 'cell', [1, 1, 1, 1]],
  ];

  for (const [text, sheet, form, [top = 0, left = 0, bottom = 0, right = 0]] of READ) {
    test(`${text} is read as a range (SHEET-1, SHEET-2, SHEET-3)`, () => {
      assert.deepEqual(parseRange(text), { sheet, form, area: { top, left, bottom, right } });
    });
  }

  const HOW = "Write it as A1, A1:C3, A:C, 2:5, Sheet!A1:B2 or 'My sheet'!A1.";
  const NO_RANGES = ['', ':', 'A', '1', 'A1:', ':A1', 'A1:B2:C3', 'A:B:C', '1:2:3', 'A1:B', 'A1:2', 'A:1'];
  const NOR = ['1:A', 'A:B2', '1:B2', ' A1', 'A1 ', '-A1', 'A1-', '1A', 'A$', 'Ä1', 'S!', 'A1,B2'];
  const REFUSED: [texts: string[], why: string][] = [
    [[...NO_RANGES, ...NOR, `${'A'.repeat(21)}1`, `A${'1'.repeat(21)}`], `is no range. ${HOW}`],
    [['!A1', "'S!A1", "'S'x!A1", "''!A1"], `names no sheet. ${HOW}`],
    [['XFE1', 'A1:XFE1', 'XFE:A', 'AAAA1'], 'leaves the sheet: its last column is XFD.'],
    [['A0', '0:1', 'A1048577', '1:1048577', 'S!A00'], 'leaves the sheet: its rows are 1 to 1048576.'],
  ];

  for (const [texts, why] of REFUSED) {
    test(`a text that ${why.split(/[.:]/, 1)} is refused (SHEET-1, SHEET-2)`, () => {
      for (const text of texts)
        assert.throws(() => parseRange(text), { name: 'InvalidRange', message: `"${text}" ${why}` });
    });
  }

  test('a range is answered in one form (SHEET-3)', () => {
    const area = { top: 1, left: 2, bottom: 3, right: 27 };
    const cell = { top: 1, left: 2, bottom: 1, right: 2 };
    assert.equal(formatRange('S', area, 'columns'), 'S!C:AB');
    assert.equal(formatRange('S', area, 'rows'), 'S!2:4');
    assert.equal(formatRange('S', area, 'block'), 'S!C2:AB4');
    for (const form of ['cell', 'block'] as const) assert.equal(formatRange('S', cell, form), 'S!C2');
  });

  test('names are quoted where Excel needs it', () => {
    const plain = ['Sheet1', 'Übersicht', 'a_b', 'x.y', 'ABCD1', 'XFE1'];
    const quoted = ['My sheet', 'A1', 'xfd1048576', 'R1C1', 'rc', 'R', '1st', 'a-b', "it's", 'TRUE'];
    assert.deepEqual(plain.map(quotedSheetName), plain);
    assert.deepEqual(
      quoted.map(quotedSheetName),
      quoted.map((name) => `'${name.replaceAll("'", "''")}'`),
    );
  });
});

describe('an axis', () => {
  test('is a list of places that lines come into and go from', () => {
    const change = fc.record({
      isInsert: fc.boolean(),
      at: fc.nat(40),
      count: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let axis: Axis = STRAIGHT;
        const model = Array.from({ length: 300 }, (_, i) => i);
        let low = 0;
        for (const { isInsert, at, count } of changes) {
          if (isInsert) {
            axis = insertLines(axis, at, count);
            low -= count;
            model.splice(at, 0, ...Array.from({ length: count }, (_, i) => low + i));
          } else {
            axis = removeLines(axis, at, count);
            model.splice(at, count);
          }
        }
        const shown = model.slice(0, 60);
        const positionOfLine = positionLookup(axis);
        assert.deepEqual(
          shown.map((_, i) => positionOfLine(i)),
          shown,
        );
        const spans = spansOf(axis, 0, 59).flatMap(({ position, count }) =>
          Array.from({ length: count }, (_, i) => position + i),
        );
        assert.deepEqual(spans, shown);
        const lines = lineLookup(axis);
        assert.deepEqual(
          shown.map((position) => lines(position)),
          shown.map((_, i) => i),
        );
      }),
    );
  });
});

describe('spans of an axis', () => {
  // Lines 0 and 1 at their places, 2 to 4 new, and the rest behind them.
  const axis = insertLines(STRAIGHT, 2, 3);

  test('are what of the lines is kept together, with their numbers', () => {
    assert.deepEqual(axis, {
      runs: [
        [0, 2],
        [-3, 3],
      ],
      tail: 2,
      low: -3,
    });
    assert.deepEqual(spansOf(axis, 1, 6), [
      { line: 1, position: 1, count: 1 },
      { line: 2, position: -3, count: 3 },
      { line: 5, position: 2, count: 2 },
    ]);
    assert.deepEqual(spansOf(axis, 3, 3), [{ line: 3, position: -2, count: 1 }]);
    assert.equal(spansOf(axis, 1, 4).length, 2);
    assert.equal(spansOf(axis, 1, 2).length, 2);
  });

  test('of no lines are none', () => {
    assert.deepEqual(spansOf(STRAIGHT, 5, 4), []);
    assert.deepEqual(spansOf(axis, 5, 4), []);
    assert.deepEqual(spansOf(STRAIGHT, 5, 5), [{ line: 5, position: 5, count: 1 }]);
  });

  test('no line is at a place that was taken out, or is not in use yet', () => {
    const lines = lineLookup(removeLines(axis, 1, 2));
    assert.deepEqual([-4, -3, -2, -1, 0, 1, 2, 3].map(lines), [
      undefined,
      undefined,
      1,
      2,
      0,
      undefined,
      3,
      4,
    ]);
  });

  test('have other numbers than their places where the rest of the sheet has its own', () => {
    const axis = removeLines(insertLines(STRAIGHT, 0, 4), 3, 1);
    assert.deepEqual(axis, { runs: [[-4, 3]], tail: 0, low: -4 });
    assert.deepEqual([-4, -1, 0, 2].map(lineLookup(axis)), [0, undefined, 3, 5]);
  });

  test('that follow each other are one run', () => {
    assert.deepEqual(removeLines(axis, 2, 3), { ...STRAIGHT, low: -3 });
    assert.deepEqual(insertLines(insertLines(STRAIGHT, 2, 3), 2, 1).runs, [
      [0, 2],
      [-4, 4],
    ]);
    assert.deepEqual(removeLines(STRAIGHT, 0, 4), { runs: [], tail: 4, low: 0 });
    assert.deepEqual(insertLines(STRAIGHT, 0, 4), { runs: [], tail: -4, low: -4 });
  });
});

describe('references', () => {
  const sheet = { id: 's', name: 'S' };
  const after = (formula: string, step: Omit<Extract<Step, { at: number }>, 'sheet'>) =>
    followSteps(formula, 's', [{ ...step, sheet }]);

  test('each kind as in Excel', () => {
    const insert = { kind: 'insert', axis: 'rows', at: 2, count: 3 } as const;
    const remove = { kind: 'remove', axis: 'columns', at: 1, count: 2 } as const;
    for (const [formula, step, expected] of [
      ['=A2+A3', insert, '=A2+A6'],
      ['=SUM(A2:A3)', insert, '=SUM(A2:A6)'],
      ['=A1048576', insert, '=#REF!'],
      ['=SUM(A5:A1048576)', insert, '=SUM(A8:A1048576)'],
      ['=SUM(A1:A1048576)', insert, '=SUM(A1:A1048576)'],
      ['=SUM(A1:A1048576)', { ...insert, at: 0 }, '=SUM(A1:A1048576)'],
      ['=SUM(A1:A1048576)', { ...insert, kind: 'remove' }, '=SUM(A1:A1048576)'],
      ['=SUM(A1:XFD1)', remove, '=SUM(A1:XFD1)'],
      ['=SUM(A2:A1048573)', insert, '=SUM(A2:A1048576)'],
      ['=A1048573', insert, '=A1048576'],
      ['=A1048574', insert, '=#REF!'],
      ['=SUM(B1:XFD1)', { ...insert, axis: 'columns', at: 0 }, '=SUM(E1:XFD1)'],
      ['=sum(a1:b2)+$a1', insert, '=sum(a1:b2)+$a1'],
      ['=SUM(A1:B1)', remove, '=SUM(A1:A1)'],
      ['=SUM(A1:A1,B1:D1)', remove, '=SUM(A1:A1,B1:B1)'],
      ['=S!foo+D4', remove, '=S!foo+B4'],
      ['=[S]T!D4', remove, '=[S]T!D4'],
      ['=SUM($B:D)', insert, '=SUM($B:D)'],
      ['=SUM($B:D)', remove, '=SUM($B:B)'],
      ['=SUM(B:C)', remove, '=SUM(#REF!)'],
      ['=SUM(A1:C1)', remove, '=SUM(A1:A1)'],
      ['=SUM(B1:Z1)', remove, '=SUM(B1:X1)'],
      ['=S!D4 & "S!D4"', remove, '=S!B4 & "S!D4"'],
      ["='s'!$D$4", remove, "='s'!$B$4"],
      ['=T!D4', remove, '=T!D4'],
      ['=[1]S!D4', remove, '=[1]S!D4'],
      ['=D4#+@D4', remove, '=B4#+@B4'],
      ['=LOG10(D4)+D_4+D4D', remove, '=LOG10(B4)+D_4+D4D'],
      ['=SUM(', remove, '=SUM('],
      ['=foo(D4', remove, '=foo(B4'],
    ] as const) {
      assert.equal(after(formula, step), expected, formula);
    }
  });

  test('names of sheets follow, quoted where needed', () => {
    const rename = (formula: string, name: string) =>
      followSteps(formula, 'x', [{ kind: 'rename', sheet, name }]);
    assert.equal(
      rename('=S!A1+\'s\'!B2+SS!A1+"S!A1"', 'My sheet'),
      "='My sheet'!A1+'My sheet'!B2+SS!A1+\"S!A1\"",
    );
    assert.equal(rename('=SUM(S:Z!A1)', "it's"), "=SUM('it''s:Z'!A1)");
    assert.equal(rename("=s!A1+'SS'!A1+A1", 'Plain'), "=Plain!A1+'SS'!A1+A1");
    assert.equal(rename('=S!foo+[S]T!A1', 'Plain'), '=Plain!foo+[S]T!A1');
    for (const home of ['x', 's'])
      assert.equal(followSteps('=S!A1+A1+S!foo', home, [{ kind: 'delete', sheet }]), '=#REF!+A1+#REF!');
  });

  test('a reference without a sheet is to that of its formula', () => {
    const steps: Step[] = [{ kind: 'insert', axis: 'rows', sheet, at: 2, count: 3 }];
    assert.equal(followSteps('=A5+S!A5', 'x', steps), '=A5+S!A8');
    assert.equal(followSteps('=A5+S!A5', 's', steps), '=A8+S!A8');
  });

  test('a reference to several sheets stays', () => {
    const step: Step = { kind: 'insert', axis: 'rows', sheet, at: 0, count: 3 };
    assert.equal(followSteps('=SUM(S:T!A5)', 'x', [step]), '=SUM(S:T!A5)');
  });

  test('a formula that names no sheet follows whatever happens to its own beside others', () => {
    const rename: Step = { kind: 'rename', sheet: { id: 'o', name: 'Other' }, name: 'New' };
    const insert: Step = { kind: 'insert', axis: 'rows', sheet, at: 0, count: 3 };
    assert.equal(followSteps('=A5', 's', [rename, insert]), '=A8');
    assert.equal(followSteps('=C5', 'o', [rename, insert]), '=C5');
    assert.equal(followSteps('=S!A5+A5', 'o', [rename, insert]), '=S!A8+A5');
  });

  test('as many quoted names as a formula has room for follow', () => {
    const step: Step = { kind: 'insert', axis: 'rows', sheet: { id: 'o', name: "it's" }, at: 0, count: 3 };
    const names = (row: number) => `=${`'it''s'!A${row}+`.repeat(740)}1`;
    assert.equal(followSteps(names(5), 'x', [step]), names(8));
  });

  test('several steps at once are as one after the other', () => {
    const other = { id: 'o', name: "it's" };
    const line = (at: number, kind: 'insert' | 'remove', axis: 'rows' | 'columns', on: StepSheet): Step => ({
      kind,
      axis,
      sheet: on,
      at,
      count: 2,
    });
    const formula =
      "=s!A5+SUM(b3:C9)+'it''s'!D4+SUM('It''s:S'!A1:A2)+T!A1+SUM(4:5)+[1]S!A1+S!name+SUM('it''s'!A:B)+\"S!A1\"";
    const step = fc.oneof(
      fc
        .tuple(
          fc.nat(9),
          fc.constantFrom('insert', 'remove'),
          fc.constantFrom('rows', 'columns'),
          fc.boolean(),
        )
        .map(([at, kind, axis, isOther]) => line(at, kind, axis, isOther ? other : sheet)),
      fc.constantFrom('Other', "o'x", 'S2').map((name): Step => ({ kind: 'rename', sheet, name })),
      fc.constant<Step>({ kind: 'rename', sheet: { id: 's', name: 'other' }, name: 'S' }),
      fc.constant<Step>({ kind: 'delete', sheet: other }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.constantFrom('s', 'o', 'x'), (steps, home) => {
        const inTurn = steps.reduce((text, one) => followSteps(text, home, [one]), formula);
        assert.equal(followSteps(formula, home, steps), inTurn);
      }),
    );
  });

  test('nothing follows in what is no formula, which is found out at once', () => {
    const insert: Step = { kind: 'insert', axis: 'rows', at: 0, count: 1, sheet };
    const endless = ['1.', '.1', "['", "''"].map((unit) => `=A1+${unit.repeat(4_000)}`);
    const tooLong = ['1.', "''", 'A1+'].map((unit) => `=${unit.repeat(16_000)}A1`);
    const before = process.cpuUsage();
    for (const formula of [...endless, ...tooLong]) {
      assert.equal(followSteps(formula, 's', [insert]), formula);
    }
    assert.ok(process.cpuUsage(before).user < 1_000_000);
  });

  test('insert and delete again leave every reference as it was', () => {
    const cell = fc.tuple(fc.nat(20), fc.nat(20)).map(([r, c]) => `${columnLetters(c)}${r + 1}`);
    const block = fc
      .tuple(fc.nat(20), fc.nat(20), fc.nat(9), fc.nat(9))
      .map(([r, c, h, w]) => `${columnLetters(c)}${r + 1}:${columnLetters(c + w)}${r + h + 1}`);
    const refs = fc.array(fc.oneof(cell, block), { minLength: 1 });
    const axis = fc.constantFrom('rows' as const, 'columns' as const);
    fc.assert(
      fc.property(refs, axis, fc.nat(20), fc.integer({ min: 1, max: 5 }), (all, axis, at, count) => {
        const formula = `=SUM(${all.join(',')})`;
        const there = after(formula, { kind: 'insert', axis, at, count });
        assert.equal(after(there, { kind: 'remove', axis, at, count }), formula);
      }),
    );
  });

  test('no text fails', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(20), (text, at) => {
        assert.match(after(`=${text}`, { kind: 'remove', axis: 'rows', at, count: 2 }), /^=/);
      }),
    );
  });
});

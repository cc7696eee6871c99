import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatValue } from '../../src/formulas/number-format/format.ts';
import { numberOfText } from '../../src/formulas/number-text.ts';

const SHOWN: readonly [value: number | string | boolean, code: string, shown: string | undefined][] = [
  [1234.567, '0', '1235'],
  [1234.567, '#,##0.00', '1,234.57'],
  [0.5, '#.##', '.5'],
  [5, '#.##', '5.'],
  [-5, '0.00', '-5.00'],
  [-5, '0.00;(0.00)', '(5.00)'],
  [0, '0;-0;"none"', 'none'],
  [5, ';;;', ''],
  [5, '', ''],
  ['abc', '0', 'abc'],
  ['abc', '0;0;0;"text: "@', 'text: abc'],
  [true, '0', 'TRUE'],
  [0.285, '0.0%', '28.5%'],
  [1.005, '0.00', '1.01'],
  [0.125, '0.00', '0.13'],
  [12_200_000, '0.0,,"M"', '12.2M'],
  [12_345_678, '#,##0,', '12,346'],
  [5_551_234_567, '(000) 000-0000', '(555) 123-4567'],
  [123_456_789, '000-00-0000', '123-45-6789'],
  [12_345.6, '0.00E+00', '1.23E+04'],
  [0.00012, '0.0E-0', '1.2E-4'],
  [999_999, '0.0E+0', '1.0E+6'],
  [0.5, '# ?/?', ' 1/2'],
  [5, '# ?/?', '5    '],
  [2.1416, '# ??/??', '2  1/7 '],
  // As Excel shows them: the last continued fraction that fits, though another may be nearer.
  [12.3, '# ?/?', '12 1/3'],
  [-123.456, '# ?/?', '-123 1/2'],
  [-123.456, '# ??/??', '-123 26/57'],
  [1234.567, '# ???/???', '1234  55/97 '],
  [12_345_678.9, '# ?/?', '12345679    '],
  [0.0123456789, '# ?/?', '0    '],
  [0.00123456789, '# ??/??', '0      '],
  [-1.2, '# ?/2', '-1    '],
  [0.05, '# ?/8', '0    '],
  [0.123251512342345, '# ??/?????????', '  480894/3901729'],
  [0.123251512342345, '# ?? / ?????????', '  480894 / 3901729'],
  [0.5, '# ?? / ??', '  1 / 2 '],
  [12.3456789, '#??/??', '1000/81'],
  [-2.75, '# ?/8;(# ?/8)', '(2 6/8)'],
  [0, '"foo";"bar";@', 'foo'],
  [-1, '"foo";"bar";@', 'bar'],
  ['x', '"foo";"bar";@', 'x'],
  [-1, '0;@', '-1'],
  ['x', '0;@', 'x'],
  [1, '@@', '1'],
  ['x', '@@', 'xx'],
  ['', '_(@_)', ''],
  [-25, '[Red][<=-25]General;[Blue][>=25]General;[Green]General;[Yellow]General', '-25'],
  [-25, '[Red]General ;[Blue]General\\ ;[Green]Generalp', '-25 '],
  [-25, 'General;-General', '-25'],
  [0, '[Red]General ;[Blue]General\\ ;[Green]Generalp', '0p'],
  [75.5, '[<=100]0.0;0', '75.5'],
  [175.5, '[<=100]0.0;0', '176'],
  [2, '[=1]"one";[=2]"two";0', 'two'],
  [7, '[=1]"one";[=2]"two";0', '7'],
  [-3.5, '_(0.0_);_((0.0)', ' (3.5)'],
  [12, '*x0', '12'],
  [26.5, '[hh]:mm:ss', '636:00:00'],
  [0.5, '[mm]:ss', '720:00'],
  [0.5, '[ss]', '43200'],
  [2.75, '# ?/8', '2 6/8'],
  [1.5, '?/?', '3/2'],
  [44_000.75, 'dddd, mmmm d, yyyy h:mm AM/PM', 'Thursday, June 18, 2020 6:00 PM'],
  [44_000.75, 'm/d/yy', '6/18/20'],
  [44_000.75, 'ddd mmm mmmmm', 'Thu Jun J'],
  [60, 'yyyy-mm-dd', '1900-02-29'],
  [0, 'yyyy-mm-dd', '1900-01-00'],
  [1.5, '[h]:mm:ss', '36:00:00'],
  [0.5, 'h:mm:ss.00', '12:00:00.00'],
  [0.0003587, 'mm:ss.0', '00:31.0'],
  [0.999_999_9, 'h:mm:ss', '0:00:00'],
  [-1, 'yyyy', undefined],
  [1e15, '#,##0', '1,000,000,000,000,000'],
  [1e22, '0', '10000000000000000000000'],
  [12, '[Red]0" pcs"', '12 pcs'],
  [12, '[$€-407] 0', '€ 12'],
  [-500, '[>=1000]0.0,"K";0', '-500'],
  [-5000, '[>=1000]0.0,"K";0', '-5000'],
  [-0.25, '[>1]0;0%', '-25%'],
  [-7, '[=5]0;0.0', '-7.0'],
  [-7, '[>0]0;0.0', '7.0'],
  [-7, '[>=0]0;0.0', '7.0'],
  [1234.5, '#,##0 ?/?', '1,234 1/2'],
  [1234567.25, '#,##0 ??/100', '1,234,567 25/100'],
  [1234.5, '# ?/?', '1234 1/2'],
  [150, '[>100]"big";"small"', 'big'],
  [50, '[>100]"big";"small"', 'small'],
  [1.5, 'General', '1.5'],
  [1 / 3, 'General" m"', '0.333333333 m'],
  [123_456_789_012, 'General', '1.23457E+11'],
  [0.000012345678, 'General', '1.23457E-05'],
];

describe('number formats', () => {
  for (const [value, code, shown] of SHOWN) {
    it(`${value} in the format ${JSON.stringify(code)} is shown as ${shown}`, () =>
      assert.equal(formatValue(value, code), shown));
  }

  it('shows numbers so that they are read again', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 6 }), (digits, places) => {
        const number = digits / 10 ** places;
        const shown = formatValue(number, `#,##0.${'0'.repeat(places)}`) ?? '';
        assert.equal(numberOfText(shown), number);
      }),
    );
  });

  it('shows something, soon, whatever the code', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: fc.constantFrom(...'0#?.,%E+-/;[]"\\_*@ymdhsAP GeneralT$'), maxLength: 40 }),
        (number, code) => {
          const shown = formatValue(number, code);
          assert.ok(shown === undefined || typeof shown === 'string');
        },
      ),
    );
    for (const piece of ['[', '"', '0', '#,', '?/', '[h', 'yyyy', ';'])
      formatValue(1.5, piece.repeat(20_000));
  });
});

/** Workbooks that Excel made to show what its formats do: codes in B, values in C, what TEXT answered in A. */
const CORPUS = join(import.meta.dirname, '../../../shared/corpus/sheets');
const FILES = existsSync(CORPUS)
  ? readdirSync(CORPUS).filter((file) => /^poi__.*Format.*Tests\.xlsx\.json$/.test(file))
  : [];

interface CorpusCell {
  readonly formula?: string;
  readonly value?: number | string | boolean;
  readonly cached?: number | string | boolean;
}

describe('number formats as Excel shows them', {
  skip: FILES.length === 0 && 'the corpus is not here',
}, () => {
  for (const file of FILES) {
    it(`agree in ${file}`, () => {
      const workbook = JSON.parse(readFileSync(join(CORPUS, file), 'utf8'));
      const cells: Record<string, CorpusCell> = workbook.sheets.Tests;
      let compared = 0;
      for (const [name, { formula, cached }] of Object.entries(cells)) {
        const row = /^=TEXT\(C(\d+), ?B\1\)$/.exec(formula ?? '')?.[1];
        const [code, value] = [cells[`B${row}`]?.value, cells[`C${row}`]?.value];
        if (row === undefined || value === undefined) continue;
        // In that calendar days count from 1904.
        const shift = workbook.date1904 && file.includes('Date') ? 1462 : 0;
        const given = typeof value === 'number' ? value + shift : value;
        assert.equal(formatValue(given, String(code)), String(cached), name);
        compared++;
      }
      assert.ok(compared > 5);
    });
  }
});

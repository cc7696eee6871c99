/** Which texts are number format codes of Excel, and that none of them takes long, throws or shows without end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { shownText } from '../../src/formats/workbooks/shown-text.ts';
import { formatProblem } from '../../src/formulas/number-format/problem.ts';

const VALID = [
  '0',
  '0.00%',
  '#,##0.00',
  'yyyy-mm-dd',
  'd mmm yyyy',
  'General',
  'general',
  '@',
  'General;[Red]-General',
  '0.00E+00',
  '##0.0e+0',
  '# ?/?',
  '# ??/16',
  '[h]:mm:ss',
  'mm:ss.0',
  '[ss].00',
  'h:mm AM/PM',
  '[$-409]h:mm\\ AM/PM;@',
  '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy',
  '[$€-407] #,##0.00',
  '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-',
  '[<=9999999]###\\-####;\\(###\\)\\ ###\\-####',
  '[=1]"yes";[=0]"no";General',
  '[>=1.5E+3]0.0,"K";0',
  '[Color10]0;[color 3]-0',
  '[DBNum1]0',
  ';;;',
  '"a";"b";"c";"d"@',
  '0.0.0',
  'yyyy年m月d日',
  '0 €',
  '"[0"',
  '0'.repeat(255),
];

const INVALID: readonly (readonly [code: string, says: RegExp])[] = [
  ['', /1 to 255 characters/],
  ['0'.repeat(256), /1 to 255 characters/],
  ['not a format', /The n at character 1 .* quotation marks/],
  ['0 kg', /The k at character 3/],
  ['0"kg', /quotation mark at character 2 is not closed/],
  ['0\\', /\\ at character 2 needs a character/],
  ['0_', /needs a character/],
  ['*', /needs a character/],
  ['[Red', /bracket at character 1 is not closed/],
  ['[Pink]0', /bracket at character 1/],
  ['[Color57]0', /bracket at character 1/],
  ['[>x]0', /bracket/],
  ['[>.]0', /bracket/],
  ['0]', /The \] at character 2/],
  ['0;0;0;0;0', /at most 4 sections/],
  ['0;0;0;0', /fourth section is for texts/],
  ['@;@', /Only one section/],
  ['[>1]0;[>2]0;[>3]0', /at most 2 conditions/],
  ['yyyy0', /either a date or digits/],
  ['0 h', /either a date or digits/],
  ['General0', /General stands/],
  ['E+', /exponent needs digits/],
  ['0\n', /control character at character 2/],
  ['\ud800', /surrogate/],
];

describe('codes of number formats', () => {
  for (const code of VALID) {
    it(`${JSON.stringify(code)} is one (SHEET-56)`, () => assert.equal(formatProblem(code), undefined));
  }

  for (const [code, says] of INVALID) {
    it(`${JSON.stringify(code.slice(0, 20))} is told as ${says} (SHEET-56)`, () =>
      assert.match(String(formatProblem(code)), says));
  }

  const anyCode = fc.oneof(
    fc.string({
      unit: fc.constantFrom(
        ...'0#?.,%E+-/;[]"\\_*@ymdhsbegAPn1 €$<>=',
        'General',
        'AM/PM',
        '[h]',
        '[>1]',
        '日',
      ),
      maxLength: 255,
    }),
    fc.string({ unit: 'binary', maxLength: 255 }),
    fc
      .tuple(
        fc.constantFrom('0', '#', '?', '%', ',', '@', 's', '[h]', '/', 'E+', 'yyyy', '#,', '_', '"'),
        fc.nat(255),
      )
      .map(([piece, times]) => piece.repeat(times)),
  );
  const anyValue = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2_958_465.999_999, -1, 0),
    fc.string({ maxLength: 200 }),
    fc.boolean(),
  );

  it('no code and no value throws, takes long or shows more than a cell holds (SHEET-57)', () => {
    fc.assert(
      fc.property(anyCode, anyValue, (code, value) => {
        const before = performance.now();
        const problem = formatProblem(code);
        const shown = shownText(value, code.slice(0, 255));
        assert.ok(performance.now() - before < 1_000, code);
        assert.ok(problem === undefined || problem.length > 0);
        assert.ok(shown.length <= 40_000, `${code} shows ${shown.length} characters`);
      }),
      { numRuns: 5_000 },
    );
  });

  it('a text that a code repeats is shown as it is where it would be longer than a cell (SHEET-57)', () => {
    const text = 'x'.repeat(1_000);
    assert.equal(shownText(text, '@"!"'), `${text}!`);
    assert.equal(shownText(text, '@'.repeat(100)), text);
  });

  it('texts are shown by the section for texts, errors and booleans by none (SHEET-57)', () => {
    assert.equal(shownText('a', '0;0;0;"<"@">"'), '<a>');
    assert.equal(shownText(' a ', '_(@_)'), ' a ');
    assert.equal(shownText('a', ';;;'), '');
    assert.equal(shownText('a', '0.00'), 'a');
    assert.equal(shownText('#REF!', '"x"@'), '#REF!');
    assert.equal(shownText(true, '0.00'), 'TRUE');
  });
});

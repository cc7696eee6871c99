import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contains } from '../src/areas/mail/filters/evaluation.ts';
import { fold, foldUnicode } from '../src/text/fold.ts';
import { assertLinear } from './growth.ts';

test('folding joins what differs only in case (API-19)', () => {
  const same: [string, string][] = [
    ['Straße', 'STRASSE'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['ﬁne', 'FINE'],
    ['Ａｄａ', 'ada'],
    ['İstanbul', 'i̇stanbul'],
    ['ŉ', 'ʼN'],
    ['ſ', 's'],
    ['ẞ', 'ss'],
  ];
  for (const [left, right] of same) assert.equal(fold(left), fold(right), `${left} ${right}`);
  assert.notEqual(fold('a'), fold('ä'));
  assert.notEqual(fold('ı'), fold('i'));
});

test('folding answers the same again, and however much was folded in between', () => {
  const texts = Array.from({ length: 2_000 }, (_, i) => `${i}${'\ufdfa'.repeat(200)}`);
  const first = texts.map(fold);
  assert.deepEqual(texts.map(fold), first);
  assert.ok(first.every((text, i) => text.startsWith(`${i}\u0635\u0644\u0649`)));
});

test('what is passed over as caseless is what no change of case changes', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const text = String.fromCodePoint(code).normalize('NFKC');
    if (foldUnicode(text) !== text) continue;
    const cased = text.toLowerCase().replace(/[^ı]+/g, (run) => run.toUpperCase());
    assert.equal(cased.toLowerCase().replaceAll('ς', 'σ').normalize('NFKC'), text, code.toString(16));
  }
});

test('folding takes linear time, also where marks would have to be sorted', async () => {
  for (const unit of ['\u0301\u0323', 'e\u0301\u0323', '\u0301', 'ﷺ', 'ıı', 'ß', '한', 'Σ']) {
    await assertLinear(`folding ${unit}`, (size) => unit.repeat(size), foldUnicode);
  }
});

test('folding parts long runs of marks once', () => {
  const folded = fold(`e${'\u0301\u0323'.repeat(100)}x`);
  assert.equal(fold(folded), folded);
  assert.equal(fold('e\u0301\u0323'), fold('\u1eb9\u0301'));
});

test('folding what is folded changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => fold(fold(text)) === fold(text)),
    {
      numRuns: 5_000,
    },
  );
});

test('a text is looked for in linear time, and found as the engine finds it', async () => {
  const long = (size: number) => ['a'.repeat(size), `${'a'.repeat(85)}b${'a'.repeat(size >> 1)}`] as const;
  await assertLinear('looking for what nearly matches', long, ([text, wanted]) => contains(text, wanted), {
    size: 1 << 18,
  });
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(letters, letters, letters, (start, wanted, end) => {
      const around = 'ab'.repeat(60_000);
      assert.equal(contains(around + start, `${wanted}c`), false);
      assert.equal(contains(`${around}${start}c${wanted}${end}`, `c${wanted}${end}`), true);
      const text = `${'a'.repeat(200_000)}${start}`;
      assert.equal(contains(text, wanted + end), text.includes(wanted + end));
    }),
    { numRuns: 100 },
  );
});

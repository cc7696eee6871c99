import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../src/text/fold.ts';

test('folding joins what differs only in case', () => {
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

test('folding what is folded changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => fold(fold(text)) === fold(text)),
    {
      numRuns: 5_000,
    },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from './growth.ts';

const ofLetters = (size: number) => 'a'.repeat(size);

test('work that grows with its input is told to be linear', async () => {
  await assertLinear('upper case', ofLetters, (text) => text.toUpperCase());
  await assertLinear('letters one by one', ofLetters, (text) => [...text].sort().length);
  await assertLinear('work that waits', ofLetters, async (text) => text.split('').length);
});

test('work that grows with the square of its input fails', async () => {
  const trimmed = (text: string) => text.replace(/a+$/g, '');
  await assert.rejects(
    assertLinear('a pattern that begins anew', (size) => `${ofLetters(size)}b`, trimmed),
    /^AssertionError.*: a pattern that begins anew: twice the input of \d+ and more takes/,
  );
  const unique = (items: number[]) => items.filter((item, index) => items.indexOf(item) === index);
  await assert.rejects(
    assertLinear(
      'a list searched for each item',
      (size) => Array.from({ length: size }, (_, i) => i),
      unique,
    ),
    /a list searched for each item/,
  );
});

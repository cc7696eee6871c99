import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { askMagic } from '../../src/formats/content-type/magic-thread.ts';
import { isProse } from '../../src/formats/content-type/prose.ts';
import { textType } from '../../src/formats/content-type/text-types.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus');

const SIGNED = [
  'From: a@example.org\n\nHello',
  'Subject: x\n\nHello',
  'diff -u a b',
  'WEBVTT\n\n',
  'P3 2 2 1',
  '1\n00:00:01,000 --> 00:00:02,000\nHello',
  '.TH cat 1',
  '%PDF-1.4',
  'Words, and then <html> far behind',
  '#!/bin/sh',
  "'use strict'",
];

describe('prose', () => {
  for (const text of ['x'.repeat(100), 'Some bytes, and others.\n', 'a,b\n1,2\n', 'größer als ein Haus']) {
    test(`${JSON.stringify(text.slice(0, 30))} is prose`, () => assert.ok(isProse(Buffer.from(text))));
  }
  for (const text of SIGNED) {
    test(`${JSON.stringify(text.slice(0, 30))} may have a signature`, () =>
      assert.ok(!isProse(Buffer.from(text))));
  }

  test('bytes that are no text are no prose', () => assert.ok(!isProse(Buffer.from([0x61, 0, 0xff]))));

  test('of prose the rules for texts tell nothing more', async (t) => {
    const expected = join(CORPUS, 'types/EXPECT.tsv');
    if (!existsSync(expected)) return t.skip('the corpus is not here');
    const paths = readFileSync(expected, 'utf8').trim().split('\n').slice(1);
    for (const path of paths.map((row) => row.split('\t', 1)[0] ?? '')) {
      const head = readFileSync(join(CORPUS, path)).subarray(0, 65_536);
      if (!isProse(head)) continue;
      const [all, binary] = await Promise.all([askMagic(head, 'all'), askMagic(head, 'binary')]);
      assert.equal(textType(binary, head, path) ?? binary, textType(all, head, path) ?? all, path);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TextGrid } from '../../src/areas/spreadsheets/cells/grid.ts';
import { RangeTexts, rangeKey } from '../../src/areas/spreadsheets/reading/large-answers.ts';
import { eventually } from '../eventually.ts';
import { liveBytes } from '../live-bytes.ts';

const CHARACTERS = 399_000;

describe('texts of ranges that were read lately', () => {
  test('what was asked for least lately makes room', () => {
    const texts = new RangeTexts();
    for (let i = 0; i < 20; i++) texts.set(`range ${i}`, 'x'.repeat(CHARACTERS));
    assert.ok(texts.get('range 0'));
    texts.set('range 20', 'x'.repeat(CHARACTERS));
    assert.ok(texts.get('range 0'));
    assert.equal(texts.get('range 1'), undefined);
    assert.ok(texts.get('range 2'));
  });

  test('a short one lets go of the long block that it was cut from', async () => {
    const texts = new RangeTexts();
    const before = liveBytes();
    for (let i = 0; i < 50; i++) {
      const block = Buffer.alloc(1_000_000, `"cell ${i}",`).toString();
      const grid = new TextGrid();
      grid.add(0, 0, block.slice(0, 100));
      texts.set(`range ${i}`, grid.json());
    }
    // What another thread of V8 still looks at, one collection leaves. Fifty blocks are a million bytes each.
    await eventually(async () => liveBytes() - before < 5_000_000, 'the blocks are let go');
    assert.ok(texts.get('range 0'));
  });

  test('those of empty ranges make room as well', () => {
    const texts = new RangeTexts();
    for (let i = 0; i < 100_000; i++) texts.set(`range ${i}`, '[]');
    assert.equal(texts.get('range 0'), undefined);
    assert.equal(texts.get('range 99999'), '[]');
  });

  test('one that would take the room of many is not kept', () => {
    const texts = new RangeTexts();
    texts.set('all', 'x'.repeat(2 * CHARACTERS));
    assert.equal(texts.get('all'), undefined);
  });

  test('one that is kept again takes its room once', () => {
    const texts = new RangeTexts();
    texts.set('first', 'x');
    for (let i = 0; i < 100; i++) texts.set('again', 'x'.repeat(CHARACTERS));
    assert.equal(texts.get('first'), 'x');
  });

  test('a key says version, sheet, range and what is shown', () => {
    const area = { top: 1, left: 2, bottom: 3, right: 4 };
    const keys = [
      rangeKey({ revision: 'r' }, { id: 's' }, area, 'values'),
      rangeKey({ revision: 'r' }, { id: 's' }, area, 'inputs'),
      rangeKey({ revision: 'r2' }, { id: 's' }, area, 'values'),
      rangeKey({ revision: 'r' }, { id: 's2' }, area, 'values'),
      rangeKey({ revision: 'r' }, { id: 's' }, { ...area, right: 5 }, 'values'),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });
});

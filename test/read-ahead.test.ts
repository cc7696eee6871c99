import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextTurn } from '../src/turns/next-turn.ts';
import { readAhead } from '../src/turns/read-ahead.ts';

describe('reading ahead', () => {
  /** Numbers, with a note of what is asked for and of the end. */
  async function* numbers(notes: string[], count: number, fails = false): AsyncGenerator<number> {
    try {
      for (let n = 1; n <= count; n++) {
        notes.push(`asked for ${n}`);
        yield n;
      }
      if (fails) throw new Error('no more');
    } finally {
      notes.push('ended');
    }
  }

  it('asks for the next value while the last one is used, and for no other', async () => {
    const notes: string[] = [];
    for await (const n of readAhead(numbers(notes, 3))) {
      await nextTurn();
      notes.push(`used ${n}`);
    }
    assert.deepEqual(notes, [
      'asked for 1',
      'asked for 2',
      'used 1',
      'asked for 3',
      'used 2',
      'ended',
      'used 3',
    ]);
  });

  it('ends its source where its user ends', async () => {
    const notes: string[] = [];
    for await (const n of readAhead(numbers(notes, 9))) if (n === 2) break;
    assert.deepEqual(notes, ['asked for 1', 'asked for 2', 'asked for 3', 'ended']);
  });

  it('tells an error when its turn has come, and not before', async () => {
    const used: number[] = [];
    const reading = (async () => {
      for await (const n of readAhead(numbers([], 2, true))) {
        await nextTurn();
        used.push(n);
      }
    })();
    await assert.rejects(reading, { message: 'no more' });
    assert.deepEqual(used, [1, 2]);
  });
});

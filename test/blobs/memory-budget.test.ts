import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { MemoryBudget } from '../../src/blobs/memory-budget.ts';

test('who finds too little left waits for those who came before, in order', async () => {
  const budget = new MemoryBudget(10);
  const started: string[] = [];
  const take = async (name: string, bytes: number) => {
    const giveBack = await budget.take(bytes);
    started.push(name);
    return giveBack;
  };
  const [six, seven, one] = [take('six', 6), take('seven', 7), take('one', 1)];
  await setImmediate();
  assert.deepEqual(started, ['six'], 'nobody overtakes, or large parts would wait for ever');
  (await six)();
  await setImmediate();
  assert.deepEqual(started, ['six', 'seven', 'one']);
  (await seven)();
  (await one)();
  const all = await take('more than there is', 11);
  const after = take('after', 1);
  await setImmediate();
  assert.deepEqual(started.slice(3), ['more than there is']);
  all();
  (await after)();
});

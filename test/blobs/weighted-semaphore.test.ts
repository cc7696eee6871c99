import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { WeightedSemaphore } from '../../src/blobs/s3/uploads.ts';

test('a weighted semaphore serves those that wait in the order that they came', async () => {
  const semaphore = new WeightedSemaphore(10);
  const started: string[] = [];
  const acquire = async (name: string, weight: number) => {
    const release = await semaphore.acquire(weight);
    started.push(name);
    return release;
  };
  const [six, seven, one] = [acquire('six', 6), acquire('seven', 7), acquire('one', 1)];
  await setImmediate();
  assert.deepEqual(started, ['six'], 'nobody overtakes, or large parts would wait for ever');
  (await six)();
  await setImmediate();
  assert.deepEqual(started, ['six', 'seven', 'one']);
  (await seven)();
  (await one)();
  const all = await acquire('more than the capacity', 11);
  const after = acquire('after', 1);
  await setImmediate();
  assert.deepEqual(started.slice(3), ['more than the capacity']);
  all();
  (await after)();
});

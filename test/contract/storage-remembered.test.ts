/** What is remembered is what a look-up finds, at any time. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Database } from '../../src/storage/database.ts';
import { remembered } from '../../src/storage/query/remembered.ts';
import { forEachEngine } from '../engines.ts';
import { add, type CounterDatabase, counters, openCounters } from './storage-counters.ts';

const find = remembered((tx, p: { name: string }) =>
  counters(tx).selectFrom('counters').select(['name', 'value']).where('name', '=', p.name),
);

const findOfValue = remembered((tx, p: { value: number }) =>
  counters(tx).selectFrom('counters').select(['name', 'value']).where('value', '=', p.value),
);

function valueOfCounter(database: Database, name: string): Promise<number | undefined> {
  return database.read(async (tx) => (await find(tx, { name }))[0]?.value);
}

function put(database: Database, name: string, value: number) {
  return database.write(async (tx) => {
    await counters(tx).deleteFrom('counters').where('name', '=', name).execute();
    await counters(tx).insertInto('counters').values({ name, value }).execute();
  });
}

forEachEngine((engine) => {
  let context: CounterDatabase;

  beforeEach(async () => {
    context = await openCounters(engine);
  });
  afterEach(() => context.close());

  test('what another has committed is found at once, what was not there as well', async () => {
    assert.equal(await valueOfCounter(context.database, 'a'), undefined);
    for (const value of [1, 2, 3]) {
      await put(context.database, 'a', value);
      assert.equal(await valueOfCounter(context.database, 'a'), value);
      assert.equal(await valueOfCounter(context.database, 'a'), value);
    }
  });

  test('a read keeps to its snapshot while others commit, whoever asked before', async () => {
    await put(context.database, 'a', 1);
    await valueOfCounter(context.database, 'a');
    await context.database.read(async (tx) => {
      assert.equal((await find(tx, { name: 'b' })).length, 0);
      await put(context.database, 'a', 2);
      assert.equal(await valueOfCounter(context.database, 'a'), 2);
      assert.equal((await find(tx, { name: 'a' }))[0]?.value, 1);
    });
    assert.equal(await valueOfCounter(context.database, 'a'), 2);
  });

  test('a write sees what it has changed', async () => {
    await put(context.database, 'a', 1);
    await context.database.write(async (tx) => {
      assert.equal((await find(tx, { name: 'a' }))[0]?.value, 1);
      await counters(tx).updateTable('counters').set({ value: 2 }).where('name', '=', 'a').execute();
      assert.equal((await find(tx, { name: 'a' }))[0]?.value, 2);
    });
  });

  test('the same question is asked once where the engine can tell that nothing has changed', async () => {
    await put(context.database, 'a', 1);
    const rows = () => context.database.read((tx) => find(tx, { name: 'a' }));
    const [first, second] = [await rows(), await rows()];
    assert.equal(first === second, engine === 'sqlite');
  });

  test('what is long is not remembered as often as what is short', async () => {
    const name = (i: number) => `${i} `.padEnd(1_900, 'x');
    await context.database.write(async (tx) => {
      for (let i = 0; i < 200; i++) await add(tx, name(i), i);
    });
    const rows = (i: number) => context.database.read((tx) => find(tx, { name: name(i) }));
    for (let i = 0; i < 200; i++) await rows(i);
    const [first, firstAgain] = [await rows(0), await rows(0)];
    assert.equal(first === firstAgain, engine === 'sqlite');
    const [last, lastAgain] = [await rows(199), await rows(199)];
    assert.notEqual(last, lastAgain);
    assert.equal(lastAgain[0]?.value, 199);
  });

  test('an answer that is too long leaves room for others', async () => {
    await context.database.write(async (tx) => {
      for (let i = 0; i < 300; i++) await add(tx, `${i} `.padEnd(1_900, 'x'), 7);
      await add(tx, 'short', 8);
    });
    const rows = (value: number) => context.database.read((tx) => findOfValue(tx, { value }));
    const [long, longAgain] = [await rows(7), await rows(7)];
    assert.notEqual(long, longAgain);
    assert.equal(longAgain.length, 300);
    const [short, shortAgain] = [await rows(8), await rows(8)];
    assert.equal(short === shortAgain, engine === 'sqlite');
  });

  test('different values are different questions, however many there are', async () => {
    await put(context.database, 'n1500', 7);
    await context.database.read(async (tx) => {
      for (let i = 0; i < 3_000; i++) await find(tx, { name: `n${i}` });
    });
    assert.equal(await valueOfCounter(context.database, 'n1500'), 7);
    assert.equal(await valueOfCounter(context.database, 'n1500 '.repeat(500)), undefined);
  });
});

/** Whether the rows of tables are as they were: what was read may be kept for as long as they are. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { forEachEngine } from '../engines.ts';
import { add, type CounterDatabase, counters, openCounters, setValue } from './storage-counters.ts';

/** The one table there is, which is none of the product. */
const COUNTERS = ['counters'] as unknown as Parameters<Database['versionOf']>[0];

forEachEngine((engine) => {
  let context: CounterDatabase;

  beforeEach(async () => {
    context = await openCounters(engine);
    await context.database.write((tx) => add(tx, 'a', 1));
  });
  afterEach(() => context.close());

  const version = () => context.database.versionOf(COUNTERS);
  const isSameAfter = async (work: () => Promise<unknown>) => {
    const before = version();
    await work();
    return before !== undefined && version() === before;
  };

  test('rows are the same while others are read or changed, where the engine can tell', async () => {
    const { database } = context;
    const others = () =>
      database.write((tx) =>
        tx.insertInto('workspaces').values({ id: 'w', name: '', created_at: 0 }).execute(),
      );
    const read = () => database.read((tx) => counters(tx).selectFrom('counters').selectAll().execute());
    await database.alter(async (tx) => {
      await tx.schema
        .createTable('workspaces')
        .addColumn('id', 'text')
        .addColumn('name', 'text')
        .addColumn('created_at', 'integer')
        .execute();
    });
    assert.equal(await isSameAfter(read), engine === 'sqlite');
    assert.equal(await isSameAfter(others), engine === 'sqlite');
  });

  test('they are not once a row was added, changed or removed', async () => {
    const { database } = context;
    assert.equal(await isSameAfter(() => database.write((tx) => add(tx, 'b', 1))), false);
    assert.equal(await isSameAfter(() => database.write((tx) => setValue(tx, 'a', 2))), false);
    const remove = () => database.write((tx) => counters(tx).deleteFrom('counters').execute());
    assert.equal(await isSameAfter(remove), false);
  });

  test('a change counts before anybody is told of it', async () => {
    const before = version();
    let seen = before;
    await context.database.write(async (tx) => {
      await setValue(tx, 'a', 2);
      tx.afterCommit(() => {
        seen = version();
      });
    });
    assert.ok(seen === undefined || seen !== before);
  });

  test('in a write they are what the database says, until it or one of its batch has changed any', async () => {
    const { database } = context;
    const before = version();
    const [first, changed, later] = await Promise.all([
      database.write(async (tx) => tx.versionOf(COUNTERS)),
      database.write(async (tx) => {
        await setValue(tx, 'a', 2);
        return tx.versionOf(COUNTERS);
      }),
      database.write(async (tx) => tx.versionOf(COUNTERS)),
    ]);
    assert.equal(first, before);
    assert.equal(changed, undefined);
    assert.ok(later === undefined || later !== before);
  });

  test('they are not once another process has changed any', async () => {
    const other = await openDatabase(context);
    try {
      assert.equal(await isSameAfter(() => other.write((tx) => setValue(tx, 'a', 3))), false);
    } finally {
      await other.close();
    }
  });
});

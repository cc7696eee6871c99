/** Prepared queries answer on both engines what the same queries do when they are built anew. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { WriteTransaction } from '../../src/storage/database.ts';
import { numberedInsertion, statement, takeNumber } from '../../src/storage/query/statement.ts';
import { schemaOf } from '../../src/storage/schema/schema.ts';
import { forEachEngine } from '../engines.ts';
import { type CounterDatabase, counters, openCounters } from './storage-counters.ts';

const insert = statement((tx: WriteTransaction, p: { name: string; value: number }) =>
  counters(tx).insertInto('counters').values({ name: p.name, value: p.value }),
);
const insertReturning = statement((tx: WriteTransaction, p: { name: string }) =>
  counters(tx).insertInto('counters').values({ name: p.name, value: 5 }).returning(['name', 'value']),
);
const insertNumbered = numberedInsertion((tx, p: { id: string }) =>
  tx
    .insertInto('messages')
    .values({ workspace_id: 'w', user_id: 'u', id: p.id, thread_id: null, summary: '' }),
);
const addToAll = statement((tx: WriteTransaction, p: { more: number; limit: number }) =>
  counters(tx)
    .updateTable('counters')
    .set((eb) => ({ value: eb('value', '+', p.more) }))
    .where('value', '<', p.limit),
);
const remove = statement((tx: WriteTransaction, p: { name: string }) =>
  counters(tx).deleteFrom('counters').where('name', '=', p.name),
);
const page = statement((tx, p: { after: string; limit: number }) =>
  counters(tx)
    .selectFrom('counters')
    .select(['name', 'value'])
    .where('name', '>', p.after)
    .where('value', '>=', 0)
    .orderBy('name')
    .limit(p.limit),
);
const count = statement((tx) =>
  counters(tx)
    .selectFrom('counters')
    .select((eb) => eb.fn.countAll<number>().as('n')),
);

forEachEngine((engine) => {
  let context: CounterDatabase;

  beforeEach(async () => {
    context = await openCounters(engine);
  });
  afterEach(() => context.close());

  test('values take the places of their names, call by call', async () => {
    await context.database.write(async (tx) => {
      for (const [i, name] of ['a', 'b', 'c', 'd'].entries())
        assert.equal(await insert(tx, { name, value: i }), 1);
      const first = await page(tx, { after: '', limit: 2 });
      assert.deepEqual(
        first.map((row) => ({ ...row })),
        [
          { name: 'a', value: 0 },
          { name: 'b', value: 1 },
        ],
      );
      assert.deepEqual(
        (await page(tx, { after: 'b', limit: 50 })).map((row) => row.name),
        ['c', 'd'],
      );
      assert.deepEqual(await page(tx, { after: 'x', limit: 50 }), []);
    });
    const [row] = await context.database.read((tx) => count(tx, {}));
    assert.equal(row?.n, 4);
  });

  test('an insertion into a numbered table answers the number that the row got', async () => {
    await context.database.alter(async (tx) => {
      const { numberedTable, text } = schemaOf(tx);
      await numberedTable('messages')
        .addColumn('workspace_id', text)
        .addColumn('user_id', text)
        .addColumn('id', text)
        .addColumn('thread_id', text)
        .addColumn('summary', text)
        .execute();
    });
    await context.database.write(async (tx) => {
      const first = await insertNumbered(tx, { id: 'a' });
      const taken = await takeNumber(tx, 'messages');
      assert.equal(taken === undefined, engine === 'sqlite');
      const second = await insertNumbered(tx, { id: 'b' });
      if (taken !== undefined) assert.ok(first < taken && taken < second, `${first} ${taken} ${second}`);
      const rows = await tx.selectFrom('messages').select(['id', 'number']).orderBy('number').execute();
      assert.deepEqual(
        rows.map(({ id, number }) => [id, number]),
        [
          ['a', first],
          ['b', second],
        ],
      );
    });
  });

  test('a write answers its rows where it returns them, else how many it changed', async () => {
    await context.database.write(async (tx) => {
      const [row] = await insertReturning(tx, { name: 'a' });
      assert.deepEqual({ ...row }, { name: 'a', value: 5 });
      await insert(tx, { name: 'b', value: 9 });
      assert.equal(await addToAll(tx, { more: 2, limit: 9 }), 1);
      assert.equal(await addToAll(tx, { more: 0, limit: 100 }), 2);
      assert.equal(await remove(tx, { name: 'nobody' }), 0);
      assert.equal(await remove(tx, { name: 'a' }), 1);
      assert.equal((await page(tx, { after: '', limit: 9 }))[0]?.value, 9);
    });
  });

  test('values are named one by one, because nothing else is known of them', async () => {
    const spread = statement((tx: WriteTransaction, p: { name: string; value: number }) =>
      counters(tx)
        .insertInto('counters')
        .values({ ...p }),
    );
    await assert.rejects(
      context.database.write((tx) => spread(tx, { name: 'a', value: 1 })),
      /name each/,
    );
  });
});

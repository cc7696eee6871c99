/** What the storage port promises, kept by both engines. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import {
  type ReadTransaction,
  StorageUnavailable,
  type WriteTransaction,
} from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { schemaOf } from '../../src/storage/schema/schema.ts';
import type { StorageEngine } from '../../src/storage/schema/schema-transaction.ts';
import { putClock } from '../clock.ts';
import { forEachEngine } from '../engines.ts';
import { lockNamed } from '../lock-named.ts';
import {
  add,
  type CounterDatabase,
  counters,
  namesIn,
  openCounters,
  readValue,
  setValue,
} from './storage-counters.ts';

class Refusal extends Error {}

function insertion(tx: WriteTransaction, name: string, value = 0) {
  return counters(tx).insertInto('counters').values({ name, value });
}

forEachEngine((engine) => {
  let context: CounterDatabase;
  let database: StorageEngine;

  beforeEach(async () => {
    context = await openCounters(engine);
    database = context.database;
  });
  afterEach(() => context.close());

  test('what was written is there for the next read, and after the database was opened again', async () => {
    await database.write((tx) => add(tx, 'a', 7));
    assert.equal(await database.read((tx) => readValue(tx, 'a')), 7);
    await database.close();
    const again = await openDatabase(context);
    assert.equal(await again.read((tx) => readValue(tx, 'a')), 7);
    await again.close();
  });

  test('write and read answer what their work answers, and reject with what it throws', async () => {
    assert.equal(await database.write(async () => 'written'), 'written');
    assert.equal(await database.read(async () => 'read'), 'read');
    const refusal = new Refusal();
    const refuse = () => Promise.reject(refusal);
    await assert.rejects(database.write(refuse), (error) => error === refusal);
    await assert.rejects(database.read(refuse), (error) => error === refusal);
  });

  test('the time goes on, and on PostgreSQL no node puts it', async (t) => {
    const first = await database.write((tx) => tx.now());
    assert.ok(Number.isSafeInteger(first), `${first} milliseconds`);
    const ahead = 3_600_000;
    putClock(t, ahead);
    const second = await database.read((tx) => tx.now());
    const isPut = second - first >= ahead;
    assert.deepEqual([isPut, second >= first], [engine === 'sqlite', true]);
  });

  test('of works at the same time those that fail leave nothing behind, and the others stay', async () => {
    const writes = Array.from({ length: 40 }, (_, i) =>
      database.write(async (tx) => {
        await add(tx, `w${String(i).padStart(2, '0')}`);
        if (i % 2 === 1) throw new Refusal();
      }),
    );
    const outcomes = await Promise.allSettled(writes);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      writes.map((_, i) => (i % 2 === 1 ? 'rejected' : 'fulfilled')),
    );
    const kept = writes.map((_, i) => `w${String(i).padStart(2, '0')}`).filter((_, i) => i % 2 === 0);
    assert.deepEqual(await namesIn(database), kept);
  });

  test('a work that goes on after a failed statement cannot succeed', async () => {
    const violation = (tx: WriteTransaction) => add(tx, 'negative', -1).catch(() => undefined);
    const write = database.write(async (tx) => {
      await add(tx, 'before');
      await violation(tx);
    });
    await assert.rejects(write, /check/i);
    await assert.rejects(
      database.write(async (tx) => {
        await violation(tx);
        await add(tx, 'after');
      }),
      /earlier statement failed/,
    );
    assert.deepEqual(await namesIn(database), []);
  });

  test('a failed attempt is undone alone, an outer one with all within', async () => {
    await database.write(async (tx) => {
      await add(tx, 'before');
      await assert.rejects(tx.attempt(() => add(tx, 'negative', -1)));
      await assert.rejects(
        tx.attempt(async () => {
          await tx.attempt(() => add(tx, 'inner'));
          throw new Refusal();
        }),
        Refusal,
      );
      await tx.attempt(async () => {
        await assert.rejects(tx.attempt(() => add(tx, 'before')));
        await add(tx, 'kept');
      });
      assert.equal(await tx.attempt(async () => 'answer'), 'answer');
      await add(tx, 'after');
    });
    assert.deepEqual(await namesIn(database), ['after', 'before', 'kept']);
  });

  test('what is sent is seen by later statements, and stored', async () => {
    await database.write(async (tx) => {
      await tx.send(insertion(tx, 'a', 1));
      assert.equal(await readValue(tx, 'a'), 1);
      await tx.attempt(() => tx.send(insertion(tx, 'b', 2)));
      await tx.send(counters(tx).updateTable('counters').set({ value: 3 }).where('name', '=', 'b'));
      for (let i = 0; i < 100; i++) await tx.send(insertion(tx, `c${i}`));
    });
    assert.equal(await database.read((tx) => readValue(tx, 'b')), 3);
    assert.equal((await namesIn(database)).length, 102);
  });

  test('something sent that fails lets nothing of its transaction stay, and is its error', async () => {
    let actions = 0;
    const fails = (tx: WriteTransaction) => tx.send(insertion(tx, 'negative', -1));
    const works: ((tx: WriteTransaction) => Promise<unknown>)[] = [
      fails,
      async (tx) => {
        await fails(tx);
        await tx.settled();
      },
      async (tx) => {
        await fails(tx);
        await tx.send(insertion(tx, 'after'));
        await tx.send(insertion(tx, 'later'));
      },
      async (tx) => {
        await fails(tx).catch(() => undefined);
        await tx.settled().catch(() => undefined);
      },
      (tx) => tx.attempt(() => fails(tx)),
    ];
    for (const work of works) {
      const write = database.write(async (tx) => {
        tx.afterCommit(() => actions++);
        await tx.send(insertion(tx, 'before'));
        await work(tx);
      });
      await assert.rejects(write, /check/i);
    }
    assert.deepEqual([await namesIn(database), actions], [[], 0]);
  });

  test('an attempt that fails undoes what it sent, also where that failed', async () => {
    await database.write(async (tx) => {
      for (const value of [1, -1]) {
        const attempt = tx.attempt(async () => {
          await tx.send(insertion(tx, 'undone', value)).catch(() => undefined);
          throw new Refusal();
        });
        await assert.rejects(attempt, Refusal);
      }
      await tx.send(insertion(tx, 'kept'));
    });
    assert.deepEqual(await namesIn(database), ['kept']);
  });

  test('actions run once what they belong to is durable, in order, and never when it is undone', async () => {
    const ran: string[] = [];
    const write = database.write(async (tx) => {
      tx.afterCommit(() => ran.push('first'));
      await add(tx, 'a');
      await assert.rejects(
        tx.attempt(() => {
          tx.afterCommit(() => ran.push('undone'));
          return Promise.reject(new Refusal());
        }),
      );
      await tx.attempt(async () => tx.afterCommit(() => ran.push('second')));
      assert.deepEqual(ran, []);
    });
    await write;
    assert.deepEqual(ran, ['first', 'second']);
    await assert.rejects(
      database.write(async (tx) => {
        tx.afterCommit(() => ran.push('undone'));
        throw new Refusal();
      }),
    );
    assert.deepEqual(ran, ['first', 'second']);
  });

  test('fifty writers that lock a scope lose no update', async () => {
    await database.write((tx) => add(tx, 'shared'));
    const increment = async (tx: WriteTransaction) => {
      await tx.lock(lockNamed('shared counter'));
      await setValue(tx, 'shared', Number(await readValue(tx, 'shared')) + 1);
    };
    await Promise.all(Array.from({ length: 50 }, () => database.write(increment)));
    assert.equal(await database.read((tx) => readValue(tx, 'shared')), 50);
  });

  test('a read sees one moment, whatever is written meanwhile', async () => {
    await database.write((tx) => add(tx, 'a', 1));
    const seen = await database.read(async (tx) => {
      const before = await readValue(tx, 'a');
      await database.write((write) => setValue(write, 'a', 2));
      return [before, await readValue(tx, 'a')];
    });
    assert.deepEqual(seen, [1, 1]);
    assert.equal(await database.read((tx) => readValue(tx, 'a')), 2);
  });

  test('a read cannot write', async () => {
    await assert.rejects(
      database.read((tx) => tx.executeQuery(CompiledQuery.raw("insert into counters values ('a', 1)"))),
      (error: Error) => /read-?only/i.test(`${error.message} ${error.cause}`),
    );
    assert.deepEqual(await namesIn(database), []);
  });

  test('a transaction that has ended refuses, instead of writing into another one', async () => {
    let leaked: ReadTransaction | undefined;
    await database.write(async (tx) => {
      leaked = tx;
    });
    const late = leaked;
    assert.ok(late);
    await assert.rejects(add(late, 'late'), /has ended/);
    assert.deepEqual(await namesIn(database), []);
  });

  test('a write within the work of another is refused at once', async () => {
    const isOver = Promise.withResolvers<void>();
    let left: Promise<void> | undefined;
    await database.write(async (tx) => {
      const inner = database.write((other) => add(other, 'inner'));
      await assert.rejects(inner, /within the work of another/);
      await add(tx, 'outer');
      left = isOver.promise.then(() => database.write((other) => add(other, 'left running')));
    });
    isOver.resolve();
    await left;
    assert.deepEqual(await namesIn(database), ['left running', 'outer']);
  });

  test('text is ordered by its bytes', async () => {
    const ordered = ['', 'A', 'Z', 'a', 'a b', 'aB', 'ab', 'z', 'É', 'é', '\u{ffff}', '\u{1f600}'];
    for (const name of ordered.toReversed()) await database.write((tx) => add(tx, name));
    assert.deepEqual(await namesIn(database), ordered);
  });

  test('numbers, bytes and null come back as they went in; counts and sums are numbers', async () => {
    await database.alter(async (tx) => {
      const { table, integer, real, bytes } = schemaOf(tx);
      await table('kinds').addColumn('i', integer).addColumn('r', real).addColumn('b', bytes).execute();
      const i = Number.MAX_SAFE_INTEGER;
      await tx
        .insertInto('kinds')
        .values({ i, r: 0.1, b: new Uint8Array([0, 255]) })
        .execute();
      const { rows } = await sql<Record<string, unknown>>`
        select i, r, b, null as n, count(*) over () as c, sum(i) over () as s, ${7} / 2 as q from kinds`.execute(
        tx,
      );
      const { b, ...numbers } = { ...rows[0] };
      assert.deepEqual(numbers, { i, r: 0.1, n: null, c: 1, s: i, q: 3 });
      assert.ok(b instanceof Uint8Array);
      assert.deepEqual([...b], [0, 255]);
    });
  });

  test('a number that cannot be exact is refused', async () => {
    await assert.rejects(
      database.read((tx) => sql`select 9007199254740993 as n`.execute(tx)),
      RangeError,
    );
  });

  test('counts of changed rows are told', async () => {
    await database.write(async (tx) => {
      await add(tx, 'a');
      await add(tx, 'b');
      const [result] = await counters(tx).updateTable('counters').set({ value: 1 }).execute();
      assert.equal(result?.numUpdatedRows, 2n);
    });
  });

  test('many different statements, more than are kept prepared', async () => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 700; i++) {
        const { rows } = await database.read((tx) =>
          sql<{ n: number }>`select ${sql.lit(i)} as n`.execute(tx),
        );
        assert.equal(rows[0]?.n, i);
      }
    }
  });

  test('check answers; closing lets what runs finish and then refuses', async () => {
    await database.check();
    const write = database.write((tx) => add(tx, 'last'));
    const read = database.read((tx) => readValue(tx, 'last'));
    const closed = database.close();
    await assert.doesNotReject(write);
    await assert.doesNotReject(read);
    await closed;
    await assert.rejects(
      database.write((tx) => add(tx, 'late')),
      StorageUnavailable,
    );
    await assert.rejects(
      database.read((tx) => readValue(tx, 'late')),
      StorageUnavailable,
    );
    await assert.rejects(database.check(), StorageUnavailable);
    await database.close();
  });
});

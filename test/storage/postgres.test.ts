/** What only PostgreSQL, and the way to it, can do wrong. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import {
  LostRace,
  type ReadTransaction,
  StorageUnavailable,
  type WriteTransaction,
} from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres/postgres.ts';
import { StatementNames } from '../../src/storage/postgres/session.ts';
import type { StorageEngine } from '../../src/storage/schema/schema-transaction.ts';
import {
  add,
  type CounterDatabase,
  counters,
  namesIn,
  openCounters,
  readValue,
  setValue,
} from '../contract/storage-counters.ts';
import { lockNamed } from '../lock-named.ts';
import { type PostgresProxy, startProxy } from './postgres-proxy.ts';

const UNKNOWN = (error: Error) => error instanceof StorageUnavailable && error.message.includes('unknown');

let context: CounterDatabase;
let proxy: PostgresProxy;
/** Reaches the server through the proxy; the one of the context directly. */
let database: StorageEngine;

beforeEach(async () => {
  context = await openCounters('postgres');
  proxy = await startProxy(context.databaseUrl ?? '');
  database = openPostgres(proxy.url);
});
afterEach(async () => {
  await database.close();
  await proxy.close();
  await context.close();
});

function raise(tx: ReadTransaction, state: string): Promise<unknown> {
  return sql`do ${sql.lit(`begin raise exception using errcode = '${state}'; end`)}`.execute(tx);
}

function raising(state: string) {
  return CompiledQuery.raw(`do $$begin raise exception using errcode = '${state}'; end$$`);
}

function insertion(tx: WriteTransaction, name: string) {
  return counters(tx).insertInto('counters').values({ name, value: 0 });
}

function isCommit(sent: Buffer): boolean {
  return sent.includes('commit\0');
}

test('a work that says that it lost a race is run again, and nothing of before is kept', async () => {
  let runs = 0;
  let actions = 0;
  await database.write(async (tx) => {
    tx.afterCommit(() => actions++);
    await add(tx, 'a', 1);
    if (++runs < 3) throw new LostRace('another came between');
  });
  assert.equal(await database.read((tx) => readValue(tx, 'a')), 1);
  assert.deepEqual([runs, actions], [3, 1]);
});

for (const state of ['40001', '40P01']) {
  test(`a transaction that lost a race (${state}) is tried again, even where its work hides that`, async () => {
    let runs = 0;
    let actions = 0;
    await database.write(async (tx) => {
      tx.afterCommit(() => actions++);
      await add(tx, `run ${++runs}`);
      if (runs === 1) await raise(tx, state);
      if (runs === 2) await raise(tx, state).catch(() => undefined);
      if (runs === 3) await tx.attempt(() => raise(tx, state)).catch(() => undefined);
    });
    assert.equal(runs, 4);
    assert.equal(actions, 1);
    assert.deepEqual(await namesIn(database), ['run 4']);
  });
}

test('writers that lock each other out both succeed', async () => {
  let locked = 0;
  const both = Promise.withResolvers<void>();
  const lockBoth = (scopes: string[]) =>
    database.write(async (tx) => {
      for (const scope of scopes) {
        await tx.lock(lockNamed(scope));
        await tx.settled();
        if (++locked === 2) both.resolve();
        await both.promise;
      }
      await add(tx, scopes.join());
    });
  await Promise.all([lockBoth(['a', 'b']), lockBoth(['b', 'a'])]);
  assert.deepEqual(await namesIn(database), ['a,b', 'b,a']);
  assert.ok(locked > 4, 'one of them had to start again');
});

test('writers of the same row wait for each other, whether they lock or not', async () => {
  await database.write((tx) => add(tx, 'shared'));
  const increment = (tx: WriteTransaction) =>
    sql`update counters set value = value + 1 where name = 'shared'`.execute(tx);
  await Promise.all(Array.from({ length: 50 }, () => database.write(increment)));
  assert.equal(await database.read((tx) => readValue(tx, 'shared')), 50);
});

test('a connection that breaks before the commit costs another run, not the write', async () => {
  let runs = 0;
  await database.write(async (tx) => {
    await add(tx, `run ${++runs}`);
    if (runs === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
  });
  assert.deepEqual(await namesIn(database), ['run 2']);
});

/** In a transaction of its own. */
async function addByAnother(name: string): Promise<void> {
  const client = new pg.Client(context.databaseUrl ?? '');
  await client.connect();
  await client.query('insert into counters values ($1, 0)', [name]);
  await client.end();
}

test('a claim of what another has stored meanwhile costs another run, and nothing of before is kept', async () => {
  let runs = 0;
  await database.write(async (tx) => {
    const isTaken = (await readValue(tx, 'claimed')) !== undefined;
    if (++runs === 1) await addByAnother('claimed');
    await tx.send(insertion(tx, `run ${runs}`));
    if (!isTaken) await tx.claim(insertion(tx, 'claimed'));
  });
  assert.deepEqual([runs, await namesIn(database)], [2, ['claimed', 'run 2']]);
});

for (const state of ['40001', '40P01']) {
  test(`a transaction that lost a race (${state}) in what was sent with its commit is tried again`, async () => {
    let runs = 0;
    await database.write(async (tx) => {
      await tx.send(insertion(tx, `run ${++runs}`));
      if (runs === 1) await tx.send(raising(state));
    });
    assert.deepEqual([runs, await namesIn(database)], [2, ['run 2']]);
  });
}

test('a connection that breaks while the last statements are on their way with the commit: refused as unknown', async () => {
  let runs = 0;
  proxy.cutsBefore = (sent) => sent.includes('a last one');
  const write = database.write(async (tx) => {
    runs++;
    await tx.send(insertion(tx, 'a last one'));
  });
  await assert.rejects(write, UNKNOWN);
  assert.equal(runs, 1);
});

test('a statement, a lock and the commit are sent together', async () => {
  await database.write((tx) => readValue(tx, 'a'));
  const chunks: Buffer[] = [];
  proxy.cutsBefore = (sent) => {
    chunks.push(sent);
    return false;
  };
  await database.write(async (tx) => {
    await tx.lock(lockNamed('scope'));
    await tx.send(insertion(tx, 'a'));
  });
  assert.equal(chunks.filter((chunk) => chunk.includes('begin') || isCommit(chunk)).length, 1);
});

test('connections that break while nobody uses them are replaced', async () => {
  await Promise.all(Array.from({ length: 5 }, (_, i) => database.write((tx) => add(tx, `${i}`))));
  await context.database.write((tx) =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(tx),
  );
  assert.equal((await namesIn(database)).length, 5);
});

test('a connection that breaks in the middle of the commit: refused as unknown, and not run again', async () => {
  let runs = 0;
  const write = () => database.write((tx) => add(tx, `run ${++runs}`));
  proxy.cutsBefore = isCommit;
  await assert.rejects(write(), UNKNOWN);
  proxy.cutsBefore = () => false;
  proxy.cutsAfter = isCommit;
  await assert.rejects(write(), UNKNOWN);
  proxy.cutsAfter = () => false;
  assert.equal(runs, 2);
  // The server never saw the first commit, and did the second.
  assert.deepEqual(await namesIn(database), ['run 2']);
});

test('without a server everything is refused as unavailable; when it is back everything goes on', async () => {
  await database.write((tx) => add(tx, 'before'));
  proxy.breakDown();
  await assert.rejects(namesIn(database), StorageUnavailable);
  await assert.rejects(
    database.write((tx) => add(tx, 'lost')),
    StorageUnavailable,
  );
  await assert.rejects(database.check(), StorageUnavailable);
  proxy.resume();
  await database.check();
  await database.write((tx) => add(tx, 'after'));
  assert.deepEqual(await namesIn(database), ['after', 'before']);
});

test('a server that does not answer in time counts as lost', async () => {
  const impatient = openPostgres(proxy.url, { statementTimeoutMs: 2_000 });
  const asleep = impatient.read((tx) => sql`select pg_sleep(3600)`.execute(tx));
  await assert.rejects(asleep, StorageUnavailable);
  await impatient.check();
  await impatient.close();
});

test('a full server refuses as unavailable', async () => {
  await assert.rejects(
    database.write((tx) => raise(tx, '53100')),
    StorageUnavailable,
  );
});

test('more callers than connections', async () => {
  const narrow = openPostgres(context.databaseUrl ?? '', { connections: 2 });
  await Promise.all(Array.from({ length: 40 }, (_, i) => narrow.write((tx) => add(tx, `${i}`))));
  assert.equal((await namesIn(narrow)).length, 40);
  await narrow.close();
});

test('a constraint that the commit finds broken is the error of its writer', async () => {
  await database.alter((tx) =>
    sql`create table pairs (id bigint primary key, other bigint references pairs deferrable initially deferred)`.execute(
      tx,
    ),
  );
  await assert.rejects(
    database.write((tx) => sql`insert into pairs values (1, 2)`.execute(tx)),
    /foreign key/,
  );
});

test('a lock is held until what was written under it can be seen', async () => {
  await database.write((tx) => add(tx, 'shared'));
  const seen: number[] = [];
  const next = async (tx: WriteTransaction) => {
    await tx.lock(lockNamed('shared'));
    const value = Number(await readValue(tx, 'shared'));
    await setValue(tx, 'shared', value + 1);
    tx.afterCommit(() => seen.push(value));
  };
  await Promise.all(Array.from({ length: 20 }, () => database.write(next)));
  assert.deepEqual(
    seen.toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, i) => i),
  );
});

test('a statement that comes again is kept prepared', async () => {
  const single = openPostgres(context.databaseUrl ?? '', { connections: 1 });
  for (let i = 0; i < 3; i++) await single.read((tx) => readValue(tx, 'a'));
  const { rows } = await single.read((tx) =>
    sql`select name from pg_prepared_statements where statement like '%counters%'`.execute(tx),
  );
  assert.deepEqual(rows, [{ name: 'atrium_1' }]);
  await single.close();
});

test('the number of statements that are kept prepared has a bound', () => {
  const names = new StatementNames();
  const texts = Array.from({ length: 1_000 }, (_, i) => `select ${i}`);
  assert.equal(names.nameOf('select 1000'), undefined);
  for (const text of texts) for (let i = 0; i < 2; i++) names.nameOf(text);
  const kept = texts.map((text) => names.nameOf(text)).filter((name) => name !== undefined);
  assert.equal(new Set(kept).size, 300);
  assert.deepEqual(
    texts.map((text) => names.nameOf(text)).filter((name) => name !== undefined),
    kept,
  );
});

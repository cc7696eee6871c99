/** What only SQLite can do wrong. */
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { StorageUnavailable } from '../../src/storage/database.ts';
import { schemaOf } from '../../src/storage/schema/schema.ts';
import type { StorageEngine } from '../../src/storage/schema/schema-transaction.ts';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { currentUser, onBehalfOf } from '../../src/turns/current-user.ts';
import {
  add,
  type CounterDatabase,
  counters,
  createCounters,
  namesIn,
  openCounters,
  readValue,
} from '../contract/storage-counters.ts';
import { eventually } from '../eventually.ts';

const MEBIBYTE = 1024 * 1024;

let context: CounterDatabase;
let database: StorageEngine;
let path: string;

beforeEach(async () => {
  context = await openCounters('sqlite');
  database = context.database;
  path = join(context.dataDir, 'atrium.sqlite');
});
afterEach(() => context.close());

function put(name: string): Promise<void> {
  return database.write((tx) => add(tx, name));
}

async function createBlobs(): Promise<void> {
  await database.alter(async (tx) => {
    const { table, integer, bytes } = schemaOf(tx);
    await table('blobs')
      .addColumn('id', integer, (c) => c.primaryKey())
      .addColumn('content', bytes)
      .execute();
  });
}

function addBlob(bytes: number): Promise<unknown> {
  return database.write((tx) => sql`insert into blobs (content) values (zeroblob(${bytes}))`.execute(tx));
}

function setLargestFile(pages: number): Promise<unknown> {
  return database.alter((tx) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(tx));
}

test('a full database: the writes are refused as unavailable, reads go on, and so do writes when there is room', async () => {
  await createBlobs();
  await put('before');
  await setLargestFile(100);
  const outcomes = await Promise.allSettled([addBlob(MEBIBYTE), put('a'), addBlob(MEBIBYTE), put('b')]);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.ok(refused.length >= 2);
  for (const reason of refused) assert.ok(reason instanceof StorageUnavailable, String(reason));
  const kept = ['a', 'b'].filter((_, i) => outcomes[2 * i + 1]?.status === 'fulfilled');
  assert.deepEqual(await namesIn(database), [...kept, 'before']);
  await setLargestFile(1_000_000);
  await addBlob(MEBIBYTE);
  await put('c');
  assert.deepEqual(await namesIn(database), [...kept, 'before', 'c']);
});

test('while another process writes, writes wait without holding up the event loop', async () => {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const write = put('waited');
  // Were the event loop held up at each try, the write would have been refused when so many turns are over.
  for (let turns = 0; turns < 20; turns++) await sleep(5);
  assert.deepEqual(await namesIn(database), []);
  other.exec('commit');
  await write;
  assert.deepEqual(await namesIn(database), ['waited']);
  other.close();
});

test('when another process never stops writing, writes are refused in the end', async (t) => {
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const { now } = performance;
  let offset = 0;
  t.mock.method(performance, 'now', () => now.call(performance) + offset);
  const write = put('refused');
  await sleep(20);
  offset = 60_000;
  await assert.rejects(write, StorageUnavailable);
  other.exec('rollback');
  await put('kept');
  assert.deepEqual(await namesIn(database), ['kept']);
  other.close();
});

test('a server that always has writes waiting lets other processes write in between', async () => {
  let running = true;
  const busy = Array.from({ length: 1_500 }, async (_, client) => {
    for (let i = 0; running; i++) await put(`${client} ${i}`);
  });
  await sleep(20);
  const other = new DatabaseSync(path);
  await eventually(() => tryToWrite(other), 'another process has its turn').finally(() => {
    running = false;
  });
  await Promise.all(busy);
  other.close();
});

function tryToWrite(other: DatabaseSync): boolean {
  try {
    other.exec("insert into counters values ('other process', 0)");
    return true;
  } catch {
    return false;
  }
}

test('under lasting writes the log stays small', async () => {
  await createBlobs();
  let largest = 0;
  for (let i = 0; i < 100; i++) {
    await Promise.all([addBlob(MEBIBYTE / 2), addBlob(MEBIBYTE / 2)]);
    largest = Math.max(largest, statSync(`${path}-wal`).size);
  }
  assert.ok(largest < 48 * MEBIBYTE, `the log grew to ${largest} bytes`);
});

test('a long read does not stop writes, and the log is cut back after it', async () => {
  await createBlobs();
  const end = Promise.withResolvers<void>();
  const reading = database.read(async (tx) => {
    const before = await readValue(tx, 'none');
    await end.promise;
    return before;
  });
  for (let i = 0; i < 80; i++) await addBlob(MEBIBYTE);
  assert.ok(statSync(`${path}-wal`).size > 64 * MEBIBYTE);
  end.resolve();
  await reading;
  for (let i = 0; i < 40; i++) await addBlob(MEBIBYTE);
  assert.ok(statSync(`${path}-wal`).size <= 64 * MEBIBYTE);
});

test('closing leaves one file', async () => {
  await put('a');
  await database.close();
  assert.throws(() => statSync(`${path}-wal`), /ENOENT/);
  assert.throws(() => statSync(`${path}-shm`), /ENOENT/);
});

test('a batch in which works fail is done once more, however many of them fail', async () => {
  const runs = Array.from({ length: 40 }, () => 0);
  const writes = runs.map((_, i) =>
    database.write(async (tx) => {
      runs[i] = (runs[i] ?? 0) + 1;
      await add(tx, `w${String(i).padStart(2, '0')}`);
      if (i % 2 === 1) throw new Error('refused');
    }),
  );
  const outcomes = await Promise.allSettled(writes);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    writes.map((_, i) => (i % 2 === 1 ? 'rejected' : 'fulfilled')),
  );
  assert.equal((await namesIn(database)).length, 20);
  assert.ok(Math.max(...runs) <= 2, `they ran ${runs} times`);
});

test('after a failure, those that come next and fail undo nobody', async () => {
  let runs = 0;
  const pair = (name: string) =>
    Promise.allSettled([
      database.write(async (tx) => {
        runs++;
        await add(tx, name);
      }),
      database.write(() => Promise.reject(new Error('refused'))),
    ]);
  await pair('a');
  assert.equal(runs, 2);
  for (const name of ['b', 'c', 'd']) await pair(name);
  assert.equal(runs, 5);
  assert.deepEqual(await namesIn(database), ['a', 'b', 'c', 'd']);
});

/** Longer than a batch takes on works. */
async function takeLong(): Promise<void> {
  for (const start = performance.now(); performance.now() < start + 30; ) await nextTurn();
}

test('who has had less of the writer comes first, and the writes of one keep their order', async () => {
  const order: string[] = [];
  const write = (whom: string, name: string) =>
    onBehalfOf(whom, () =>
      database.write(async () => {
        order.push(name);
        await takeLong();
      }),
    );
  const busy = [1, 2, 3, 4].map((number) => write('busy', `busy ${number}`));
  await busy[0];
  await Promise.all([...busy, write('other', 'other 1'), write('other', 'other 2')]);
  const [first, others] = [order.indexOf('other 1'), order.filter((name) => name.startsWith('busy'))];
  assert.ok(first <= 2, `${order}`);
  assert.ok(first < order.indexOf('other 2'), `${order}`);
  assert.deepEqual(others, ['busy 1', 'busy 2', 'busy 3', 'busy 4']);
});

test('writes that are repeated come before those of others', async () => {
  const order: string[] = [];
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const write = (whom: string, refusal?: Error) =>
    onBehalfOf(whom, () =>
      database.write(async () => {
        order.push(whom);
        begin();
        await nextTurn();
        if (refusal) throw refusal;
      }),
    );
  const first = Promise.allSettled([write('busy'), write('refused', new Error('refused'))]);
  await hasBegun;
  await write('other');
  assert.deepEqual(
    (await first).map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  assert.deepEqual(order, ['busy', 'refused', 'busy', 'refused', 'other']);
});

test('each write is done in the name of who has sent it', async () => {
  const names = ['', 'a', 'b', 'a'];
  const seen = await Promise.all(
    names.map((name) => onBehalfOf(name, () => database.write(async () => currentUser()))),
  );
  assert.deepEqual(seen, names);
});

/** Reads that go on until they are told to end, each begun in a turn of its own. */
async function longReads(whom: string, count: number) {
  const { promise: end, resolve: endAll } = Promise.withResolvers<void>();
  let begun = 0;
  const reads: Promise<unknown>[] = [];
  for (let i = 0; i < count; i++) {
    const read = () =>
      database.read(async (tx) => {
        begun++;
        await end;
        return readValue(tx, 'any');
      });
    reads.push(onBehalfOf(whom, read));
    await nextTurn();
  }
  const endReads = () => {
    endAll();
    return Promise.all(reads);
  };
  return { begun: () => begun, endReads };
}

test('however many reads of one user take long, those of another find a connection', async () => {
  const busy = await longReads('busy', 40);
  assert.ok(busy.begun() < 16, `${busy.begun()} had begun`);
  await onBehalfOf('other', () => database.read((tx) => readValue(tx, 'any')));
  await busy.endReads();
  assert.equal(busy.begun(), 40);
});

test('however many reads of users take long, the server itself finds a connection', async () => {
  const users = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((whom) => longReads(whom, 8)));
  await database.read((tx) => readValue(tx, 'any'));
  for (const { endReads } of users) await endReads();
});

test("a read that has joined another one counts as its own user's once that one is over", async () => {
  const { promise: end, resolve: endLong } = Promise.withResolvers<void>();
  const joined: Promise<void>[] = [];
  for (let i = 0; i < 8; i++) {
    const short = onBehalfOf('other', () => database.read((tx) => readValue(tx, 'any')));
    joined.push(onBehalfOf('busy', () => database.read(() => end)));
    await short;
    await nextTurn();
  }
  await onBehalfOf('other', () => database.read((tx) => readValue(tx, 'any')));
  endLong();
  await Promise.all(joined);
});

test('a batch that fails at COMMIT fails only for those who are to blame', async () => {
  await database.alter(async (tx) => {
    await sql`create table parents (id integer primary key) strict`.execute(tx);
    await sql`create table children (parent integer references parents (id) deferrable initially deferred) strict`.execute(
      tx,
    );
  });
  const outcomes = await Promise.allSettled([
    put('a'),
    database.write((tx) => sql`insert into children values (7)`.execute(tx)),
    put('b'),
  ]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(await namesIn(database), ['a', 'b']);
});

test('a long transaction lets the event loop turn', async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  await database.write(async (tx) => {
    for (let i = 0; i < 5_000; i++)
      await counters(tx)
        .insertInto('counters')
        .values({ name: `${i}`, value: i })
        .execute();
  });
  clearInterval(ticking);
  assert.ok(turns > 3, `only ${turns} turns`);
});

/** Fails before the event loop has turned, but not before other statements have been sent. */
async function failSoon(): Promise<never> {
  for (let i = 0; i < 20; i++) await undefined;
  throw new Error('early');
}

test('a statement that a failed work left under way is not run with the next work', async () => {
  const failing = database.write(async (tx) => {
    for (const start = performance.now(); performance.now() < start + 12; );
    await Promise.all([add(tx, 'stray'), failSoon()]);
  });
  const next = database.write(async (tx) => {
    await add(tx, 'next');
    await sleep(20);
  });
  await assert.rejects(failing, /early/);
  await next;
  assert.deepEqual(await namesIn(database), ['next']);
});

test('writes that come turn after turn share a sync', async (t) => {
  t.mock.method(performance, 'now', () => 0);
  let syncs = 0;
  const counted = await openSqlite(join(context.dataDir, 'counted.sqlite'), async () => ({
    sync: async () => void syncs++,
    close: async () => undefined,
  }));
  await createCounters(counted);
  const before = syncs;
  const writes = [counted.write((tx) => add(tx, 'first'))];
  for (let i = 0; i < 4; i++) {
    writes.push(counted.write((tx) => add(tx, `later ${i}`)));
    await nextTurn();
  }
  await Promise.all(writes);
  assert.equal(syncs - before, 1);
  await counted.close();
});

test('of the statements that are kept prepared the oldest are let go', async (t) => {
  const close = t.mock.method(StatementSync.prototype as StatementSync & { close(): void }, 'close');
  for (let i = 0; i < 700; i++) await database.read((tx) => sql`select ${sql.lit(i)}`.execute(tx));
  assert.ok(close.mock.callCount() >= 200);
});

test('a read sees what was kept before it, also beside one that began earlier in the same turn', async () => {
  const instant = await openSqlite(join(context.dataDir, 'instant.sqlite'), async () => ({
    sync: async () => undefined,
    close: async () => undefined,
  }));
  await createCounters(instant);
  await nextTurn();
  const earlier = nextTurn().then(() => namesIn(instant));
  await instant.write((tx) => add(tx, 'kept'));
  assert.deepEqual(await namesIn(instant), ['kept']);
  assert.deepEqual(await earlier, []);
  await instant.close();
});

test('a read that begins after tables were found unchanged sees what they were found with', async () => {
  await put('ours');
  await namesIn(database);
  await nextTurn();
  const other = new DatabaseSync(path);
  await namesIn(database);
  other.exec("insert into counters values ('theirs', 0)");
  other.close();
  database.versionOf([]);
  assert.deepEqual(await namesIn(database), ['ours', 'theirs']);
});

test('from the moment that a write begins, what others have committed before counts', async (t) => {
  const other = new DatabaseSync(path);
  const before = database.versionOf([]);
  other.exec("insert into counters values ('theirs', 0)");
  other.close();
  const during: unknown[] = [];
  const run = StatementSync.prototype.run;
  t.mock.method(
    StatementSync.prototype,
    'run',
    function (this: StatementSync, ...values: Parameters<typeof run>) {
      if (this.sourceSQL === 'begin immediate') queueMicrotask(() => during.push(database.versionOf([])));
      return run.apply(this, values);
    },
  );
  await put('ours');
  assert.equal(during.length, 1);
  assert.notEqual(during[0], before);
});

test('reads of one turn share a connection from the first one on, and closing closes them all', async () => {
  const alone = join(context.dataDir, 'alone.sqlite');
  const opened = await openSqlite(alone);
  await createCounters(opened);
  await nextTurn();
  const before = filesOpen(alone);
  await Promise.all(Array.from({ length: 20 }, () => namesIn(opened)));
  const during = filesOpen(alone);
  await opened.close();
  assert.equal(during - before, 1);
  assert.equal(filesOpen(alone), 0);
});

/** How often this process has the file itself open. */
function filesOpen(file: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(join('/proc/self/fd', fd)) === file;
    } catch {
      return false;
    }
  }).length;
}

test('a batch that is full waits for nobody', async (t) => {
  t.mock.method(performance, 'now', () => 0);
  let done = false;
  const first = database
    .write((tx) => add(tx, 'first'))
    .then(() => {
      done = true;
    });
  const writes: Promise<unknown>[] = [first];
  for (let i = 0; i < 3_000 && !done; i++) {
    writes.push(database.write((tx) => add(tx, `later ${i}`)));
    await nextTurn();
  }
  assert.ok(done, 'the first was answered while others went on coming');
  await Promise.all(writes);
});

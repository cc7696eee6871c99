/** Nothing is answered that the disk does not have yet. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../../src/storage/database.ts';
import type { StorageEngine } from '../../src/storage/schema/schema-transaction.ts';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { stopMeasuring } from '../clock.ts';
import { add, createCounters, namesIn, readValue } from '../contract/storage-counters.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';
import { FaultyWal } from './faulty-wal.ts';

let settings: TestDatabase;
let wal: FaultyWal;
let database: StorageEngine;
let path: string;

beforeEach(async () => {
  settings = await freshDatabase('sqlite');
  path = join(settings.dataDir, 'atrium.sqlite');
  wal = new FaultyWal();
  database = await openSqlite(path, wal.open);
  await createCounters(database);
  await put('first');
});

afterEach(async () => {
  wal.fault = undefined;
  wal.release();
  await database.close();
  await settings.remove();
});

function put(name: string): Promise<void> {
  return database.write((tx) => add(tx, name));
}

/** What has settled by the time everything that does not wait for the disk has. */
async function settled(promises: Record<string, Promise<unknown>>): Promise<string[]> {
  const names: string[] = [];
  for (const [name, promise] of Object.entries(promises)) {
    promise.then(
      () => names.push(name),
      () => names.push(name),
    );
  }
  await sleep(30);
  return names;
}

test('a write, its actions, a refusal and a read of it wait for the disk', async () => {
  wal.hold();
  const actions: string[] = [];
  const write = database.write(async (tx) => {
    tx.afterCommit(() => actions.push('ran'));
    await add(tx, 'slow');
  });
  const refusal = database.write(async (tx) => {
    if ((await readValue(tx, 'slow')) !== undefined) throw new Error('taken');
  });
  await wal.heldBack();
  const read = database.read((tx) => readValue(tx, 'slow'));
  const refusedRead = database.read(async (tx) => {
    if ((await readValue(tx, 'slow')) !== undefined) throw new Error('seen');
  });
  assert.deepEqual(await settled({ write, refusal, read, refusedRead }), []);
  assert.deepEqual(actions, []);
  wal.release();
  await write;
  assert.deepEqual(actions, ['ran']);
  assert.equal(await read, 0);
  await assert.rejects(refusal, /taken/);
  await assert.rejects(refusedRead, /seen/);
});

test('a read waits for nothing where nothing is under way', async () => {
  await database.read((tx) => readValue(tx, 'first'));
  const syncs = wal.syncs;
  wal.hold();
  assert.equal(await database.read((tx) => readValue(tx, 'first')), 0);
  assert.equal(wal.syncs, syncs);
});

test('writes that come during a sync share the next one', async (t) => {
  // A batch takes in what comes within some milliseconds: however long this machine takes, these are in time.
  stopMeasuring(t);
  wal.hold();
  const first = put('a');
  await wal.heldBack();
  const syncs = wal.syncs;
  const others = Array.from({ length: 8 }, (_, i) => put(`b${i}`));
  await sleep(10);
  assert.equal(wal.syncs, syncs);
  wal.release();
  await Promise.all([first, ...others]);
  assert.equal(wal.syncs, syncs + 1);
});

test('a refused sync: those who wait are refused, nothing is answered until the log is safe, then all goes on', async () => {
  for (let i = 0; i < 50; i++) await put(`${i} ${'long '.repeat(1_000)}`);
  wal.hold();
  const doubtful = put('doubtful');
  await wal.heldBack();
  const onTop = put('on top');
  const read = database.read((tx) => readValue(tx, 'doubtful'));
  assert.deepEqual(await settled({ doubtful, onTop, read }), []);
  wal.fault = new Error('EIO');
  wal.release();
  for (const call of [doubtful, onTop, read]) await assert.rejects(call, StorageUnavailable);
  await assert.rejects(namesIn(database), StorageUnavailable);
  await assert.rejects(put('still failing'), StorageUnavailable);
  await assert.rejects(database.check(), StorageUnavailable);
  wal.fault = undefined;
  await put('after');
  // The one whose sync failed was committed: whether it stays is unknown, and it is told so.
  assert.deepEqual((await namesIn(database)).slice(50), ['after', 'doubtful', 'first']);
  const log = new DatabaseSync(path).prepare('pragma wal_checkpoint(noop)').get();
  assert.ok(Number(log?.log) < 10, 'the log in doubt was emptied');
});

test('a read waits too for what another process has committed and not synced', async () => {
  const other = new DatabaseSync(path);
  await database.read((tx) => readValue(tx, 'first'));
  wal.hold();
  // Reads of one turn of the event loop share a snapshot; another process commits in a turn of its own.
  await nextTurn();
  other.exec("pragma synchronous = off; insert into counters values ('other', 1)");
  const read = database.read((tx) => readValue(tx, 'other'));
  assert.deepEqual(await settled({ read }), []);
  wal.release();
  assert.equal(await read, 1);
  const syncs = wal.syncs;
  await database.read((tx) => readValue(tx, 'other'));
  assert.equal(wal.syncs, syncs);
  other.close();
});

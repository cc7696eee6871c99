/** Fills the disk that it is given, makes room again, and prints which writes were kept and what the database has. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StorageUnavailable } from '../../src/storage/database.ts';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { add, createCounters, namesIn } from '../contract/storage-counters.ts';

const [directory = ''] = process.argv.slice(2);
const ballast = join(directory, 'ballast');
const kept: string[] = [];
writeFileSync(ballast, Buffer.alloc(1024 * 1024));
const database = await openSqlite(join(directory, 'atrium.sqlite'));
await createCounters(database);

/** Each write takes some pages. Answers how the last of them ended. */
async function writeUntilRefused(label: string, most: number): Promise<unknown> {
  for (let i = 0; i < most; i++) {
    const names = Array.from({ length: 4 }, (_, j) => `${label} ${i} ${j} ${'x'.repeat(8_000)}`);
    const outcomes = await Promise.allSettled(names.map((name) => database.write((tx) => add(tx, name))));
    kept.push(...names.filter((_, j) => outcomes[j]?.status === 'fulfilled'));
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refused) return refused.reason;
  }
  return undefined;
}

const reason = await writeUntilRefused('full', 1_000);
assert.ok(reason instanceof StorageUnavailable, `${reason}`);
assert.deepEqual(await namesIn(database), kept.toSorted());
await assert.rejects(writeAgain('still full'), StorageUnavailable);
rmSync(ballast);
assert.equal(await writeUntilRefused('room', 5), undefined);
assert.deepEqual(await namesIn(database), kept.toSorted());
await database.close();
const again = await openSqlite(join(directory, 'atrium.sqlite'));
assert.deepEqual(await namesIn(again), kept.toSorted());
await again.close();

function writeAgain(name: string): Promise<void> {
  return database.write((tx) => add(tx, `${name} ${'x'.repeat(100_000)}`));
}

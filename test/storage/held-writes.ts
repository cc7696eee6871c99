/**
 * Writes again and again, each holding on to something of its own until it is answered, and collects young garbage
 * meanwhile. Says how many of the writes' things are kept. A process of its own: what V8 keeps of promises depends on all
 * that has been loaded before.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { collectGarbage, collectYoungGarbage } from '../live-bytes.ts';
import { lockNamed } from '../lock-named.ts';

const WRITES = 160;
const made = () => Array.from({ length: 1_000 }, (_, i) => ({ text: `text ${i}` }));

const directory = await mkdtemp(join(tmpdir(), 'atrium-young-'));
const database = await openSqlite(join(directory, 'a.sqlite'));
const write = async () => {
  const texts = made();
  return database.write(async (tx) => {
    await tx.lock(lockNamed('mailbox'));
    return texts.length;
  });
};
const one = sizeOf(made);
const kept = await growthOf(async () => {
  for (let i = 0; i < WRITES; i++) {
    await write();
    if (i % 8 === 0) collectYoungGarbage();
  }
  collectYoungGarbage();
});
console.log(kept / one);
await database.close();
await rm(directory, { recursive: true });

async function growthOf(work: () => Promise<void>): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  await work();
  return process.memoryUsage().heapUsed - before;
}

function sizeOf(make: () => unknown[]): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const { length } = make();
  return length && process.memoryUsage().heapUsed - before;
}

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { collectGarbage, collectYoungGarbage } from '../live-bytes.ts';

const WRITES = 160;
const STRINGS = 1_000;

test('what a write held on to goes with the young garbage once it is answered', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-young-'));
  const database = await openSqlite(join(directory, 'a.sqlite'));
  try {
    const held = async () => {
      const texts = Array.from({ length: STRINGS }, (_, i) => ({ text: `text ${i}` }));
      return database.write(async (tx) => {
        await tx.lock('mailbox');
        return texts.length;
      });
    };
    const alone = sizeOf(() => Array.from({ length: STRINGS }, (_, i) => ({ text: `text ${i}` })));
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < WRITES; i++) {
      await held();
      if (i % 8 === 0) collectYoungGarbage();
    }
    collectYoungGarbage();
    const kept = process.memoryUsage().heapUsed - before;
    assert.ok(kept < (WRITES / 4) * alone, `${kept} bytes are kept of ${WRITES} times ${alone}`);
  } finally {
    await database.close();
    await rm(directory, { recursive: true });
  }
});

function sizeOf(make: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const made = make();
  const size = process.memoryUsage().heapUsed - before;
  assert.ok(made);
  return size;
}

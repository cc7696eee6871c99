import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SqliteIndex } from '../../src/storage/full-text/sqlite/sqlite-index.ts';

/** How `nice` each thread of this process is. */
async function priorities(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  const each = threads.map(async (id) => {
    const stat = await readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => '');
    // proc_pid_stat(5): nice is the 19th field, and the second one may have blanks.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
  return Promise.all(each);
}

async function write(index: SqliteIndex): Promise<void> {
  const position = { transaction: 0, number: 1 };
  const to = { era: 'e', position, readUntil: 1, building: undefined, built: 0, build: 1 };
  await index.write({ from: undefined, to, objects: [], removed: [] });
}

describe('the search index', {
  skip: process.platform !== 'linux' && 'threads have no priority here',
}, () => {
  it('is written by a thread that goes after all others, and read by one that does not', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'atrium-test-'));
    t.after(() => rm(directory, { recursive: true }));
    const index = new SqliteIndex(join(directory, 'search.sqlite'));
    t.after(() => index.close());
    const usual = (await priorities())[0] ?? 0;
    await index.count();
    assert.ok((await priorities()).every((nice) => nice <= usual));
    await write(index);
    assert.equal((await priorities()).filter((nice) => nice > usual).length, 1);
  });

  it('is written by a thread that stays behind with a server that goes after other programs', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'atrium-test-'));
    t.after(() => rm(directory, { recursive: true }));
    // Nothing follows that would need more: only a privileged process may take this back.
    setPriority(10);
    const index = new SqliteIndex(join(directory, 'search.sqlite'));
    t.after(() => index.close());
    await write(index);
    assert.ok((await priorities()).filter((nice) => nice >= 10).length >= 2);
  });
});

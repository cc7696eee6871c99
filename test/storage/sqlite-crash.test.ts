/** The process or the disk goes away under a database that is being written. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { openSqlite } from '../../src/storage/sqlite/sqlite.ts';
import { namesIn } from '../contract/storage-counters.ts';
import { freshDatabase, type TestDatabase } from '../engines.ts';

const ENOUGH = 300;
const MOUNT = 'mount -t tmpfs -o size=4m tmpfs "$1"';

let settings: TestDatabase;

beforeEach(async () => {
  settings = await freshDatabase('sqlite');
});
afterEach(() => settings.remove());

function child(name: string): string {
  return join(import.meta.dirname, name);
}

/** Kills the writing process once it has acknowledged enough. Answers all that it has acknowledged. */
async function killWriter(path: string): Promise<string[]> {
  const writer = spawn(process.execPath, [child('killed.child.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(writer, 'exit');
  const acknowledged: string[] = [];
  for await (const name of createInterface(writer.stdout)) {
    acknowledged.push(name);
    if (acknowledged.length === ENOUGH) writer.kill('SIGKILL');
  }
  await exit;
  return acknowledged;
}

test('after kill -9 every acknowledged write is there, and none by half', async () => {
  const path = join(settings.dataDir, 'atrium.sqlite');
  const acknowledged = await killWriter(path);
  assert.ok(acknowledged.length >= ENOUGH);
  const database = await openSqlite(path);
  const names = new Set(await namesIn(database));
  await database.close();
  for (const name of acknowledged) assert.ok(names.has(`${name} left`), `${name} is lost`);
  const halves = [...names].filter(
    (name) => !names.has(name.replace(/left|right/, (side) => (side === 'left' ? 'right' : 'left'))),
  );
  assert.deepEqual(halves, []);
});

test('a full disk: refused as unavailable, nothing half-written, and writes go on when there is room', (t) => {
  const inNewNamespace = (script: string) =>
    spawnSync('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', settings.dataDir], {
      encoding: 'utf8',
    });
  if (inNewNamespace(MOUNT).status !== 0) {
    t.skip('this system does not let us mount a small disk');
    return;
  }
  const { status, stderr } = inNewNamespace(
    `${MOUNT} && exec "${process.execPath}" "${child('full-disk.child.ts')}" "$1"`,
  );
  assert.equal(status, 0, stderr);
});

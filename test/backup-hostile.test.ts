/** Whoever hands a backup over may have made it: under digests that are right, what no backup holds is refused all the same. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readLines } from '../src/archive/line-file.ts';
import { data } from './areas/accounts.ts';
import { changeManifest } from './changed-manifest.ts';
import { atriumJson, runAtrium } from './command-line.ts';
import { forEachEngine, freshDatabase } from './engines.ts';
import { startApp, type TestApp } from './harness.ts';

type Change = (directory: string) => Promise<void>;

/** Gives a column of the first row of a table another value. */
function withValue(table: string, column: string, value: unknown): Change {
  return async (directory) => {
    const path = join(directory, 'tables', `${table}.jsonl`);
    const [first = '', ...others] = (await readFile(path, 'utf8')).split('\n');
    const row = JSON.parse(first);
    await changeManifest(directory, ({ tables }) => {
      const found = tables.find(({ name }) => name === table);
      assert.ok(found, `there is no table ${table}`);
      assert.ok(found.columns.includes(column), `there is no ${table}.${column}`);
      row[found.columns.indexOf(column)] = value;
      found.sha256 = hash('sha256', [JSON.stringify(row), ...others].join('\n'));
    });
    await writeFile(path, [JSON.stringify(row), ...others].join('\n'));
  };
}

/** Puts something else in the place of the first blob, which stands beside it then. */
function withBlob(replace: (path: string, aside: string) => unknown): Change {
  return async (directory) => {
    const [line = ''] = (await readFile(join(directory, 'blobs.jsonl'), 'utf8')).split('\n');
    const path = join(directory, 'blobs', JSON.parse(line).key);
    await rename(path, `${path}.aside`);
    await replace(path, `${path}.aside`);
  };
}

/** Puts a link in the place of a directory, to what was in there. */
function withLinkedDirectory(name: string): Change {
  return async (directory) => {
    const path = join(directory, name);
    await rename(path, `${path}.aside`);
    await symlink(`${path}.aside`, path);
  };
}

async function listTwice(directory: string): Promise<void> {
  const path = join(directory, 'blobs.jsonl');
  const list = (await readFile(path, 'utf8')).repeat(2);
  await writeFile(path, list);
  await changeManifest(directory, ({ blobs }) => {
    blobs.count *= 2;
    blobs.bytes *= 2;
    blobs.sha256 = hash('sha256', list);
  });
}

/** Values that no column takes, which the columns of each engine tell. */
const VALUES: Record<string, Change> = {
  'an object for a text': withValue('users', 'name', { a: 1 }),
  'a number for a text': withValue('users', 'name', 1),
  'a NUL in a text': withValue('users', 'name', 'a\0b'),
  'half of a surrogate pair in a text': withValue('users', 'name', 'a\ud800'),
  'a text for a time': withValue('users', 'created_at', 'now'),
  'a fraction for a time': withValue('users', 'created_at', 1.5),
  'no value where there must be one': withValue('users', 'name', null),
  'a number for bytes': withValue('message_contents', 'raw', 7),
  'a text for bytes that is no base64': withValue('message_contents', 'raw', 'a*b'),
};

/** Files that no backup has: they are read before anything is stored, on each engine alike. */
const FILES: Record<string, Change> = {
  'a blob listed twice': listTwice,
  'a blob that is a link': withBlob((path, aside) => symlink(aside, path)),
  'a blob that is a link to what never ends': withBlob((path) => symlink('/dev/zero', path)),
  'a blob that is a pipe': withBlob((path) => spawnSync('mkfifo', [path])),
  'a directory of tables that is a link': withLinkedDirectory('tables'),
  'a directory of blobs that is a link': withLinkedDirectory('blobs'),
  'a table that is a link': async (directory) => {
    const path = join(directory, 'tables', 'users.jsonl');
    await rename(path, `${path}.aside`);
    await symlink(`${path}.aside`, path);
  },
  'a manifest that is a link to what never ends': async (directory) => {
    await rm(join(directory, 'manifest.json'));
    await symlink('/dev/zero', join(directory, 'manifest.json'));
  },
};

forEachEngine((engine) => {
  describe('a backup that others have made', () => {
    let app: TestApp;
    let home: string;
    let whole: string;
    before(async () => {
      app = await startApp(engine);
      home = await mkdtemp(join(tmpdir(), 'atrium-test-hostile-'));
      whole = join(home, 'whole');
      const put = async (path: string, type: string, body: string) =>
        data(await app.request('POST', path, { body, headers: { 'content-type': type } }), 201);
      const [{ id: inbox }] = data(await app.get('/v1/folders'));
      await put('/v1/files?filename=a.bin', 'application/octet-stream', 'x'.repeat(200_000));
      await put(`/v1/folders/${inbox}/messages`, 'message/rfc822', 'Subject: a\r\n\r\nsmall');
      await atriumJson(app, 'backup', whole);
    });
    after(async () => {
      await app.stop();
      await rm(home, { recursive: true });
    });

    const changes = engine === 'sqlite' ? { ...VALUES, ...FILES } : VALUES;
    // To verify a backup takes no database.
    const commands = engine === 'sqlite' ? ['verify', 'restore'] : ['restore'];
    for (const [name, change] of Object.entries(changes)) {
      it(`is refused with ${name}`, { timeout: 120_000 }, async (t) => {
        const directory = join(home, 'changed');
        t.after(() => rm(directory, { recursive: true }));
        await cp(whole, directory, { recursive: true });
        await change(directory);
        const storage = await freshDatabase(engine);
        t.after(() => storage.remove());
        const config = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl } as TestApp['config'];
        for (const command of commands) {
          const { code, stdout, stderr } = await runAtrium({ config }, [command, directory]);
          assert.deepEqual([command, code, stdout], [command, 1, '']);
          assert.match(stderr, /^error: .*(backup is damaged|cannot be read|holds no backup).*\.\n$/);
        }
      });
    }
  });
});

it('a long line of a backup is read as fast as as many bytes in short lines', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'atrium-test-lines-'));
  t.after(() => rm(home, { recursive: true }));
  const timeOf = async (lines: number) => {
    const text = `"${'x'.repeat((32 * 1024 * 1024) / lines)}"\n`.repeat(lines);
    const path = join(home, `${lines}.jsonl`);
    await writeFile(path, text);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      const start = process.cpuUsage();
      for await (const _ of readLines(path, hash('sha256', text)));
      const { user, system } = process.cpuUsage(start);
      best = Math.min(best, user + system);
    }
    return best;
  };
  const [short, long] = [await timeOf(1_024), await timeOf(1)];
  assert.ok(long < 5 * short, `${long} µs in one line, ${short} in many`);
});

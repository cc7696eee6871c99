import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { TransferMeter } from '../src/commands/progress.ts';
import { data } from './areas/accounts.ts';
import { PART } from './areas/uploads-world.ts';
import { bytesOf } from './contract/blobs-content.ts';
import { eventually } from './eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';
import { PROGRAM, programEnvironment } from './program.ts';

const MIB = 1024 * 1024;

describe('the meter of a transfer', () => {
  const total = 100 * MIB;
  /** What is shown at the end of these seconds and MiB. */
  const shown = (...course: [seconds: number, mebibytes: number][]) => {
    const meter = new TransferMeter();
    return course
      .map(([seconds, mebibytes]) => meter.text({ done: mebibytes * MIB, total }, seconds * 1000))
      .at(-1);
  };

  it('shows how far it has come, how fast, and how long it will take', () => {
    assert.equal(shown([0, 10]), `[${'#'.repeat(3)}${'-'.repeat(27)}] 10 % of 100.0 MiB`);
    assert.match(shown([0, 10], [2, 14]) ?? '', / 14 % of 100\.0 MiB, 2\.0 MiB\/s, 43 s left$/);
    assert.match(shown([0, 10], [10, 11]) ?? '', /, 0\.1 MiB\/s, 14 min 50 s left$/);
    assert.match(shown([0, 10], [10, 10.01]) ?? '', /, 0\.0 MiB\/s, 24 h 59 min left$/);
  });

  it('follows what has changed in the last seconds', () => {
    assert.match(shown([0, 0], [1, 1], [11, 41], [21, 51]) ?? '', /, 1\.0 MiB\/s, 49 s left$/);
    assert.match(shown([0, 10], [1, 20], [20, 20], [29, 20]) ?? '', /, 0\.0 MiB\/s$/, 'it stands still');
  });

  it('takes what an earlier run has brought, or a new beginning, for no speed', () => {
    assert.match(shown([0, 0], [1, 50], [3, 52]) ?? '', /, 1\.0 MiB\/s, 48 s left$/);
    assert.match(shown([0, 90], [1, 5], [3, 7]) ?? '', /, 1\.0 MiB\/s, 1 min 33 s left$/);
  });
});

describe('transfers by the command line', () => {
  let app: TestApp;
  let directory: string;
  before(async () => {
    app = await startApp('sqlite');
    directory = await mkdtemp(join(tmpdir(), 'atrium-transfer-'));
    await mkdir(join(directory, 'here'));
  });
  after(async () => {
    await app.stop();
    await rm(directory, { recursive: true });
  });

  const run = (...args: string[]): ChildProcess => {
    const env = {
      ...programEnvironment(),
      ATRIUM_URL: `${app.address}/`,
      ATRIUM_KEY: OWNER_KEY,
      ATRIUM_DATA_DIR: join(directory, 'data'),
    };
    return spawn(process.execPath, [PROGRAM, ...args], { env, cwd: join(directory, 'here') });
  };
  const outcomeOf = async (child: ChildProcess) => {
    assert.ok(child.stdout && child.stderr);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { stdout, stderr, code };
  };
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape
  const json = async (...args: string[]): Promise<any> => {
    const { stdout, stderr, code } = await outcomeOf(run(...args, '--json'));
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout);
  };
  const fileOf = async (name: string, bytes: Uint8Array) => {
    const path = join(directory, name);
    await writeFile(path, bytes);
    return path;
  };
  const remembered = async () => (await readdir(join(directory, 'data', 'client-uploads'))).length;
  const sessions = () =>
    app.services.database.read((tx) =>
      tx.selectFrom('upload_sessions').select(['id', 'state', 'received_parts']).orderBy('id').execute(),
    );

  it('upload and download bring files there and back (OPS-47)', async () => {
    const whole = bytesOf(2 * PART + 5);
    const folder = data(await app.post('/v1/file-folders', { name: 'Films' }), 201);
    const paths = [await fileOf('film.bin', whole), await fileOf('empty.txt', Buffer.alloc(0))];
    const [film, empty] = await json('upload', ...paths, '--folder', folder.id);
    assert.deepEqual([film.filename, film.size_bytes, film.folder_id], ['film.bin', whole.length, folder.id]);
    assert.deepEqual([empty.filename, empty.size_bytes], ['empty.txt', 0]);
    assert.equal(await remembered(), 0);
    const { stdout } = await outcomeOf(run('download', film.id));
    assert.equal(stdout, `Downloaded film.bin (${whole.length} bytes).\n`);
    assert.ok(whole.equals(await readFile(join(directory, 'here', 'film.bin'))));
    const taken = await outcomeOf(run('download', film.id));
    assert.deepEqual(
      [taken.code, taken.stderr.startsWith('error: There is a file film.bin already')],
      [1, true],
    );
    const elsewhere = join(directory, 'elsewhere');
    await writeFile(elsewhere, 'to be replaced');
    assert.equal((await json('download', film.id, '-o', elsewhere)).path, elsewhere);
    assert.ok(whole.equals(await readFile(elsewhere)));
    await json('download', empty.id, '-o', join(directory, 'nothing'));
    assert.equal((await readFile(join(directory, 'nothing'))).length, 0);
  });

  it('upload goes on with an upload that was killed (OPS-47)', async () => {
    const whole = bytesOf(12 * PART + 5, 1);
    const path = await fileOf('large.bin', whole);
    const before = new Set((await sessions()).map(({ id }) => id));
    const killed = run('upload', path);
    const mine = async () => (await sessions()).find(({ id }) => !before.has(id));
    await eventually(async () => ((await mine())?.received_parts ?? 0) > 0, 'a part arrives');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const stopped = await mine();
    assert.equal(stopped?.state, 'open');
    const [file] = await json('upload', path);
    assert.deepEqual(await mine(), { id: stopped.id, state: 'finished', received_parts: 13 });
    const back = join(directory, 'large.back');
    await json('download', file.id, '-o', back);
    assert.ok(whole.equals(await readFile(back)));
  });

  it('starts again with a file that has changed', async () => {
    const path = await fileOf('growing.bin', bytesOf(4 * PART, 2));
    const before = (await sessions()).length;
    const killed = run('upload', path);
    await eventually(async () => (await remembered()) > 0, 'the upload is remembered');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    await appendFile(path, 'more');
    const [file] = await json('upload', path);
    assert.equal(file.size_bytes, 4 * PART + 4);
    assert.equal((await sessions()).length, before + 2);
  });

  it('download goes on with a download that has stopped (OPS-47)', async () => {
    const whole = bytesOf(PART, 3);
    const [file] = await json('upload', await fileOf('halfway.bin', whole));
    const target = join(directory, 'halfway');
    await writeFile(`${target}.${file.id}.part`, whole.subarray(0, 1_000_000));
    await json('download', file.id, '-o', target);
    assert.ok(whole.equals(await readFile(target)));
    assert.ok(!(await readdir(directory)).some((name) => name.endsWith('.part')));
  });

  it('tells what the server refuses, and what is wrong with the settings', async () => {
    const unknown = await outcomeOf(run('download', 'file_none', '--json'));
    assert.equal(unknown.code, 1);
    assert.equal(JSON.parse(unknown.stderr).error.code, 'not_found');
    const denied = await outcomeOf(run('download', 'file_none', '--key', 'no key'));
    assert.match(denied.stderr, /^error: .*key/i);
    const nowhere = await outcomeOf(run('upload', join(directory, 'none')));
    assert.match(nowhere.stderr, /^error: .*no such file or directory/);
    const away = await outcomeOf(
      run('download', 'x', '--url', 'http://127.0.0.1:1', '--key', 'x'.repeat(20)),
    );
    assert.match(
      away.stderr,
      /^error: http:.* cannot be reached: .*\. ATRIUM_URL, or --url, says where the server is\.\n$/,
    );
    const wrong = await outcomeOf(run('download', 'x', '--url', 'ftp://x'));
    assert.equal(
      wrong.stderr,
      'error: ATRIUM_URL must be of the form http://host:port or https://host, not "ftp://x".\n',
    );
  });
});

/** Nobody else on the machine reads what is stored, exported or saved, whatever the umask and the directory allow. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { append, folderOf } from '../areas/mail-world.ts';
import { putPart, start } from '../areas/uploads-world.ts';
import { runAtrium } from '../command-line.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { PROGRAM } from '../program.ts';

const LARGE = `Subject: large\r\n\r\n${'x'.repeat(200_000)}`;
const EVERYBODY_ELSE = 0o077;

describe('files', () => {
  let app: TestApp;
  let outside: string;
  let umask: number;
  before(async () => {
    umask = process.umask(0);
    app = await startApp('sqlite');
    await chmod(app.config.dataDir, 0o755);
    outside = await mkdtemp(join(tmpdir(), 'atrium-outside-'));
    await append(app, await folderOf(app, 'inbox'), LARGE);
    await app.post('/v1/files?filename=a.bin', 'x');
    const { session_id: session } = await start(app, 2);
    await putPart(app, session, 1, 'xy');
  });
  after(async () => {
    process.umask(umask);
    await app.stop();
    await rm(outside, { recursive: true });
  });

  /** Those below a directory that others may open. */
  const openToOthers = async (directory: string): Promise<string[]> => {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    assert.ok(entries.length > 0);
    const files = entries.filter((entry) => entry.isFile());
    const modes = await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return { path, mode: (await stat(path)).mode };
      }),
    );
    return modes.filter(({ mode }) => (mode & EVERYBODY_ELSE) !== 0).map(({ path }) => path);
  };

  it('files of the data directory are readable by their owner only (OPS-16)', async () => {
    assert.deepEqual(await openToOthers(app.config.dataDir), []);
  });

  it('of a server are nowhere but in its data directory (OPS-16)', async (t) => {
    const [dataDir, elsewhere] = [
      await mkdtemp(join(outside, 'data-')),
      await mkdtemp(join(outside, 'else-')),
    ];
    const env = {
      ATRIUM_DATA_DIR: dataDir,
      ATRIUM_PORT: '0',
      ATRIUM_SMTP_PORT: '0',
      ATRIUM_OWNER_KEY: OWNER_KEY,
    };
    const child = spawn(process.execPath, [PROGRAM, 'serve'], {
      cwd: elsewhere,
      env: { PATH: process.env.PATH, HOME: elsewhere, TMPDIR: elsewhere, ...env },
    });
    t.after(() => child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    await eventually(() => Promise.resolve(said.includes('Atrium is ready on ')), 'it is ready');
    const [, address = ''] = /^Atrium is ready on (\S+)$/m.exec(said) ?? [];
    const headers = { authorization: `Bearer ${OWNER_KEY}`, 'idempotency-key': 'one' };
    const sent = { method: 'POST', headers, body: 'x'.repeat(1_000_000) };
    assert.equal((await fetch(`${address}/v1/files?filename=a.bin`, sent)).status, 201);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.deepEqual(await readdir(elsewhere), []);
  });

  it('of compiled code are out of reach: what somebody put there would be run', async () => {
    const { code, stderr } = await runAtrium(app, ['workspace', 'list']);
    assert.equal(code, 0, stderr);
    const { mode } = await stat(join(app.config.dataDir, 'compiled'));
    assert.equal(mode & EVERYBODY_ELSE, 0);
  });

  it('of a download are the own ones', async () => {
    const { json } = await app.post('/v1/files?filename=b.bin', 'x');
    const target = await mkdtemp(join(outside, 'target-'));
    const server = ['--url', app.address, '--key', OWNER_KEY];
    const { code, stderr } = await runAtrium(app, [
      'download',
      json.data.id,
      '--output',
      join(target, 'b.bin'),
      ...server,
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await openToOthers(target), []);
  });

  for (const [what, args] of Object.entries({
    'of a backup': ['backup', 'saved'],
    'of the export of a user': ['export', 'user', 'owner@localhost', 'user'],
    'of the export of mail': ['export', 'mail', 'owner@localhost', '--output', 'inbox.mbox'],
    'of the export of contacts': ['export', 'contacts', 'owner@localhost', '--output', 'all.vcf'],
  })) {
    it(`${what} are the own ones`, async () => {
      const target = await mkdtemp(join(outside, 'target-'));
      const last = join(target, args.at(-1) ?? '');
      const { code, stderr } = await runAtrium(app, [...args.slice(0, -1), last]);
      assert.equal(code, 0, stderr);
      assert.deepEqual(await openToOthers(target), []);
    });
  }
});

/** A store that has lost blobs is backed up as far as it goes, and what is lost is named from there on. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { BLOB_OWNERS } from '../src/archive/referenced-blobs.ts';
import { migrations } from '../src/storage/schema/migrations/index.ts';
import { tablesMadeBy } from '../src/storage/schema/own-tables.ts';
import { data } from './areas/accounts.ts';
import { makeDocument, putContent } from './areas/documents-world.ts';
import { atriumJson, runAtrium } from './command-line.ts';
import { ANY_ENGINE, forEachEngine, freshDatabase } from './engines.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';
import { provideBlobs } from './nodes/nodes.ts';
import { startS3 } from './s3.ts';
import { mountSmallDisk } from './torture/small-disk.ts';

/** They name blobs that are not there yet or no longer, or that others name. */
const NAMED_ELSEWHERE = ['pending_blobs', 'blob_checksums', 'upload_sessions'];

const LARGE = 'x'.repeat(200_000);

/** One of each kind that has a blob, by what a loss of it is to be called. */
async function fill(app: TestApp): Promise<{ message: string; file: string; document: string }> {
  const [{ id: inbox }] = data(await app.get('/v1/folders'));
  const send = async (path: string, type: string) =>
    data(await app.request('POST', path, { body: LARGE, headers: { 'content-type': type } }), 201).id;
  const document = await makeDocument(app, { key: OWNER_KEY });
  data(await putContent(app, { key: OWNER_KEY }, document.id, LARGE));
  return {
    message: `message ${await send(`/v1/folders/${inbox}/messages`, 'message/rfc822')}`,
    file: `file ${await send('/v1/files?filename=a.bin', 'application/octet-stream')}`,
    document: `revision 2 of ${document.id}`,
  };
}

async function keysIn(app: TestApp): Promise<string[]> {
  const keys = await app.services.database.read(async (tx) => [
    ...(await tx.selectFrom('message_contents').select('blob_key').execute()),
    ...(await tx.selectFrom('files').select('blob_key').execute()),
    ...(await tx.selectFrom('document_revisions').select('blob_key').execute()),
  ]);
  return keys.flatMap(({ blob_key }) => blob_key ?? []);
}

async function temporary(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'atrium-test-losses-'));
  t.after(() => rm(home, { recursive: true }));
  return home;
}

it('every table whose rows name blobs has a name for whose they are', async () => {
  const tables = await tablesMadeBy(
    migrations.map(({ name }) => name),
    'This version',
  );
  const naming = tables.filter(({ columns }) => columns.includes('blob_key')).map(({ name }) => name);
  const known = [...BLOB_OWNERS.map(({ table }) => table), ...NAMED_ELSEWHERE];
  assert.deepEqual(naming.toSorted(), known.toSorted());
});

for (const store of ['disk', 's3'] as const) {
  describe(`blobs on ${store}`, () => {
    let settings: Record<string, string> = {};
    let stopStore = async () => {};
    before(async () => {
      if (store === 'disk') return;
      const blobs = await provideBlobs();
      settings = blobs.settings;
      stopStore = blobs.stop;
    });
    after(() => stopStore());

    forEachEngine((engine) => {
      it('blobs that are lost end no backup, are in its manifest, and are named by all that read it (OPS-49, OPS-50, OPS-51)', async (t) => {
        const app = await startApp(engine, settings);
        t.after(() => app.stop());
        const home = await temporary(t);
        const owners = Object.values(await fill(app));
        const kept = data(
          await app.request('POST', '/v1/files?filename=kept.bin', {
            body: LARGE,
            headers: { 'content-type': 'application/octet-stream' },
          }),
          201,
        ).id;
        const [{ blob_key: keptKey }] = (await app.services.database.read((tx) =>
          tx.selectFrom('files').select('blob_key').where('node_id', '=', kept).execute(),
        )) as [{ blob_key: string }];
        const lost = (await keysIn(app)).filter((key) => key !== keptKey);
        assert.equal(lost.length, owners.length);
        for (const key of lost) await app.services.blobs.remove(key);

        const directory = join(home, 'backup');
        const backup = await runAtrium(app, ['backup', directory]);
        assert.deepEqual([backup.code, backup.stderr], [1, ''], 'it is told in the exit code');
        assert.match(backup.stdout, /backed up to .*\nThe backup is whole but for 3 blobs .*:\n/);
        assertNames(backup.stdout, lost, owners);

        const verified = await runAtrium(app, ['verify', directory]);
        assert.equal(verified.code, 1);
        assert.match(verified.stdout, /; 3 problems\./);
        assertNames(verified.stdout, lost, owners);

        const storage = await freshDatabase(engine);
        t.after(() => storage.remove());
        const config = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl } as TestApp['config'];
        const restored = await runAtrium({ config }, ['restore', directory]);
        assert.deepEqual([restored.code, restored.stderr], [1, '']);
        assertNames(restored.stdout, lost, owners);
        const stored = await runAtrium({ config }, ['verify']);
        assert.equal(stored.code, 1);
        assert.match(stored.stdout, / 1 blob .*; 3 problems\./, 'the one that is there was read');
        assertNames(stored.stdout, lost, owners);
        const again = await atriumJson({ config }, 'workspace', 'list');
        assert.equal(again.length, 1, 'the rows are there');
      });
    });
  });
}

describe('a blob with other bytes than came in', () => {
  forEachEngine((engine) => {
    it('a blob with other bytes is in the backup as it is, and is named by all that read that (OPS-50)', async (t) => {
      const app = await startApp(engine);
      t.after(() => app.stop());
      const home = await temporary(t);
      const owners = Object.values(await fill(app));
      const [cut = '', flipped = '', lost = ''] = await keysIn(app);
      const pathOf = (key: string) => globSync(`${app.config.dataDir}/blobs/*/${key}`)[0] ?? '';
      await truncate(pathOf(cut), 0);
      await writeFile(pathOf(flipped), LARGE.replace('x', 'y'));
      await app.services.blobs.remove(lost);
      const directory = join(home, 'backup');
      for (const args of [['backup', directory], ['verify', directory], ['verify']]) {
        const told = await runAtrium(app, args);
        assert.equal(told.code, 1, args.join(' '));
        assertNames(told.stdout, [cut, flipped, lost], owners);
        assert.match(told.stdout, /has 0 bytes, and not 200\d+/);
        assert.match(told.stdout, /has (other bytes than came in|200\d+ bytes, and not)/);
      }
      const storage = await freshDatabase(engine);
      t.after(() => storage.remove());
      const config = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl } as TestApp['config'];
      const restored = await runAtrium({ config }, ['restore', directory]);
      assert.deepEqual([restored.code, restored.stderr], [1, '']);
      assertNames(restored.stdout, [cut, flipped, lost], owners);
    });
  });
});

describe('a blob that the store has and does not give', () => {
  it('a blob that cannot be read is lost to a backup as one that is gone; a store that gives none ends it (OPS-49)', async (t) => {
    const blobs = await startS3();
    Object.assign(process.env, blobs.env);
    t.after(() => blobs.stop());
    const app = await startApp(ANY_ENGINE, { ATRIUM_BLOBS: blobs.blobs });
    t.after(() => app.stop());
    await fill(app);
    const home = await temporary(t);
    const [unreadable = ''] = await keysIn(app);
    blobs.fault = (request) => (request.includes(unreadable) ? 'slow down' : undefined);
    const backup = await runAtrium(app, ['backup', join(home, 'one')]);
    assert.equal(backup.code, 1);
    assert.match(backup.stdout, new RegExp(`\\nThe blob ${unreadable} cannot be read: .*; it is that of `));
    assert.match((await runAtrium(app, ['verify', join(home, 'one')])).stdout, / 2 blobs .*; 1 problem\./);
    blobs.fault = (request) => (request.startsWith('GET') ? 'slow down' : undefined);
    const failed = await runAtrium(app, ['backup', join(home, 'none')]);
    assert.deepEqual([failed.code, failed.stdout], [1, '']);
    blobs.fault = undefined;
    assert.equal((await runAtrium(app, ['backup', join(home, 'none')])).code, 0, 'begun anew');
  });
});

function assertNames(told: string, keys: readonly string[], owners: readonly string[]): void {
  for (const name of [...keys, ...owners]) assert.ok(told.includes(name), `${name} is not in: ${told}`);
}

describe('a backup that broke off', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(ANY_ENGINE);
    await fill(app);
  });
  after(() => app.stop());

  it('a backup that broke off is begun anew in the same directory (OPS-49)', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'atrium-test-losses-'));
    const disk = mountSmallDisk(directory);
    t.after(() => disk?.unmount());
    t.after(() => rm(directory, { recursive: true }));
    if (!disk) return t.skip('the system lets us mount no file system in memory');
    await writeFile(join(directory, 'room'), Buffer.alloc(100_000));
    await disk.fill();
    await rm(join(directory, 'room'));
    const full = await runAtrium(app, ['backup', directory]);
    assert.equal(full.code, 1);
    assert.match(full.stderr, /^error: There is no room in .*Make room and back up to it again/);
    assert.ok(!existsSync(join(directory, 'manifest.json')));
    disk.makeRoom();
    assert.equal((await runAtrium(app, ['backup', directory])).stderr, '');
    assert.deepEqual((await atriumJson(app, 'verify', directory)).problems, []);
    assert.deepEqual(
      (await readdir(directory)).toSorted(),
      ['blobs', 'blobs.jsonl', 'manifest.json', 'tables'],
      'nothing else is left',
    );
  });

  it('is not taken for one while another process writes it', async (t) => {
    const directory = join(await temporary(t), 'backup');
    await mkdir(directory);
    const writer = spawn('sleep', ['60']);
    await once(writer, 'spawn');
    await writeFile(join(directory, 'incomplete'), `${hostname()} ${writer.pid}\n`);
    assert.match((await runAtrium(app, ['backup', directory])).stderr, /is being written by the process/);
    writer.kill();
    await once(writer, 'exit');
    await writeFile(join(directory, 'incomplete'), `elsewhere ${writer.pid}\n`);
    assert.match((await runAtrium(app, ['backup', directory])).stderr, /on elsewhere\. Wait for it/);
    await writeFile(join(directory, 'incomplete'), `${hostname()} ${writer.pid}\n`);
    assert.equal((await runAtrium(app, ['backup', directory])).code, 0);
  });

  it('is told from what somebody else keeps in a directory, which stays', async (t) => {
    const home = await temporary(t);
    for (const [name, files] of Object.entries({
      data: ['blobs/00/blob_x', 'tables/users.jsonl'],
      mixed: ['incomplete', 'blobs/blob_x', 'letter.txt'],
    })) {
      const directory = join(home, name);
      for (const file of files) {
        await mkdir(join(directory, file, '..'), { recursive: true });
        await writeFile(join(directory, file), '');
      }
      const refused = await runAtrium(app, ['backup', directory]);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /Name a directory of its own/);
      for (const file of name === 'data' ? files : ['letter.txt'])
        assert.ok(existsSync(join(directory, file)), `${file} is gone`);
    }
  });
});

/** That the commands which read or write the database do so on a cluster of Citus, where one is given. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { data, freshAddress } from './areas/accounts.ts';
import { CITUS_URL, makeEmptyCitusDatabase } from './citus.ts';
import { atriumJson, runAtrium } from './command-line.ts';
import { freshDatabase, type TestDatabase } from './engines.ts';
import { eventually } from './eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from './harness.ts';
import { assertSound, type Moved, makeMoved, readMoved } from './moving/world.ts';

const IMPORTED = {
  mail: ['eml', 'Subject: imported\r\n\r\ntext\r\n'],
  contacts: ['vcf', 'BEGIN:VCARD\r\nVERSION:4.0\r\nUID:one\r\nFN:imported\r\nEND:VCARD\r\n'],
  calendar: [
    'ics',
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:one\r\nDTSTART:20260302T090000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  ],
} as const;

/** What a backup of a cluster is restored into. */
const TARGETS: Record<string, () => Promise<TestDatabase>> = {
  SQLite: () => freshDatabase('sqlite'),
  'one server of PostgreSQL': () => freshDatabase('postgres'),
  'a cluster': emptyCluster,
};

async function emptyCluster(): Promise<TestDatabase> {
  const { url, remove } = await makeEmptyCitusDatabase(CITUS_URL ?? '');
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-test-'));
  const removeBoth = async () => {
    await remove();
    await rm(dataDir, { recursive: true });
  };
  return { databaseUrl: url, dataDir, remove: removeBoth };
}

/** An application on storage that is there. */
function startOn({ dataDir, databaseUrl }: TestDatabase): Promise<TestApp> {
  return startApp('sqlite', {
    ATRIUM_DATA_DIR: dataDir,
    ...(databaseUrl !== undefined && { ATRIUM_DATABASE_URL: databaseUrl }),
  });
}

describe('the command line on a cluster', {
  skip: CITUS_URL === undefined && 'ATRIUM_TEST_CITUS_URL names no cluster',
}, () => {
  let app: TestApp;
  let moved: Moved;
  let contents: Record<string, unknown>;
  let directory: string;
  before(async () => {
    app = await startApp('postgres');
    directory = await mkdtemp(join(tmpdir(), 'atrium-cluster-'));
    moved = await makeMoved(app);
    contents = await readMoved(app, moved);
    await atriumJson(app, 'backup', join(directory, 'backup'));
  });
  after(async () => {
    await app.stop();
    await rm(directory, { recursive: true });
  });

  for (const [name, make] of Object.entries(TARGETS)) {
    it(`restores a backup of it into ${name} (OPS-48, OPS-51, OPS-93)`, async (t) => {
      const storage = await make();
      t.after(() => storage.remove());
      const config = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl } as TestApp['config'];
      const { problems } = await atriumJson({ config }, 'restore', join(directory, 'backup'));
      assert.deepEqual(problems, []);
      if (name === 'a cluster')
        assert.equal(
          (await runAtrium({ config }, ['database', 'distribute', '--yes', '--shards', '4'])).code,
          0,
        );
      const restored = await startOn(storage);
      t.after(() => restored.stop());
      assert.deepEqual(await readMoved(restored, moved), contents);
      await assertSound(restored);
    });
  }

  it('moves a workspace to an installation on SQLite, and back (OPS-71, OPS-77, OPS-93)', async (t) => {
    const other = await startApp('sqlite');
    t.after(() => other.stop());
    const there = join(directory, 'there.env');
    const here = join(directory, 'here.env');
    await writeFile(there, `ATRIUM_DATA_DIR='${other.config.dataDir}'\n`);
    await writeFile(
      here,
      `ATRIUM_DATA_DIR='${app.config.dataDir}'\nATRIUM_DATABASE_URL='${app.config.databaseUrl}'\n`,
    );
    for (const [from, to, settings] of [
      [app, other, there],
      [other, app, here],
    ] as const) {
      const { problems } = await atriumJson(from, 'workspace', 'move', moved.id, '--to', settings);
      assert.deepEqual(problems, []);
      assert.deepEqual(await readMoved(to, moved), contents);
      await atriumJson(from, 'workspace', 'purge', moved.id);
      for (const each of [app, other]) await assertSound(each);
    }
  });

  it('makes and ends users, keys, groups, resources and workspaces (OPS-39, OPS-93)', async () => {
    const [email, other] = [freshAddress(), freshAddress()];
    const made = await atriumJson(app, 'workspace', 'create', 'Third', '--owner', other);
    const workspace = made.id;
    const user = await atriumJson(app, 'user', 'create', email, '--name', 'Ada', '--workspace', workspace);
    const key = await atriumJson(app, 'key', 'create', email, '--name', 'full', '--all');
    assert.equal(data(await app.get('/v1/users/me', { key: key.key })).id, user.id);
    await atriumJson(app, 'group', 'create', 'Few', '--member', email, '--workspace', workspace);
    await atriumJson(app, 'resource', 'create', 'Room', '--workspace', workspace);
    assert.equal((await atriumJson(app, 'user', 'list', '--workspace', workspace)).length, 2);
    assert.equal((await atriumJson(app, 'key', 'list', email)).length, 1);
    await atriumJson(app, 'key', 'revoke', key.id, '--workspace', made.id);
    await atriumJson(app, 'user', 'suspend', email);
    await atriumJson(app, 'user', 'activate', email);
    await atriumJson(app, 'sign-in', email);
    assert.equal((await atriumJson(app, 'workspace', 'list')).length, 3);
  });

  it('imports and exports what other programs hold (OPS-46, OPS-93)', async () => {
    const { email } = data(await app.get('/v1/users/me'));
    for (const [kind, [ending, content]] of Object.entries(IMPORTED)) {
      const file = join(directory, `file.${ending}`);
      await writeFile(file, content);
      await atriumJson(app, 'import', kind, email, file);
      const out = join(directory, `exported.${ending}`);
      const { code, output, stderr } = await runAtrium(app, ['export', kind, email]);
      assert.equal(code, 0, stderr);
      await writeFile(out, output);
      assert.match(
        await readFile(out, 'utf8'),
        kind === 'calendar' ? /DTSTART:20260302T090000Z/ : /imported/,
      );
    }
    const whole = join(directory, 'whole');
    await atriumJson(app, 'export', 'user', email, whole);
    assert.ok((await readdir(whole, { recursive: true })).length > 5);
  });

  it('makes the search index anew, and finds everything sound (OPS-50, OPS-53, OPS-93)', async () => {
    const { code, stderr } = await runAtrium(app, ['search', 'rebuild']);
    assert.equal(code, 0, stderr);
    await eventually(
      async () => data(await app.get('/v1/search?q=imported', { key: OWNER_KEY })).length > 0,
      'what was imported is found',
    );
    await atriumJson(app, 'adopt-blobs');
    await assertSound(app);
    const { stdout } = await runAtrium(app, ['doctor']);
    assert.match(stdout, /cluster/i);
    assert.doesNotMatch(stdout, /not spread/);
  });
});

/** A database remembers which blob store it has been used with: a node with another one would serve files it does not have. */
import assert from 'node:assert/strict';
import { copyFile, cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import pino from 'pino';
import { findMarker } from '../../src/blobs/store-marker.ts';
import { openServices } from '../../src/start/composition.ts';
import { type Config, readConfig } from '../../src/start/config.ts';
import { startServer } from '../../src/start/server.ts';
import { atriumJson, runAtrium } from '../command-line.ts';
import { forEachEngine, freshDatabase, type TestDatabase } from '../engines.ts';
import { startApp } from '../harness.ts';
import { OF_ONE_NODE } from '../nodes/count.ts';
import { type S3, startS3 } from '../s3.ts';

const REFUSED = (setting: string) =>
  new RegExp(`^error: ${setting} names another blob store than the one .*adopt-blobs.*\\.\\n$`);

async function temporary(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'atrium-test-store-'));
  t.after(() => rm(home, { recursive: true }));
  return home;
}

function configOf({ databaseUrl, dataDir }: Omit<TestDatabase, 'remove'>, blobs?: string): Config {
  return readConfig({
    ATRIUM_PORT: '0',
    ATRIUM_SMTP_PORT: 'off',
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_DATABASE_URL: databaseUrl,
    ...(blobs !== undefined && { ATRIUM_BLOBS: blobs }),
  });
}

/** What the command line says on these settings to anything that works with the storage. */
const asked = (config: Config) => runAtrium({ config }, ['workspace', 'list']);
const doctorOf = async (config: Config) => {
  const { stdout } = await runAtrium({ config }, ['doctor', '--json'], {
    ATRIUM_PORT: '0',
    ATRIUM_SMTP_PORT: 'off',
  });
  const { findings } = JSON.parse(stdout) as { findings: { check: string; state: string }[] };
  return findings.find(({ check }) => check === 'blob store')?.state;
};

async function markerOf(config: Config): Promise<string> {
  const services = await openServices(config);
  const marker = await services.database.read(findMarker).finally(() => services.close());
  assert.ok(marker !== undefined);
  return marker;
}

forEachEngine((engine) => {
  describe('a database with blobs on disks', { skip: OF_ONE_NODE }, () => {
    it('a database with blobs on disks is served from no other data directory, until somebody says so (OPS-31)', async (t) => {
      const app = await startApp(engine);
      t.after(() => app.stop());
      const other = { ...app.config, dataDir: await temporary(t) };
      if (engine === 'sqlite')
        await copyFile(join(app.config.dataDir, 'atrium.sqlite'), join(other.dataDir, 'atrium.sqlite'));
      if (engine === 'sqlite')
        await copyFile(
          join(app.config.dataDir, 'atrium.sqlite-wal'),
          join(other.dataDir, 'atrium.sqlite-wal'),
        );
      const refused = await asked(other);
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, REFUSED('ATRIUM_DATA_DIR'));
      const served = await runAtrium({ config: other }, ['serve'], {
        ATRIUM_PORT: '0',
        ATRIUM_SMTP_PORT: '0',
      });
      assert.deepEqual([served.code, served.stdout], [1, '']);
      assert.match(served.stderr, REFUSED('ATRIUM_DATA_DIR'));
      assert.equal(await doctorOf(other), 'fail');
      assert.equal(await doctorOf(app.config), 'ok');
      assert.equal((await runAtrium({ config: other }, ['adopt-blobs'])).code, 0);
      assert.equal((await asked(other)).code, 0);
      assert.equal(await doctorOf(other), 'ok');
      if (engine === 'postgres') assert.match((await asked(app.config)).stderr, REFUSED('ATRIUM_DATA_DIR'));
    });

    it('is served from where its blobs were moved with their marker', async (t) => {
      const app = await startApp(engine);
      const { dataDir, databaseUrl } = app.config;
      const moved = join(await temporary(t), 'moved');
      await cp(dataDir, moved, { recursive: true });
      t.after(() => app.stop());
      assert.equal((await asked(configOf({ dataDir: moved, databaseUrl }))).code, 0);
    });

    it('is told where the store was emptied', async (t) => {
      const app = await startApp(engine);
      t.after(() => app.stop());
      await rm(join(app.config.dataDir, 'blobs'), { recursive: true });
      assert.match((await asked(app.config)).stderr, REFUSED('ATRIUM_DATA_DIR'));
      assert.equal(await doctorOf(app.config), 'fail');
    });

    it('that is of an earlier version remembers the store that it is opened with', async (t) => {
      const app = await startApp(engine);
      t.after(() => app.stop());
      await app.services.blobs.remove(await markerOf(app.config));
      await app.services.database.write((tx) =>
        tx.deleteFrom('server_secrets').where('name', '=', 'blob store').execute(),
      );
      assert.equal(await doctorOf(app.config), 'ok', 'and the doctor changes nothing');
      assert.equal(await app.services.database.read(findMarker), undefined);
      assert.equal((await asked(app.config)).code, 0);
      assert.equal(await doctorOf(app.config), 'ok');
      await markerOf(app.config);
    });

    it('remembers nothing where the power goes between marker and memory, and keeps no marker of that', async (t) => {
      const storage = await freshDatabase(engine);
      t.after(() => storage.remove());
      const config = configOf(storage);
      const services = await openServices(config);
      const { database, blobs } = services;
      await blobs.remove(String(await database.read(findMarker)));
      await database.write(async (tx) => {
        await tx.deleteFrom('server_secrets').where('name', '=', 'blob store').execute();
        // What such a start leaves: a marker that is noted, hours ago.
        await tx
          .insertInto('pending_blobs')
          .values({ workspace_id: '', blob_key: 'blob_left', created_at: 1 })
          .execute();
      });
      await blobs.put(
        'blob_left',
        (async function* () {
          yield Buffer.from('left');
        })(),
      );
      await services.close();
      const again = await openServices(config);
      t.after(() => again.close());
      await again.staging.sweep();
      await assert.rejects(again.blobs.get('blob_left'), /No such blob/);
      assert.notEqual(await again.database.read(findMarker), undefined);
    });
  });

  describe('a restored database', { skip: OF_ONE_NODE }, () => {
    it('remembers the store that it was restored with, and not that of the original', async (t) => {
      const app = await startApp(engine);
      t.after(() => app.stop());
      const directory = join(await temporary(t), 'backup');
      await atriumJson(app, 'backup', directory);
      const storage = await freshDatabase(engine);
      t.after(() => storage.remove());
      const config = configOf(storage);
      assert.equal((await runAtrium({ config }, ['restore', directory])).stderr, '');
      assert.equal(await doctorOf(config), 'ok');
      assert.notEqual(await markerOf(config), await markerOf(app.config));
      const { blobs } = app.services;
      await assert.rejects(blobs.get(await markerOf(config)), /No such blob/);
    });
  });
});

describe('nodes that start for the first time at once', () => {
  it('on disks of their own are one at most', async (t) => {
    const storage = await freshDatabase('postgres');
    t.after(() => storage.remove());
    const homes = await Promise.all(Array.from({ length: 4 }, () => temporary(t)));
    const outcomes = await Promise.all(homes.map((dataDir) => asked(configOf({ ...storage, dataDir }))));
    assert.deepEqual(outcomes.map(({ code }) => code).toSorted(), [0, 1, 1, 1]);
    for (const { stderr } of outcomes.filter(({ code }) => code === 1))
      assert.match(stderr, REFUSED('ATRIUM_DATA_DIR'));
  });
});

describe('a database with blobs on S3', () => {
  let s3: S3;
  before(async () => {
    s3 = await startS3();
    Object.assign(process.env, s3.env);
  });
  after(() => s3.stop());
  const below = (prefix: string) => s3.blobs.replace(`//${s3.bucket}`, `//${s3.bucket}/${prefix}`);

  it('takes all nodes that start at once on one store', async (t) => {
    const storage = await freshDatabase('postgres');
    t.after(() => storage.remove());
    const homes = await Promise.all(Array.from({ length: 4 }, () => temporary(t)));
    const outcomes = await Promise.all(
      homes.map((dataDir) => asked(configOf({ ...storage, dataDir }, below('many')))),
    );
    assert.deepEqual(
      outcomes.map(({ code, stderr }) => [code, stderr]),
      Array(4).fill([0, '']),
    );
  });

  forEachEngine((engine) => {
    it('a database with blobs on S3 is served below no other prefix, and not from a disk (OPS-18, OPS-31)', async (t) => {
      const storage = await freshDatabase(engine);
      t.after(() => storage.remove());
      assert.equal((await asked(configOf(storage, below(`one-${engine}`)))).code, 0);
      assert.equal((await asked(configOf(storage, below(`one-${engine}`)))).code, 0);
      assert.match((await asked(configOf(storage, below(`two-${engine}`)))).stderr, REFUSED('ATRIUM_BLOBS'));
      assert.match((await asked(configOf(storage))).stderr, REFUSED('ATRIUM_DATA_DIR'));
      assert.equal(await doctorOf(configOf(storage, below(`two-${engine}`))), 'fail');
    });

    it('starts while its store is away, and serves from no other when that is back', async (t) => {
      const storage = await freshDatabase(engine);
      t.after(() => storage.remove());
      const config = configOf(storage, below(`away-${engine}`));
      await markerOf(config);
      s3.fault = () => 'drop';
      t.after(() => (s3.fault = undefined));
      const start = async (blobs: string) => {
        const given = { ...config, blobs };
        const server = await startServer(given, await openServices(given), pino({ level: 'silent' }));
        t.after(() => server.stop());
        return server.address;
      };
      const [same, other] = [await start(config.blobs ?? ''), await start(below(`else-${engine}`))];
      const ready = async (address: string) => (await fetch(`${address}/readyz`)).status;
      assert.deepEqual([await ready(same), await ready(other)], [503, 503]);
      s3.fault = undefined;
      assert.deepEqual([await ready(same), await ready(other)], [200, 503]);
    });
  });
});

it('the marker is one small blob', async (t) => {
  const app = await startApp('sqlite');
  t.after(() => app.stop());
  const found = await readdir(join(app.config.dataDir, 'blobs'), { recursive: true });
  assert.equal(found.filter((name) => name.includes('blob_')).length, 1);
});

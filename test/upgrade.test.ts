/** What a version has made, every later one opens: by its data directory on SQLite, by its backup on PostgreSQL. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import pino from 'pino';
import { Atrium } from '../client/src/index.ts';
import { restore } from '../src/archive/restore.ts';
import { openRestoreTarget, openServices } from '../src/start/composition.ts';
import { readConfig } from '../src/start/config.ts';
import { startServer } from '../src/start/server.ts';
import { verify } from '../src/start/verification.ts';
import type { Engine } from '../src/storage/database.ts';
import { freshDatabase } from './engines.ts';
import { everythingOf, type Window } from './upgrade/answers.ts';
import { KEY, migrationDigests, RELEASES } from './upgrade/released.ts';

interface Release {
  window: Window;
  migrations: Record<string, string>;
  answers: object;
}

const nothing = () => ({ rows: 0, blobs: 0, bytes: 0 });

for (const version of readdirSync(RELEASES)) {
  const folder = join(RELEASES, version);
  const release = JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8')) as Release;

  describe(`what version ${version} has made`, () => {
    it('opens, by its data directory on SQLite', async (t) => {
      const config = await unpacked(t, 'sqlite', join(folder, 'data.tar.gz'));
      await assertSame(config, release);
    });

    it('comes back on PostgreSQL, by its backup', async (t) => {
      const config = await unpacked(t, 'postgres', join(folder, 'backup.tar.gz'));
      const target = await openRestoreTarget(config);
      await restore(join(config.dataDir, 'backup'), target, nothing()).finally(() => target.close());
      await assertSame(config, release);
    });

    it('is kept small', () => {
      for (const name of readdirSync(folder)) assert.ok(statSync(join(folder, name)).size < 500_000, name);
    });

    it('was made by migrations that are as they were', () => {
      const now = migrationDigests();
      const changed = Object.entries(release.migrations).filter(([name, digest]) => now[name] !== digest);
      assert.deepEqual(
        changed.map(([name]) => name),
        [],
        'A migration of a released version never changes: what is there was made by it. Write a new one.',
      );
    });
  });
}

/** Settings of a storage of the engine, in whose directory an archive was unpacked. */
async function unpacked(t: TestContext, engine: Engine, archive: string) {
  const storage = await freshDatabase(engine);
  t.after(storage.remove);
  execFileSync('tar', ['-xzf', archive, '-C', storage.dataDir]);
  return readConfig({
    ATRIUM_PORT: '0',
    ATRIUM_SMTP_PORT: '0',
    ATRIUM_DATA_DIR: engine === 'sqlite' ? join(storage.dataDir, 'data') : storage.dataDir,
    ATRIUM_DATABASE_URL: storage.databaseUrl,
  });
}

/** Later versions may answer more, and nothing else. */
async function assertSame(
  config: ReturnType<typeof readConfig>,
  { window, answers }: Release,
): Promise<void> {
  const services = await openServices(config);
  const server = await startServer(config, services, pino({ level: 'silent' }));
  try {
    assert.deepEqual(await verify(services, nothing()), []);
    const now = await everythingOf(new Atrium({ address: server.address, key: KEY }), window);
    assert.partialDeepStrictEqual(now, answers);
  } finally {
    await server.stop();
  }
}

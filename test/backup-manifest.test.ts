/** The manifest of a backup says what is in it: one that was changed, or cannot be true, is told and brings nothing back. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ArchivedTable, Manifest } from '../src/archive/manifest.ts';
import { data } from './areas/accounts.ts';
import { changeManifest, damageManifest } from './changed-manifest.ts';
import { atriumJson, runAtrium } from './command-line.ts';
import { forEachEngine, freshDatabase } from './engines.ts';
import { startApp, type TestApp } from './harness.ts';

type Damage = (manifest: Manifest) => void;

const DAMAGES: Record<string, Damage> = {
  'a table gone, whose rows nothing else counts': (manifest) => drop(manifest, 'api_keys'),
  'a table gone, whose rows others need': (manifest) => drop(manifest, 'thread_links'),
  'a table that is none of the product': (manifest) => {
    manifest.tables.push({ ...tableNamed(manifest, 'users'), name: 'people' });
  },
  'a table named twice': (manifest) => {
    manifest.tables.push(tableNamed(manifest, 'users'));
  },
  'two columns under each other’s names': (manifest) => {
    const { columns } = tableNamed(manifest, 'resources');
    const [name, description] = [columns.indexOf('name'), columns.indexOf('description')];
    columns[name] = 'description';
    columns[description] = 'name';
  },
  'other blobs counted': (manifest) => {
    manifest.blobs.count = 0;
  },
  'other bytes counted': (manifest) => {
    manifest.blobs.bytes++;
  },
  // Those after it change no column: a restore carries them out again, as on a backup that was made before them.
  'the last step of the schema cut': (manifest) => {
    const last = manifest.migrations.lastIndexOf('0019-shared-contents');
    assert.ok(last > 0);
    manifest.migrations.length = last;
  },
  'a column of bytes taken for text': (manifest) => {
    tableNamed(manifest, 'message_contents').bytes.length = 0;
  },
};

function tableNamed({ tables }: Manifest, wanted: string): ArchivedTable {
  const table = tables.find(({ name }) => name === wanted);
  assert.ok(table, `there is no table ${wanted}`);
  return table;
}

function drop(manifest: Manifest, name: string): void {
  manifest.tables.splice(manifest.tables.indexOf(tableNamed(manifest, name)), 1);
}

forEachEngine((engine) => {
  describe('the manifest of a backup', () => {
    let app: TestApp;
    let home: string;
    let directory: string;
    let whole: string;
    before(async () => {
      app = await startApp(engine);
      home = await mkdtemp(join(tmpdir(), 'atrium-test-manifest-'));
      directory = join(home, 'backup');
      const headers = { 'content-type': 'application/octet-stream' };
      data(
        await app.request('POST', '/v1/files?filename=a.bin', { body: 'x'.repeat(200_000), headers }),
        201,
      );
      await atriumJson(app, 'backup', directory);
      whole = await readFile(join(directory, 'manifest.json'), 'utf8');
    });
    after(async () => {
      await app.stop();
      await rm(home, { recursive: true });
    });

    async function assertRefused(command: 'verify' | 'restore'): Promise<void> {
      const storage = await freshDatabase(engine);
      const config = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl } as TestApp['config'];
      const { code, stdout, stderr } = await runAtrium({ config }, [command, directory]);
      assert.deepEqual([command, code, stdout], [command, 1, '']);
      assert.match(stderr, /^error: The (manifest of the )?backup is damaged: .*\.\n$/);
      await storage.remove();
    }

    it('is good as it was written', async () => {
      await writeFile(join(directory, 'manifest.json'), whole);
      assert.deepEqual((await atriumJson(app, 'verify', directory)).problems, []);
    });

    for (const [name, damage] of Object.entries(DAMAGES)) {
      it(`with ${name} is refused by what it says, under a digest that is right`, async () => {
        await writeFile(join(directory, 'manifest.json'), whole);
        await changeManifest(directory, damage);
        await assertRefused('restore');
        // To verify a backup, and to hold its manifest against the digest, takes no database.
        if (engine === 'sqlite') await assertRefused('verify');
      });

      if (engine !== 'sqlite') continue;
      it(`with ${name} is refused by its digest`, async () => {
        await writeFile(join(directory, 'manifest.json'), whole);
        await damageManifest(directory, damage);
        await assertRefused('restore');
      });
    }
  });

  it('a restore holds the rows that it brought back against the rules, and tells what is amiss', async (t) => {
    const app = await startApp(engine);
    t.after(() => app.stop());
    const home = await mkdtemp(join(tmpdir(), 'atrium-test-manifest-'));
    t.after(() => rm(home, { recursive: true }));
    const [{ id: inbox }] = data(await app.get('/v1/folders'));
    const headers = { 'content-type': 'message/rfc822' };
    data(
      await app.request('POST', `/v1/folders/${inbox}/messages`, { body: 'Subject: a\r\n\r\n', headers }),
      201,
    );
    await app.services.database.write((tx) =>
      tx.updateTable('mail_folder_counts').set({ messages: 7 }).execute(),
    );
    const directory = join(home, 'backup');
    await atriumJson(app, 'backup', directory);
    const storage = await freshDatabase(engine);
    t.after(() => storage.remove());
    const config = { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl } as TestApp['config'];
    const { code, stdout } = await runAtrium({ config }, ['restore', directory]);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /restored from .*\n.* 1 problem .*\nThe counts of a folder are those of its messages/,
    );
    assert.equal((await atriumJson({ config }, 'workspace', 'list')).length, 1, 'and it is there to be used');
  });
});

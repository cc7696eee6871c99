/** The index of the search: it follows what is written, is compared, and is made anew. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { problemsOfIndex } from '../../src/areas/search/index-problems.ts';
import { ID_DIGITS } from '../../src/platform/ids.ts';
import { StorageUnavailable } from '../../src/storage/database.ts';
import type { IndexBatch, IndexedObject, IndexState } from '../../src/storage/full-text/full-text-index.ts';
import { SqliteIndex } from '../../src/storage/full-text/sqlite/sqlite-index.ts';
import { runAtrium, startAtrium } from '../command-line.ts';
import { forEachEngine, freshDatabase } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { putFile, theOwner } from './files-world.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';
import { hitsOf, indexed, titlesOf } from './search-world.ts';
import { serveProcess } from './served-process.ts';

/** The ten digits of the time in an id. */
function timeDigits(milliseconds: number): string {
  let digits = '';
  for (let rest = milliseconds; digits.length < 10; rest = Math.floor(rest / 32))
    digits = ID_DIGITS[rest % 32] + digits;
  return digits;
}

forEachEngine((engine) => {
  describe('the index of the search', () => {
    let app: TestApp;
    let inbox: string;
    before(async () => {
      app = await startApp(engine);
      inbox = await folderOf(app, 'inbox');
    });
    after(() => app.stop());

    const problems = () => problemsOfIndex(app.services);
    /** Where there are some: they do not go away while it waits. */
    const lastingProblems = () => problemsOfIndex(app.services, 0);
    /** Changes the index behind its own back, while it follows nothing. */
    const change = async (batch: Partial<Pick<IndexBatch, 'objects' | 'removed'>>) => {
      const { fullTextIndex, indexer } = app.services;
      await indexer.stop();
      const state = await fullTextIndex.state();
      assert.ok(state);
      await fullTextIndex.write({ from: undefined, to: state, objects: [], removed: [], ...batch });
      indexer.start((error) => assert.fail(String(error)));
    };
    const objectOf = async (id: string): Promise<IndexedObject> => {
      const { workspaceId } = await app.services.database.read((tx) =>
        tx.selectFrom('workspaces').select('id as workspaceId').executeTakeFirstOrThrow(),
      );
      const [object] = await app.services.sources.objects([{ workspaceId, kind: 'message', id }]);
      assert.ok(object);
      return object;
    };

    it('is compared with what is stored: what it lacks, has of old and still has is told (SEARCH-25)', async () => {
      const { id } = await append(app, inbox, rfc822({ subject: 'compared' }));
      await indexed(app);
      assert.deepEqual(await problems(), []);
      const object = await objectOf(id);
      await change({ removed: [object] });
      assert.match(
        (await lastingProblems()).join('\n'),
        new RegExp(`^The full-text index lacks 1 objects, such as message ${id};`),
      );
      await change({ objects: [{ ...object, texts: [{ field: 'body', text: 'old' }] }] });
      assert.match(
        (await lastingProblems()).join('\n'),
        new RegExp(`^The full-text index has an old text of 1 objects, such as message ${id};`),
      );
      const gone = { ...object, id: object.id.replace(/.$/, (last) => (last === 'z' ? 'y' : 'z')) };
      await change({ objects: [object, gone] });
      assert.match(
        (await lastingProblems()).join('\n'),
        new RegExp(`^The full-text index still has 1 objects, such as message ${gone.id};`),
      );
      await change({ removed: [gone] });
      assert.deepEqual(await problems(), []);
    });

    it('keeps the whole text of what it indexes while the storage is away (SEARCH-25)', async (t) => {
      const { fullTextIndex, indexer } = app.services;
      await indexer.stop();
      const write = fullTextIndex.write.bind(fullTextIndex);
      let failures = 2;
      t.mock.method(fullTextIndex, 'write', (batch: IndexBatch) =>
        batch.objects.length > 0 && failures-- > 0
          ? Promise.reject(new StorageUnavailable('The database does not answer'))
          : write(batch),
      );
      await append(app, inbox, rfc822({ subject: 'away' }));
      indexer.start(() => undefined);
      await eventually(() => failures < 0, 'it is indexed in the end');
      await indexed(app);
      assert.deepEqual(await problems(), []);
    });

    it('is made anew by a command while searches work (SEARCH-26)', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 12; i++)
        ids.push((await append(app, inbox, rfc822({ subject: `rebuilt ${i}` }))).id);
      await indexed(app);
      await change({ removed: await Promise.all(ids.slice(0, 5).map(objectOf)) });
      assert.equal((await hitsOf(app, 'rebuilt')).length, 7);
      const { code, stdout, stderr } = await runAtrium(app, ['search', 'rebuild']);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^The full-text index has \d+ objects\.\n$/);
      assert.equal((await hitsOf(app, 'rebuilt')).length, 12);
      assert.deepEqual(await problems(), []);
    });

    it('begins a build although the index moves on at the same time (SEARCH-26)', async (t) => {
      const { fullTextIndex, indexer } = app.services;
      await indexer.stop();
      const before = await fullTextIndex.state();
      assert.ok(before);
      const write = fullTextIndex.write.bind(fullTextIndex);
      let others = 2;
      t.mock.method(fullTextIndex, 'write', async (batch: IndexBatch) => {
        if (others-- <= 0) return write(batch);
        const to = { ...before, readUntil: before.readUntil + others };
        await write({ from: undefined, to, objects: [], removed: [] });
        return write(batch);
      });
      assert.equal(await indexer.beginBuild(), 0);
      t.mock.restoreAll();
      assert.equal((await fullTextIndex.state())?.build, before.build + 1);
      await indexer.catchUp();
      assert.deepEqual(await problems(), []);
      indexer.start((error) => assert.fail(String(error)));
    });

    it('goes on with a build that broke off (SEARCH-26)', async () => {
      const { fullTextIndex, indexer } = app.services;
      await indexer.stop();
      assert.equal(await indexer.beginBuild(), 0);
      const { built, isBuilding } = await indexer.step();
      assert.ok(built > 0 && isBuilding);
      assert.equal(await indexer.beginBuild(), built);
      await indexer.catchUp();
      assert.equal((await fullTextIndex.state())?.building, undefined);
      assert.deepEqual(await problems(), []);
      indexer.start((error) => assert.fail(String(error)));
    });

    it('goes on with a build whose command was killed (SEARCH-26, SEARCH-27)', async () => {
      const { fullTextIndex, indexer } = app.services;
      for (let i = 0; i < 250; i++) await append(app, inbox, rfc822({ subject: `killed ${i}` }));
      await indexed(app);
      await indexer.stop();
      const killed = await whileBuilding(async (child) => {
        for (;;) {
          const state = await fullTextIndex.state();
          if (state?.building !== undefined && state.built > 0) break;
          if (child.exitCode !== null) return undefined;
          // What is asked answers at once: without a turn of the event loop, nobody would hear that the child has ended.
          await setImmediate();
        }
        child.kill('SIGKILL');
        await once(child, 'close');
        const state = await fullTextIndex.state();
        return state?.building === undefined ? undefined : state;
      });
      const { code, stdout } = await runAtrium(app, ['search', 'rebuild', '--json']);
      assert.equal(code, 0);
      const state = await fullTextIndex.state();
      assert.deepEqual([state?.build, state?.building], [killed.build, undefined], 'the same build is done');
      assert.ok(killed.built < JSON.parse(stdout).objects);
      assert.equal((await hitsOf(app, 'killed', { query: '&limit=100' })).length, 100);
      assert.deepEqual(await problems(), []);
      indexer.start((error) => assert.fail(String(error)));
    });

    /** Starts builds until one is caught: it may be done before anybody looks. */
    async function whileBuilding(
      look: (child: ChildProcess) => Promise<IndexState | undefined>,
    ): Promise<IndexState> {
      for (let attempt = 0; attempt < 10; attempt++) {
        const state = await look(startAtrium(app, ['search', 'rebuild']));
        if (state) return state;
      }
      return assert.fail('No build was caught');
    }

    it('follows what is expunged and restored', async () => {
      const { id } = await append(app, inbox, rfc822({ subject: 'phoenix' }), { query: '?flag=deleted' });
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'phoenix'), ['phoenix']);
      data(await app.post(`/v1/folders/${inbox}/expunge`, {}));
      assert.deepEqual(await titlesOf(app, 'phoenix'), []);
      await indexed(app);
      assert.deepEqual(await problems(), []);
      data(await app.post(`/v1/messages/${id}/restore`, {}));
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'phoenix'), ['phoenix']);
    });

    it('has a place for each of many objects of one time, whenever they were made', async () => {
      const { id } = await append(app, inbox, rfc822({ subject: 'crowded' }));
      await indexed(app);
      const object = await objectOf(id);
      // The second of these ids has the last place of a time.
      const second = 1_000 * (800 * 2 ** 21 + 2 ** 21 - 2);
      const made = (i: number) => `msg_${timeDigits(second)}${String(i).padStart(16, '0')}`;
      const crowd = Array.from({ length: 9 }, (_, i) => ({ ...object, id: made(i) }));
      const next = {
        ...object,
        id: `msg_${timeDigits(1_000 * 800 * 2 ** 21)}${'0'.repeat(16)}`,
        at: object.at + 1,
      };
      await change({ objects: [next] });
      await change({ objects: crowd.slice(0, 4) });
      await change({ objects: crowd.slice(4) });
      const { fullTextIndex } = app.services;
      assert.equal((await fullTextIndex.digests([next, ...crowd])).length, 10);
      await change({ removed: [next, ...crowd] });
      assert.deepEqual(await problems(), []);
    });

    it('indexes files that are larger than memory should hold together, in portions', async () => {
      const owner = await theOwner(app);
      const text = Buffer.from(`elephant ${'grey '.repeat(800_000)}`);
      const { fullTextIndex, indexer } = app.services;
      await indexer.stop();
      for (let i = 0; i < 4; i++)
        await putFile(app, owner, { filename: `large ${i}.txt`, mimeType: 'text/plain', bytes: text });
      const batches: number[] = [];
      const write = fullTextIndex.write.bind(fullTextIndex);
      fullTextIndex.write = (batch) => {
        batches.push(batch.objects.length);
        return write(batch);
      };
      await indexed(app, async () => {
        await indexer.catchUp();
        return true;
      });
      fullTextIndex.write = write;
      indexer.start((error) => assert.fail(String(error)));
      assert.ok(batches.every((length) => length < 3) && batches.length >= 2, String(batches));
      assert.equal((await hitsOf(app, 'elephant')).length, 4);
      assert.deepEqual(await problems(), []);
    });

    it('is searched from the command line (SEARCH-28)', async () => {
      await append(app, inbox, rfc822({ subject: 'from a terminal' }));
      await indexed(app);
      const run = (...args: string[]) =>
        runAtrium(app, ['search', ...args], { ATRIUM_URL: app.address, ATRIUM_KEY: OWNER_KEY });
      const shown = await run('terminal', 'from:ada');
      assert.deepEqual([shown.code, shown.stderr], [0, '']);
      assert.match(
        shown.stdout,
        /^AT +KIND +TITLE +TEXT\n\S+Z +message +from a terminal +from a terminal\n$/,
      );
      assert.equal((await run('nothing-like-it')).stdout, 'Nothing was found.\n');
      const [hit] = JSON.parse((await run('terminal', '--json', '--kinds', 'message')).stdout);
      assert.equal(hit.title, 'from a terminal');
      assert.equal((await run('-x')).code, 2);
    });
  });

  if (engine === 'sqlite')
    for (const [what, harm] of Object.entries({
      removed: async (path: string) => {
        for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true });
      },
      replaced: async (path: string) => {
        for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true });
        await writeFile(path, '');
      },
      truncated: (path: string) => truncate(path, 0),
      overwritten: async (path: string) => {
        const { size } = await stat(path);
        await writeFile(path, Buffer.alloc(size, 'x'));
      },
      'half overwritten': async (path: string) => {
        const file = await open(path, 'r+');
        const { size } = await file.stat();
        await file.write(Buffer.alloc(size - 4_096, 'x'), 0, size - 4_096, 4_096);
        await file.close();
      },
    }))
      it(`a file of the index that is ${what} while the server runs is made anew (SEARCH-27)`, async (t) => {
        const app = await startApp('sqlite');
        t.after(() => app.stop());
        const inbox = await folderOf(app, 'inbox');
        for (let i = 0; i < 30; i++) await append(app, inbox, rfc822({ subject: `before ${i}` }));
        await indexed(app);
        assert.equal((await hitsOf(app, 'before', { query: '&limit=100' })).length, 30);
        const path = join(app.config.dataDir, 'search.sqlite');
        const file = new DatabaseSync(path);
        file.exec('pragma wal_checkpoint(truncate)');
        file.close();
        await harm(path);
        await append(app, inbox, rfc822({ subject: 'before and after' }));
        await eventually(async () => {
          const answer = await app.get('/v1/search?q=before&limit=100');
          return answer.status === 200 && answer.json.data.length === 31;
        }, 'everything is found');
        assert.deepEqual(await problemsOfIndex(app.services), []);
      });

  it('a file of the index that is damaged is made anew (SEARCH-27)', async (t) => {
    const storage = await freshDatabase('sqlite');
    t.after(() => storage.remove());
    const path = join(storage.dataDir, 'search.sqlite');
    await mkdir(storage.dataDir, { recursive: true });
    await writeFile(path, 'no database at all'.repeat(1_000));
    const index = new SqliteIndex(path);
    t.after(() => index.close());
    assert.equal(await index.state(), undefined);
    const state = {
      era: 'e',
      position: { transaction: 0, number: 7 },
      readUntil: 1,
      building: undefined,
      built: 0,
      build: 1,
    };
    assert.equal(await index.write({ from: undefined, to: state, objects: [], removed: [] }), true);
    assert.equal((await index.state())?.position.number, 7);
    assert.deepEqual(await index.check(), []);
  });

  it('a server that is killed at any instant finds everything afterwards (SEARCH-27)', {
    timeout: 300_000,
  }, async (t) => {
    const storage = await freshDatabase(engine);
    t.after(() => storage.remove());
    const settings = { ATRIUM_DATA_DIR: storage.dataDir, ATRIUM_DATABASE_URL: storage.databaseUrl };
    const headers = { authorization: `Bearer ${OWNER_KEY}` };
    const written: string[] = [];
    for (let round = 0; round < 3; round++) {
      const server = await serveProcess(settings);
      const folders = await (await fetch(`${server.address}/v1/folders`, { headers })).json();
      const inbox = (folders as { data: { id: string; role: string }[] }).data.find(
        ({ role }) => role === 'inbox',
      )?.id;
      const writers = Array.from({ length: 4 }, async () => {
        for (let i = 0; i < 60; i++) {
          const answer = await fetch(`${server.address}/v1/folders/${inbox}/messages`, {
            method: 'POST',
            headers: { ...headers, 'content-type': 'message/rfc822', 'idempotency-key': randomUUID() },
            body: rfc822({ subject: `survivor ${round} ${i}` }),
          }).catch(() => undefined);
          if (answer?.status !== 201) return;
          written.push(((await answer.json()) as { data: { id: string } }).data.id);
        }
      });
      await eventually(() => written.length > round * 60 + 40, 'messages are written');
      await server.kill();
      await Promise.all(writers);
    }
    const server = await serveProcess(settings);
    t.after(() => server.kill());
    const found = new Set<string>();
    await eventually(async () => {
      for (let cursor = ''; ; ) {
        const answer = await fetch(
          `${server.address}/v1/search?q=survivor&limit=100${cursor && `&cursor=${cursor}`}`,
          { headers },
        );
        const page = (await answer.json()) as { data: { id: string }[]; pagination: { next_cursor: string } };
        for (const { id } of page.data) found.add(id);
        cursor = page.pagination.next_cursor;
        if (cursor === '') break;
      }
      return written.every((id) => found.has(id));
    }, 'everything is found');
    const app = {
      config: { dataDir: storage.dataDir, databaseUrl: storage.databaseUrl },
    } as unknown as TestApp;
    const verified = await runAtrium(app, ['verify']);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  });
});

/** Shared folders in the index of the search: what is gathered under a shared folder, what is not, and when. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { problemsOfIndex } from '../../src/areas/search/index-problems.ts';
import { principalsOfTrees, rootsOf } from '../../src/storage/full-text/folder-trees.ts';
import type { IndexedObject, IndexQuery } from '../../src/storage/full-text/full-text-index.ts';
import { below } from '../../src/storage/full-text/terms.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { makeFolder, makePerson, type Person, putFile, shareWith, theOwner } from './files-world.ts';
import { indexed } from './search-world.ts';

const FOLDERS = 12;

forEachEngine((engine) => {
  describe('shared folders in the index of the search', () => {
    let app: TestApp;
    let owner: Person;
    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
      // The tests say when it follows.
      await app.services.indexer.stop();
    });
    after(() => app.stop());

    /** Older transactions, of other tests as well, may hold the last changes back from the feed for a moment. */
    const follow = () =>
      indexed(app, async () => {
        await app.services.indexer.catchUp();
        return (await app.services.fullTextIndex.dueFolders(1)).length === 0;
      });
    const put = async (folderId: string, word: string): Promise<string> =>
      (await putFile(app, owner, { folderId, filename: 'notes.txt', bytes: Buffer.from(word) })).id;
    const found = async (person: Person, q: string): Promise<string[]> => {
      const hits = data(await app.get(`/v1/search?q=${encodeURIComponent(q)}&limit=100`, person));
      return hits.map(({ id }: { id: string }) => id).sort();
    };
    /** The principals that a search of a person asks the index for. */
    const asked = async (person: Person): Promise<readonly string[]> => {
      const { fullTextIndex } = app.services;
      const search = fullTextIndex.search.bind(fullTextIndex);
      let principals: readonly string[] = [];
      fullTextIndex.search = async (query: IndexQuery) => {
        const { workspaceId, trees } = query;
        const under = await fullTextIndex.foldersUnder(workspaceId, rootsOf(trees));
        principals = [...query.principals, ...principalsOfTrees(trees, under)];
        return search(query);
      };
      await app.get('/v1/search?q=anything', person);
      fullTextIndex.search = search;
      return principals;
    };
    /** What the index finds below a shared folder, whoever asks. */
    const gathered = async (root: string): Promise<string[]> => {
      const { workspace_id: workspaceId } = await app.services.database.read((tx) =>
        tx.selectFrom('nodes').select('workspace_id').where('id', '=', root).executeTakeFirstOrThrow(),
      );
      const hits = await app.services.fullTextIndex.search({
        workspaceId,
        principals: [below(root)],
        trees: [],
        kinds: ['file'],
        clauses: [],
        from: 0,
        until: Number.MAX_SAFE_INTEGER,
        behind: undefined,
        limit: 1_000,
      });
      return hits.map(({ id }) => id).sort();
    };
    /** A tree of folders with a file in each, one of them two levels deep. */
    const tree = async (word: string) => {
      const top = await makeFolder(app, owner, 'Top');
      const folders: string[] = [];
      const files = [await put(top.id, word)];
      for (let i = 0; i < FOLDERS; i++) {
        const above = i === FOLDERS - 1 ? (folders[0] as string) : top.id;
        const { id } = await makeFolder(app, owner, `Folder ${i}`, above);
        folders.push(id);
        files.push(await put(id, word));
      }
      await follow();
      return { top: top.id as string, folders, files };
    };

    test('a search asks for a shared folder and what is below it, whatever the number of folders (SEARCH-30)', async () => {
      const reader = await makePerson(app);
      const { top, files } = await tree('aardvark');
      await shareWith(app, owner, top, reader.id, 'viewer');
      assert.deepEqual(await found(reader, 'aardvark'), files.toSorted());
      assert.equal((await asked(reader)).length, 1 + 1 + FOLDERS);
      await follow();
      assert.deepEqual(await asked(reader), [reader.id, below(top), top]);
      assert.deepEqual(await found(reader, 'aardvark'), files.toSorted());
      assert.deepEqual(await gathered(top), files.slice(1).sort());
      assert.deepEqual(await problemsOfIndex(app.services), []);
    });

    test('what is moved, trashed or restored is found or not at once, and passed over by nobody (SEARCH-29, SEARCH-30)', async () => {
      const reader = await makePerson(app);
      const { top, folders, files } = await tree('bandicoot');
      const [first = '', , , , , , , , , , , last = ''] = folders;
      const inFirst = [files[1], files.at(-1)];
      const others = files.filter((id) => !inFirst.includes(id)).sort();
      await shareWith(app, owner, top, reader.id, 'viewer');
      await follow();

      data(await app.put(`/v1/file-folders/${first}`, { parent_id: '' }));
      assert.deepEqual(await found(reader, 'bandicoot'), others);
      assert.ok(!(await asked(reader)).includes(below(top)), 'the index has what is elsewhere by now');
      await follow();
      assert.deepEqual(await asked(reader), [reader.id, below(top), top]);
      assert.deepEqual(
        await gathered(top),
        others.filter((id) => id !== files[0]),
      );
      assert.deepEqual(await found(reader, 'bandicoot'), others);

      data(await app.put(`/v1/file-folders/${first}`, { parent_id: top }));
      assert.deepEqual(await found(reader, 'bandicoot'), files.toSorted());
      assert.deepEqual(
        (await asked(reader)).toSorted(),
        [reader.id, below(top), top, first, last].toSorted(),
      );
      await follow();
      assert.deepEqual(await asked(reader), [reader.id, below(top), top]);

      assert.equal((await app.delete(`/v1/file-folders/${first}`)).status, 204);
      assert.deepEqual(await found(reader, 'bandicoot'), others);
      await follow();
      assert.deepEqual(await asked(reader), [reader.id, below(top), top]);
      assert.deepEqual(
        await gathered(top),
        others.filter((id) => id !== files[0]),
      );
      data(await app.post(`/v1/file-folders/${first}/restore`));
      assert.deepEqual(await found(reader, 'bandicoot'), files.toSorted());
      await follow();
      assert.deepEqual(await asked(reader), [reader.id, below(top), top]);
      assert.deepEqual(await gathered(top), files.slice(1).sort());
      assert.deepEqual(await problemsOfIndex(app.services), []);
    });

    test('a revocation acts at once, and then the index has nothing of it any more (SEARCH-6, SEARCH-29)', async () => {
      const [reader, second] = [await makePerson(app), await makePerson(app)];
      const { top, folders, files } = await tree('capybara');
      const grant = await shareWith(app, owner, top, reader.id, 'viewer');
      const inner = await shareWith(app, owner, folders[0] as string, second.id, 'viewer');
      await follow();
      assert.deepEqual(await found(second, 'capybara'), [files[1], files.at(-1)].sort());
      assert.deepEqual(await gathered(folders[0] as string), [files.at(-1)]);
      assert.equal((await app.delete(`/v1/file-folders/${top}/permissions/${grant.id}`)).status, 204);
      assert.deepEqual(await found(reader, 'capybara'), []);
      assert.deepEqual(await asked(reader), [reader.id]);
      await follow();
      assert.deepEqual(await gathered(top), []);
      assert.deepEqual(await found(second, 'capybara'), [files[1], files.at(-1)].sort());
      assert.deepEqual(await gathered(folders[0] as string), [files.at(-1)]);
      await shareWith(app, owner, top, reader.id, 'viewer');
      assert.deepEqual(await found(reader, 'capybara'), files.toSorted());
      assert.equal((await app.delete(`/v1/file-folders/${folders[0]}/permissions/${inner.id}`)).status, 204);
      await follow();
      assert.deepEqual(await gathered(top), files.slice(1).sort());
      assert.deepEqual(await problemsOfIndex(app.services), []);
    });

    test('what comes later is found under the shared folder as well, wherever it is put (SEARCH-29, SEARCH-30)', async () => {
      const reader = await makePerson(app);
      const { top, folders, files } = await tree('dormouse');
      await shareWith(app, owner, top, reader.id, 'viewer');
      await follow();
      const made = await makeFolder(app, owner, 'Made', folders[3]);
      const later = await put(made.id, 'dormouse');
      await follow();
      assert.deepEqual(await found(reader, 'dormouse'), [...files, later].sort());
      assert.deepEqual(await asked(reader), [reader.id, below(top), top]);
      data(await app.put(`/v1/files/${later}`, { folder_id: '' }));
      assert.ok(!(await found(reader, 'dormouse')).includes(later));
      await follow();
      assert.deepEqual(await gathered(top), files.slice(1).sort());
      data(await app.put(`/v1/files/${later}`, { folder_id: folders[2] }));
      await follow();
      assert.deepEqual(await found(reader, 'dormouse'), [...files, later].sort());
      assert.deepEqual(await problemsOfIndex(app.services), []);
    });

    test('a folder with many files is gathered in portions, and a search finds all meanwhile (SEARCH-30)', async () => {
      const reader = await makePerson(app);
      const { top, files } = await tree('echidna');
      await shareWith(app, owner, top, reader.id, 'viewer');
      const { fullTextIndex } = app.services;
      const gather = fullTextIndex.gather.bind(fullTextIndex);
      let portions = 0;
      fullTextIndex.gather = async (folders) => {
        portions++;
        assert.deepEqual(await found(reader, 'echidna'), files.toSorted(), `before portion ${portions}`);
        await gather(folders, 1);
      };
      await follow();
      fullTextIndex.gather = gather;
      assert.ok(portions > FOLDERS, `${portions} portions`);
      assert.deepEqual(await asked(reader), [reader.id, below(top), top]);
      assert.deepEqual(await gathered(top), files.slice(1).sort());
      assert.deepEqual(await problemsOfIndex(app.services), []);
    });

    test('a search finds all while the index lets go of what it has gathered (SEARCH-29)', async () => {
      const reader = await makePerson(app);
      const { top, folders, files } = await tree('gecko');
      await shareWith(app, owner, top, reader.id, 'viewer');
      await follow();
      const { fullTextIndex } = app.services;
      const { workspace_id: workspaceId } = await app.services.database.read((tx) =>
        tx.selectFrom('nodes').select('workspace_id').where('id', '=', top).executeTakeFirstOrThrow(),
      );
      const search = fullTextIndex.search.bind(fullTextIndex);
      // As an indexing does that has read the folders while they were in the trash, and writes when they are back.
      fullTextIndex.search = async (query: IndexQuery) => {
        const gone = { workspaceId, roots: [], below: [], isGone: false };
        await fullTextIndex.gather(
          [top, ...folders].map((folderId) => ({ ...gone, folderId })),
          1_000,
        );
        return search(query);
      };
      assert.deepEqual(await found(reader, 'gecko'), files.toSorted());
      fullTextIndex.search = search;
      assert.deepEqual(await gathered(top), []);
      data(await app.put(`/v1/file-folders/${top}`, { name: 'Top again' }));
      await follow();
      assert.deepEqual(await gathered(top), files.slice(1).sort());
      assert.deepEqual(await problemsOfIndex(app.services), []);
    });

    test('a build gathers anew, and forgets folders that are gone (SEARCH-26, SEARCH-30)', async () => {
      const reader = await makePerson(app);
      const { top, files } = await tree('ferret');
      await shareWith(app, owner, top, reader.id, 'viewer');
      await follow();
      const { fullTextIndex, indexer } = app.services;
      const state = await fullTextIndex.state();
      assert.ok(state);
      const { workspace_id: workspaceId } = await app.services.database.read((tx) =>
        tx.selectFrom('nodes').select('workspace_id').where('id', '=', top).executeTakeFirstOrThrow(),
      );
      // An object that is stored no more, in a folder that is stored no more.
      const gone: IndexedObject = {
        workspaceId,
        kind: 'file',
        id: 'file_00000000000000000000000000',
        at: 1,
        principals: [owner.id],
        folder: { id: 'fold_gone', roots: [top] },
        texts: [{ field: 'body', text: 'ferret' }],
        hasAttachment: false,
      };
      await fullTextIndex.write({ from: undefined, to: state, objects: [gone], removed: [] });
      assert.ok(!(await asked(reader)).includes(below(top)), 'it has what the person does not reach');
      await indexer.beginBuild();
      assert.deepEqual(await found(reader, 'ferret'), files.toSorted());
      await follow();
      assert.deepEqual(await asked(reader), [reader.id, below(top), top]);
      assert.deepEqual(await gathered(top), files.slice(1).sort());
      assert.deepEqual(await problemsOfIndex(app.services), []);
    });
  });
});

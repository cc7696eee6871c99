/** A user shares as many folders in one another as there may be (FILE-90) with somebody who did not ask for it: that costs the other little. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createFileFolder } from '../../src/areas/drive/file-folders.ts';
import { data } from '../areas/accounts.ts';
import { makeFolder, makePerson, type Person, shareWith, theOwner } from '../areas/files-world.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertQuick, timeOf } from './isolation-world.ts';

/** With the folder at the top, and one that the test makes in the lowest, a hundred. */
const DEPTH = 98;
/** A transaction that lasts would keep the changes of others from those who follow them. */
const A_TRANSACTION = 49;
const FILES = 100;

forEachEngine((engine) => {
  describe('folders in folders to the bound', () => {
    let app: TestApp;
    let owner: Person;
    let victim: Person;
    let top = '';
    let lowest = '';
    before(async () => {
      app = await startApp(engine);
      [owner, victim] = [await theOwner(app), await makePerson(app)];
      top = (await makeFolder(app, owner, 'top')).id;
      const { database, directory, files } = app.services;
      lowest = top;
      for (let made = 0; made < DEPTH; made += A_TRANSACTION)
        lowest = await database.write(async (tx) => {
          const user = (await directory.findUser(tx, owner.id)) ?? assert.fail();
          let id = lowest;
          for (let i = 0; i < A_TRANSACTION; i++) {
            const folder = await createFileFolder(tx, files.rights, user, { name: 'deeper', parent_id: id });
            id = JSON.parse(folder.text).id;
          }
          return id;
        });
      await database.write(async (tx) => {
        const user = (await directory.findUser(tx, owner.id)) ?? assert.fail();
        const content = { mimeType: 'text/plain', size: 0, blobKey: null, folderId: lowest };
        for (let i = 0; i < FILES; i++)
          await files.createFile(tx, user, { filename: `needle${i}.txt`, ...content });
      });
      await shareWith(app, owner, top, victim.id, 'manager');
      await eventually(async () => (await found()) === FILES, 'the files are found');
    });
    after(() => app.stop());

    const found = async (): Promise<number> =>
      data(await app.get('/v1/search?q=needle*&limit=100', victim)).length;

    it('are searched, listed and explained quickly by whom they are shared with (FILE-63, FILE-80, FILE-87, SEARCH-29)', async () => {
      for (const path of [
        '/v1/search?q=needle*&limit=100',
        '/v1/files?limit=100',
        `/v1/files?folder_id=${lowest}&limit=100`,
        `/v1/file-folders/${lowest}/access`,
      ])
        await assertQuick(() =>
          timeOf(async () => assert.ok(data(await app.get(path, victim)).length >= 2, path)),
        );
    });

    it('are added to, shared and moved quickly, and into themselves not at all (FILE-60, FILE-77, FILE-83)', async () => {
      const { key } = victim;
      const requests: (() => Promise<{ status: number }>)[] = [
        () => app.post('/v1/file-folders', { name: 'x', parent_id: lowest }, { key }),
        () => app.put(`/v1/file-folders/${lowest}`, { name: 'renamed' }, { key }),
        () =>
          app.post(
            `/v1/file-folders/${lowest}/permissions`,
            { principal_id: owner.id, role: 'viewer' },
            { key },
          ),
        () => app.put(`/v1/file-folders/${top}`, { parent_id: lowest }),
      ];
      for (const [i, request] of requests.entries())
        await assertQuick(() =>
          timeOf(async () => assert.equal((await request()).status, [201, 200, 201, 409][i])),
        );
    });
  });
});

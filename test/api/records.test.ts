/** What all records have in common: ids, times, the root, who sees them, and what DELETE takes away. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operationsOf } from '../../src/start/server.ts';
import { data } from '../areas/accounts.ts';
import { listedIds, makeFolder, makePerson, putFile, shareWith } from '../areas/files-world.ts';
import { forEachEngine } from '../engines.ts';
import { EXAMPLES } from '../refusals/examples.ts';
import { validRequest } from '../refusals/refusals.ts';
import { createWorld, type Objects, storedRows, type World } from '../refusals/world.ts';

const PREFIXES: Record<keyof Objects, string> = {
  user: 'usr',
  group: 'grp',
  resource: 'res',
  key: 'key',
  folder: 'fld',
  removableFolder: 'fld',
  message: 'msg',
  thread: 'thr',
  attachment: 'att',
  filter: 'flt',
  draft: 'drf',
  removableDraft: 'drf',
  sendableDraft: 'drf',
  file: 'file',
  fileFolder: 'dir',
  filePermission: 'perm',
  fileFolderPermission: 'perm',
  document: 'doc',
  spreadsheet: 'sht',
  upload: 'upl',
  otherUpload: 'upl',
  book: 'abk',
  contact: 'con',
  calendar: 'cal',
  event: 'evt',
  removableEvent: 'evt',
  webhook: 'whk',
  otherWebhook: 'whk',
  removableWebhook: 'whk',
  deadDelivery: 'whd',
};

/** By operation, the object whose row its DELETE takes away. */
const REMOVED: Record<string, keyof Objects> = {
  deleteMailFilter: 'filter',
  deleteMailFolder: 'removableFolder',
  revokeFilePermission: 'filePermission',
  revokeFileFolderPermission: 'fileFolderPermission',
  deleteEvent: 'removableEvent',
  deleteWebhook: 'removableWebhook',
};
/** By operation, the object that its DELETE keeps. */
const KEPT: Record<string, keyof Objects> = {
  revokeApiKey: 'key',
  deleteDraft: 'removableDraft',
  trashContact: 'contact',
  trashFile: 'file',
  trashFileFolder: 'fileFolder',
  trashDocument: 'spreadsheet',
  abortUpload: 'otherUpload',
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);

/** The texts of members that hold times, wherever they stand. */
function timesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && /^(date|timestamp|start|end|.*_at)$/.test(name)
      ? [member]
      : timesIn(member),
  );
}

forEachEngine((engine) => {
  describe('records', () => {
    let world: World;
    before(async () => {
      world = await createWorld(engine);
    });
    after(() => world.app.stop());

    const ask = (id: string) => {
      const operation = operations.find((one) => one.id === id);
      const example = EXAMPLES[id];
      assert.ok(operation && example, id);
      const { path, options } = validRequest(operation, example, world.mine);
      return world.app.request(operation.method, path, options);
    };

    test('have ids with the prefix of their kind (API-15)', async () => {
      for (const [kind, id] of Object.entries(world.mine))
        assert.match(id, new RegExp(`^${PREFIXES[kind as keyof Objects]}_[0-9a-z]{26}$`), kind);
      const { thread_id } = data(await world.app.get(`/v1/messages/${world.mine.message}`));
      assert.match(thread_id, /^thr_[0-9a-z]{26}$/);
    });

    test('show every time in UTC with milliseconds (API-16)', async () => {
      let found = 0;
      for (const { id } of operations.filter(({ method, content }) => method === 'GET' && !content)) {
        const { json } = await ask(id);
        for (const time of timesIn(json)) assert.match(time, TIME, `${id}: ${time}`);
        found += timesIn(json).length;
      }
      assert.ok(found > 50, `${found} times`);
    });

    test('at the root have "" for their folder, which a request may say as well (API-17)', async () => {
      const { app } = world;
      const person = await makePerson(app);
      const options = { key: person.key };
      const folder = await makeFolder(app, person, 'Inside', '');
      const mailFolder = data(await app.post('/v1/folders', { name: 'In', parent_id: '' }, options), 201);
      assert.deepEqual([folder.parent_id, mailFolder.parent_id], ['', '']);
      const file = await putFile(app, person, { folderId: folder.id });
      const path = `/v1/files/${file.id}`;
      assert.equal(data(await app.put(path, { folder_id: '' }, options)).folder_id, '');
      assert.equal(data(await app.get(path, options)).folder_id, '');
    });

    test('in lists of files are those of the user and those shared with the user or a group (API-120)', async () => {
      const { app } = world;
      const [owner, friend, member, stranger] = await Promise.all(
        Array.from({ length: 4 }, () => makePerson(app)),
      );
      assert.ok(owner && friend && member && stranger);
      const group = data(await app.post('/v1/groups', { name: 'G', member_ids: [member.id] }), 201);
      const file = await putFile(app, owner);
      const document = data(
        await app.post('/v1/documents', { type: 'document', title: 'D' }, { key: owner.key }),
        201,
      );
      for (const id of [file.id, document.id])
        for (const whom of [friend.id, group.id]) await shareWith(app, owner, id, whom, 'viewer');
      for (const person of [owner, friend, member]) {
        assert.deepEqual(await listedIds(app, person, '/v1/files'), [file.id]);
        assert.deepEqual(await listedIds(app, person, '/v1/documents'), [document.id]);
      }
      assert.deepEqual(await listedIds(app, stranger, '/v1/files'), []);
      assert.deepEqual(await listedIds(app, stranger, '/v1/documents'), []);
    });

    test('are taken away by DELETE where they are filters, grants and events, and else are kept (API-20)', async () => {
      const deleting = operations.filter(({ method }) => method === 'DELETE').map(({ id }) => id);
      assert.deepEqual(deleting.sort(), [...Object.keys(REMOVED), ...Object.keys(KEPT)].sort());
      for (const id of deleting) assert.equal((await ask(id)).status, 204, id);
      const ids = new Set((await storedRows(world.app.services.database)).map(({ row }) => row.id));
      for (const kind of Object.values(REMOVED)) assert.ok(!ids.has(world.mine[kind]), kind);
      // What is kept of a draft is its message.
      const rowOf = (id: string) => id.replace(/^drf_/, 'msg_');
      for (const kind of Object.values(KEPT)) assert.ok(ids.has(rowOf(world.mine[kind])), kind);
      for (const id of ['restoreContact', 'restoreFileFolder', 'restoreFile', 'restoreDocument'])
        assert.equal((await ask(id)).status, 200, id);
    });
  });
});

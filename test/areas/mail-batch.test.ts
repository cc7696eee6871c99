/** Batches over folders, and roles as ids of folders. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { settled } from './changes-feed.ts';
import { append, everyPage, folderCounts, folderOf, rfc822 } from './mail-world.ts';

forEachEngine((engine) => {
  describe('batches over folders', () => {
    let app: TestApp;
    let [inbox, junk, archive]: string[] = [];
    before(async () => {
      app = await startApp(engine);
      [inbox, junk, archive] = await Promise.all(
        ['inbox', 'junk', 'archive'].map((role) => folderOf(app, role)),
      );
    });
    after(() => app.stop());

    const batch = (body: object) => app.post('/v1/messages/batch', body);
    const summaryOf = async (id: string) => (await app.get(`/v1/messages/${id}`)).json.data;

    it('a batch changes flags, labels and folder of messages of several folders in one step (MAIL-102)', async () => {
      const one = await append(app, inbox ?? '', rfc822(), { query: '?flag=read&label=old&label=kept' });
      const two = await append(app, junk ?? '', rfc822(), { query: '?flag=starred' });
      const three = await append(app, archive ?? '', rfc822());
      const before = await Promise.all([inbox, junk, archive].map((id) => folderCounts(app, id ?? '')));
      const cursor = (await app.get('/v1/changes')).json.data.cursor;
      const answer = await batch({
        message_ids: [two.id, one.id, three.id, two.id],
        add_flags: ['answered'],
        remove_flags: ['starred', 'read'],
        add_labels: ['new'],
        remove_labels: ['old'],
        move_to: archive,
      });
      assert.equal(answer.status, 200, answer.text);
      const flags = { read: false, starred: false, answered: true, draft: false, deleted: false };
      assert.deepEqual(answer.json.data, [
        { id: two.id, folder_id: archive, flags, labels: ['new'] },
        { id: one.id, folder_id: archive, flags, labels: ['kept', 'new'] },
        { id: three.id, folder_id: archive, flags, labels: ['new'] },
      ]);
      for (const { id, folder_id, flags, labels } of answer.json.data) {
        const now = await summaryOf(id);
        assert.deepEqual([now.folder_id, now.flags, now.labels], [folder_id, flags, labels]);
      }
      const counts = await Promise.all([inbox, junk, archive].map((id) => folderCounts(app, id ?? '')));
      assert.deepEqual(
        counts.map(([all = 0, unread = 0], i) => [
          all - (before[i]?.[0] ?? 0),
          unread - (before[i]?.[1] ?? 0),
        ]),
        [
          [-1, 0],
          [-1, -1],
          [2, 2],
        ],
      );
      const labelled = await everyPage(app, `/v1/messages?label=new&folder_id=${archive}`, 50);
      assert.deepEqual(labelled.map(({ id }) => id).sort(), [one.id, two.id, three.id].sort());
      assert.deepEqual(await everyPage(app, '/v1/messages?label=old', 50), []);
      const { changes } = (await app.get(`/v1/changes?wait=10&cursor=${encodeURIComponent(cursor)}`)).json
        .data;
      assert.deepEqual(
        changes.map(({ type, ids }: { type: string; ids: Record<string, unknown> }) => [
          type,
          ids.from_folder_id ?? ids.folder_id,
          ids.message_ids,
        ]),
        [
          ['message.changed', junk, [two.id]],
          ['message.changed', inbox, [one.id]],
          ['message.changed', archive, [three.id]],
          ['message.moved', junk, [two.id]],
          ['message.moved', inbox, [one.id]],
        ],
      );
    });

    it('a batch changes nothing where one message or the folder is unknown (MAIL-103)', async () => {
      const one = await append(app, inbox ?? '', rfc822());
      const gone = await append(app, inbox ?? '', rfc822(), { query: '?flag=deleted' });
      await app.post(`/v1/folders/${inbox}/expunge`);
      const before = await summaryOf(one.id);
      for (const body of [
        { message_ids: [one.id, gone.id], add_flags: ['read'], move_to: archive },
        { message_ids: [one.id, 'msg_x'], add_labels: ['x'] },
        { message_ids: [one.id], add_flags: ['read'], move_to: 'fld_x' },
        { message_ids: [one.id], add_flags: ['read'], move_to: 'attic' },
      ]) {
        const answer = await batch(body);
        assert.deepEqual([answer.status, answer.json.error.code], [404, 'not_found'], answer.text);
        assert.deepEqual(await summaryOf(one.id), before);
      }
    });

    it('a batch that says nothing, or two things at once, is told so (MAIL-103)', async () => {
      const { id } = await append(app, inbox ?? '', rfc822());
      for (const [body, pointer] of [
        [{}, ''],
        [{ add_flags: ['starred', 'read'], remove_flags: ['read'] }, '/add_flags/1'],
        [{ add_labels: ['a'], remove_labels: ['b', 'a'] }, '/add_labels/0'],
      ] as const) {
        const { status, json } = await batch({ message_ids: [id], ...body });
        assert.deepEqual([status, json.error.details.errors[0].pointer], [400, pointer]);
      }
      const labels = Array.from({ length: 100 }, (_, i) => `l${i}`);
      assert.equal((await batch({ message_ids: [id], add_labels: labels })).status, 200);
      const over = await batch({ message_ids: [id], add_labels: ['more'], move_to: archive });
      assert.deepEqual([over.status, over.json.error.details.errors[0].pointer], [400, '/add_labels']);
      const swapped = await batch({ message_ids: [id], add_labels: ['more'], remove_labels: ['l0'] });
      assert.equal(swapped.json.data[0].labels.at(-1), 'more');
    });

    it('a batch of a thousand messages is one step, and repeated it changes nothing more (MAIL-102)', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 20; i++)
        ids.push((await append(app, i % 2 ? (inbox ?? '') : (junk ?? ''), rfc822())).id);
      const many = Array.from({ length: 1_000 }, (_, i) => ids[i % ids.length]);
      const body = { message_ids: many, add_flags: ['read'], move_to: 'trash' };
      assert.equal((await batch(body)).json.data.length, ids.length);
      await settled(app);
      const cursor = (await app.get('/v1/changes')).json.data.cursor;
      assert.equal((await batch(body)).status, 200);
      const { changes } = (await app.get(`/v1/changes?cursor=${encodeURIComponent(cursor)}`)).json.data;
      assert.deepEqual(changes, []);
    });

    it('roles are taken wherever the id of a mail folder is (MAIL-101)', async () => {
      const { id, folder_id } = await append(app, 'inbox', rfc822(), { query: '?label=role' });
      assert.equal(folder_id, inbox);
      const listed = async (query: string) =>
        (await app.get(`/v1/messages?${query}`)).json.data.map((message: { id: string }) => message.id);
      assert.deepEqual(await listed('folder_id=inbox&label=role'), [id]);
      assert.deepEqual(await listed(`folder_id=inbox&folder_id=${inbox}&label=role&flag=read`), []);
      assert.deepEqual(await listed(`folder_id=inbox&folder_id=${inbox}&limit=1`), [id]);
      const marked = await app.post('/v1/folders/inbox/messages/flags', {
        ...{ message_ids: [id], op: 'add', flags: ['read'] },
      });
      assert.equal(marked.status, 200, marked.text);
      const moved = await app.post('/v1/folders/inbox/messages/move', {
        ...{ message_ids: [id], to_folder_id: 'archive' },
      });
      assert.deepEqual(moved.json.data, { moved: 1, to_folder_id: archive });
      const same = await app.post(`/v1/folders/${archive}/messages/move`, {
        ...{ message_ids: [id], to_folder_id: 'archive' },
      });
      assert.deepEqual(same.json.data, { moved: 0, to_folder_id: archive });
      const thread = (await summaryOf(id)).thread_id;
      assert.deepEqual(await listed(`folder_id=archive&thread_id=${thread}`), [id]);
      await batch({ message_ids: [id], add_flags: ['deleted'] });
      assert.ok((await app.post('/v1/folders/archive/expunge')).json.data.expunged >= 1);
      const made = await app.post('/v1/folders', { name: 'Below', parent_id: 'archive' });
      assert.equal(made.json.data.parent_id, archive);
      const there = await app.put(`/v1/folders/${made.json.data.id}`, { parent_id: 'inbox' });
      assert.equal(there.json.data.parent_id, inbox);
      const cycle = await app.put('/v1/folders/inbox', { parent_id: made.json.data.id });
      assert.equal(cycle.json.error.code, 'folder_cycle');
      assert.equal((await app.put('/v1/folders/inbox', { name: 'In' })).json.data.id, inbox);
      const rule = {
        conditions: [{ field: 'subject', op: 'contains', value: 'e' }],
        actions: [{ type: 'mark_read' }],
      };
      const preview = await app.post('/v1/mail/filters/preview', { rule, folder_id: 'junk' });
      const byId = await app.post('/v1/mail/filters/preview', { rule, folder_id: junk });
      assert.deepEqual(preview.json.data, byId.json.data);
      const filter = (await app.post('/v1/mail/filters', { name: 'f', priority: 1, rule })).json.data;
      const applied = await app.post(`/v1/mail/filters/${filter.id}/apply`, { folder_id: 'trash' });
      assert.equal(applied.status, 200, applied.text);
      assert.ok(applied.json.data.scanned >= 20);
    });
  });
});

/** Drafts: kept and replaced by several windows, sent once, and what becomes of them by the ordinary routes of mail. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { verify } from '../../src/start/verification.ts';
import { forEachEngine } from '../engines.ts';
import { type RequestOptions, startApp, type TestApp } from '../harness.ts';
import { data, makeKey, makeUser } from './accounts.ts';
import { changesOf } from './changes-feed.ts';
import { makePerson, shareWith, theOwner } from './files-world.ts';
import { append, folderCounts, folderOf, rfc822 } from './mail-world.ts';
import { indexed, titlesOf } from './search-world.ts';

/** An attachment as the record of its message lists it. */
interface Attached {
  id: string;
  filename: string;
  size: number;
}

forEachEngine((engine) => {
  describe('drafts', () => {
    let app: TestApp;
    let bob: { id: string; address: string; key: string };
    before(async () => {
      app = await startApp(engine, { ATRIUM_DOMAIN: 'home.example', ATRIUM_OWNER_EMAIL: 'ada@home.example' });
      const { id, email } = await makeUser(app, { name: 'Bob' });
      const { key } = await makeKey(app, ['mail.messages.read'], { user_id: id });
      bob = { id, address: email, key };
    });
    after(() => app.stop());

    const keep = async (fields: object) => data(await app.post('/v1/drafts', fields), 201);
    const read = (id: string) => app.get(`/v1/drafts/${id}`);
    const save = (id: string, fields: object, state?: string) =>
      app.put(`/v1/drafts/${id}`, fields, state === undefined ? {} : { headers: { 'if-match': state } });
    const send = (id: string, options: RequestOptions = {}) =>
      app.post(`/v1/drafts/${id}/send`, undefined, options);
    const upload = async (key: string, filename: string, body: Uint8Array) => {
      const headers = { 'content-type': 'application/octet-stream' };
      return data(await app.request('POST', `/v1/files?filename=${filename}`, { key, body, headers }), 201);
    };
    const inFolder = async (role: string, key?: string) => {
      const path = `/v1/messages?folder_id=${await folderOf(app, role, key)}&limit=200`;
      return data(await app.get(path, key === undefined ? {} : { key }));
    };
    const gotBy = async (subject: string) =>
      (await inFolder('inbox', bob.key)).filter(
        (message: { subject: string }) => message.subject === subject,
      );

    it('a draft takes all that sending takes, and none of it is required (MAIL-83, MAIL-84)', async () => {
      const drafts = await folderOf(app, 'drafts');
      const [, unread] = await folderCounts(app, drafts);
      const empty = await keep({});
      assert.deepEqual(empty.content, {});
      assert.equal(empty.message.folder_id, drafts);
      assert.equal(empty.message.subject, '');
      assert.equal(empty.id.slice(4), empty.message.id.slice(4));
      const { draft, read: isRead } = empty.message.flags;
      assert.deepEqual([draft, isRead], [true, true]);
      const content = { to: ['Bob <bob@away.example>'], cc: ['c@away.example'], bcc: ['b@away.example'] };
      const full = await keep({ ...content, subject: 'S', text: 'T', html: '<p>H</p>' });
      assert.deepEqual(full.content, { ...content, subject: 'S', text: 'T', html: '<p>H</p>' });
      assert.deepEqual(full.message.to, content.to);
      assert.deepEqual(full.message.bcc, content.bcc);
      assert.equal(full.message.text, 'T');
      const listed = (await inFolder('drafts')).map(({ id }: { id: string }) => id);
      assert.ok(listed.includes(full.message.id) && listed.includes(empty.message.id));
      assert.equal((await folderCounts(app, drafts))[1], unread);
    });

    it('a key that may not read files or mail puts neither into a draft (MAIL-83)', async () => {
      const { key } = await makeKey(app, ['mail.messages.write']);
      const missing = async (fields: object) =>
        (await app.post('/v1/drafts', fields, { key })).json.error.details.missing_permission;
      assert.equal(await missing({ file_ids: ['file_x'] }), 'files.read');
      assert.equal(await missing({ reply_to_message_id: 'msg_x' }), 'mail.messages.read');
      const { id } = await keep({});
      const saved = await app.put(`/v1/drafts/${id}`, { file_ids: [] }, { key });
      assert.equal(saved.json.error.details.missing_permission, 'files.read');
    });

    it('a draft is read under its state (MAIL-85)', async () => {
      const kept = await keep({ subject: 'Read' });
      const answer = await read(kept.id);
      assert.deepEqual(data(answer), kept);
      assert.equal(answer.headers.get('etag'), `"${kept.state}"`);
      const again = await app.get(`/v1/drafts/${kept.id}`, {
        headers: { 'if-none-match': `"${kept.state}"` },
      });
      assert.equal(again.status, 304);
      for (const id of ['drf_x', kept.message.id, kept.id.replace(/.$/, '*')])
        assert.equal((await read(id)).status, 404, id);
    });

    it('a message that is no draft has none (MAIL-84)', async () => {
      const { id } = await append(app, await folderOf(app, 'drafts'), rfc822(), { query: '?flag=draft' });
      assert.equal((await read(id.replace('msg', 'drf'))).status, 404);
    });

    it('two windows that save again and again keep one draft, and drop what is not named (MAIL-86)', async () => {
      const kept = await keep({ subject: 'Window', text: 'first', bcc: ['b@away.example'] });
      const { message } = kept;
      await app.post(`/v1/folders/${message.folder_id}/messages/flags`, {
        message_ids: [message.id],
        op: 'add',
        flags: ['starred'],
        labels: ['mine'],
      });
      const states = new Set([kept.state]);
      for (let i = 0; i < 6; i++) {
        const saved = data(await save(kept.id, { text: `window ${i % 2}, ${i}`, subject: 'Window' }));
        assert.equal(saved.id, kept.id);
        states.add(saved.state);
      }
      assert.equal(states.size, 7);
      const now = data(await read(kept.id));
      assert.deepEqual(now.content, { text: 'window 1, 5', subject: 'Window' });
      assert.equal(now.message.text, 'window 1, 5');
      assert.deepEqual(now.message.bcc, []);
      assert.deepEqual(now.message.labels, ['mine']);
      assert.equal(now.message.flags.starred, true);
      for (const member of ['id', 'folder_id', 'thread_id', 'date', 'message_id'])
        assert.equal(now.message[member], message[member], member);
      const raw = (await app.get(`/v1/messages/${message.id}/raw`)).text;
      assert.match(raw, /window 1, 5/);
      assert.equal(now.message.size, Buffer.byteLength(raw));
      const same = (await inFolder('drafts')).filter(
        ({ subject }: { subject: string }) => subject === 'Window',
      );
      assert.equal(same.length, 1);
    });

    it('a replacement is told as a change of its message, and a search finds what the draft holds now (MAIL-86)', async () => {
      const kept = await keep({ subject: 'Zanzibar', text: 'Zanzibar' });
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'zanzibar'), ['Zanzibar']);
      const changes = await changesOf(app, undefined, () => save(kept.id, { subject: 'Quagga' }));
      assert.deepEqual(
        changes.map(({ type, ids }) => ({ type, ids })),
        [
          {
            type: 'message.changed',
            ids: {
              folder_id: kept.message.folder_id,
              draft_id: kept.id,
              message_ids: [kept.message.id],
            },
          },
        ],
      );
      await indexed(app);
      assert.deepEqual(await titlesOf(app, 'zanzibar'), []);
      assert.deepEqual(await titlesOf(app, 'quagga'), ['Quagga']);
    });

    it('of several windows that save one state exactly one succeeds (MAIL-87)', async () => {
      const kept = await keep({ subject: 'One' });
      const windows = Array.from({ length: 8 }, (_, i) => save(kept.id, { subject: `${i}` }, kept.state));
      const answers = await Promise.all(windows);
      const statuses = answers.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, [200, ...Array(7).fill(412)]);
      const now = data(await read(kept.id));
      const winner = answers.findIndex(({ status }) => status === 200);
      assert.equal(now.content.subject, `${winner}`);
      const late = await save(kept.id, { subject: 'late' }, kept.state);
      assert.equal(late.json.error.code, 'state_mismatch');
      assert.equal(late.json.error.details.state, now.state);
      const stale = { headers: { 'if-match': `"${kept.state}"` } };
      assert.equal((await app.delete(`/v1/drafts/${kept.id}`, stale)).status, 412);
      assert.equal((await send(kept.id, stale)).status, 412);
      assert.deepEqual(data(await read(kept.id)), now);
      assert.equal((await save(kept.id, {}, `"${now.state}"`)).status, 200);
      assert.equal((await save(kept.id, {}, '*')).status, 200);
    });

    it('a deleted draft is gone, and back with its message (MAIL-88)', async () => {
      const { id, message } = await keep({ subject: 'Deleted' });
      const before = data(await read(id));
      assert.equal((await app.delete(`/v1/drafts/${id}`)).status, 204);
      for (const answer of [
        await read(id),
        await save(id, {}),
        await send(id),
        await app.delete(`/v1/drafts/${id}`),
      ])
        assert.equal(answer.status, 404);
      assert.equal((await app.get(`/v1/messages/${message.id}`)).status, 404);
      data(await app.post(`/v1/messages/${message.id}/restore`));
      assert.deepEqual(data(await read(id)), before);
    });

    it('a draft whose message is expunged is gone; one that is moved or marked stays (MAIL-88)', async () => {
      const { id, message } = await keep({ subject: 'Moved', to: [bob.address] });
      const archive = await folderOf(app, 'archive');
      const batch = { message_ids: [message.id] };
      data(
        await app.post(`/v1/folders/${message.folder_id}/messages/move`, { ...batch, to_folder_id: archive }),
      );
      const marks = `/v1/folders/${archive}/messages/flags`;
      data(await app.post(marks, { ...batch, op: 'remove', flags: ['draft'] }));
      const saved = data(await save(id, { subject: 'Moved again', to: [bob.address] }));
      assert.equal(saved.message.folder_id, archive);
      assert.equal(saved.message.flags.draft, false);
      data(await app.post(marks, { ...batch, op: 'add', flags: ['deleted'] }));
      data(await app.post(`/v1/folders/${archive}/expunge`));
      assert.equal((await read(id)).status, 404);
      assert.equal((await send(id)).status, 404);
      data(await app.post(`/v1/messages/${message.id}/restore`));
      assert.equal(data(await send(id)).subject, 'Moved again');
      assert.equal((await gotBy('Moved again')).length, 1);
    });

    it('a sent draft has left once, without its blind copies in the bytes, and is no draft any more (MAIL-89)', async () => {
      const subject = randomUUID();
      const kept = await keep({ to: ['ada@home.example'], bcc: [bob.address], subject, text: 'Off it goes' });
      const changes = await changesOf(app, undefined, async () => {
        const sent = data(await send(kept.id));
        assert.equal(sent.folder_id, await folderOf(app, 'sent'));
        assert.equal(sent.message_id, kept.message.message_id);
        assert.equal(sent.thread_id, kept.message.thread_id);
        assert.deepEqual([sent.flags.draft, sent.flags.read], [false, true]);
        const full = data(await app.get(`/v1/messages/${sent.id}`));
        assert.deepEqual(full.bcc, [bob.address]);
        assert.equal(full.text, 'Off it goes');
        const raw = (await app.get(`/v1/messages/${sent.id}/raw`)).text;
        assert.ok(!raw.includes(bob.address) && !/^bcc:/im.test(raw));
        const [, date = ''] = /^Date: (.*)\r$/m.exec(raw) ?? [];
        assert.equal(Date.parse(date), Math.floor(Date.parse(sent.date) / 1000) * 1000);
      });
      const types = changes.map(({ type }) => type).toSorted();
      assert.deepEqual(types, ['message.created', 'message.created', 'message.expunged']);
      const [arrived, ...more] = await gotBy(subject);
      assert.deepEqual(more, []);
      assert.deepEqual(data(await app.get(`/v1/messages/${arrived.id}`, { key: bob.key })).bcc, []);
      assert.equal((await read(kept.id)).status, 404);
      assert.equal((await send(kept.id)).status, 404);
      const left = (await inFolder('drafts')).filter(
        (message: { subject: string }) => message.subject === subject,
      );
      assert.deepEqual(left, []);
      // What is restored is a message, and no draft: it cannot leave a second time.
      data(await app.post(`/v1/messages/${kept.message.id}/restore`));
      assert.equal((await send(kept.id)).status, 404);
    });

    it('a draft that is refused stays as it was, and may be sent afterwards (MAIL-89)', async () => {
      const refusals: [object, string][] = [
        [{ subject: 'x' }, 'no_recipients'],
        [{ to: [], cc: [], subject: 'x' }, 'no_recipients'],
        [{ to: ['nobody@home.example'], subject: 'x' }, 'unknown_recipient'],
        [{ to: [bob.address, 'far@away.example'], subject: 'x' }, 'no_relay'],
      ];
      for (const [fields, code] of refusals) {
        const kept = await keep(fields);
        const idempotencyKey = randomUUID();
        const answer = await send(kept.id, { idempotencyKey });
        assert.equal(answer.status, 422, answer.text);
        assert.equal(answer.json.error.code, code);
        assert.equal((await send(kept.id, { idempotencyKey })).text, answer.text);
        assert.deepEqual(data(await read(kept.id)), kept);
        const subject = randomUUID();
        data(await save(kept.id, { to: [bob.address], subject }, kept.state));
        data(await send(kept.id));
        assert.equal((await gotBy(subject)).length, 1);
      }
    });

    it('of many requests that send a draft one does, and others are told (MAIL-89, MAIL-90)', async () => {
      for (const text of ['small', 'large '.repeat(40_000)]) {
        const subject = randomUUID();
        const { id } = await keep({ to: [bob.address], subject, text });
        const answers = await Promise.all([
          ...Array.from({ length: 6 }, () => send(id)),
          ...Array.from({ length: 3 }, () =>
            app.delete(`/v1/drafts/${id}`, { headers: { 'if-match': 'x' } }),
          ),
        ]);
        const codes = answers.map(({ status }) => status);
        assert.equal(codes.filter((status) => status === 200).length, 1, codes.join());
        for (const status of codes) assert.ok([200, 404, 409, 412].includes(status), codes.join());
        assert.equal((await gotBy(subject)).length, 1);
      }
    });

    it('while a request sends a draft all others are refused, until it ends or its time has passed (MAIL-90)', async () => {
      const subject = randomUUID();
      const kept = await keep({ to: [bob.address], subject });
      const { database } = app.services;
      const keepAway = (until: (now: number) => number) =>
        database.write(async (tx) =>
          tx
            .updateTable('mail_drafts')
            .set({ sent_by: 'another', sent_until: until(await tx.now()) })
            .where('state', '=', kept.state)
            .execute(),
        );
      await keepAway((now) => now + 60_000);
      for (const answer of [
        await save(kept.id, {}),
        await app.delete(`/v1/drafts/${kept.id}`),
        await send(kept.id),
      ]) {
        assert.equal(answer.status, 409, answer.text);
        assert.equal(answer.json.error.code, 'draft_sending');
      }
      assert.deepEqual(data(await read(kept.id)), kept);
      await keepAway((now) => now - 1);
      data(await send(kept.id));
      assert.equal((await gotBy(subject)).length, 1);
    });

    it('attachments are those of the draft, whatever becomes of the file (MAIL-91)', async () => {
      const [owner, carol] = [await theOwner(app), await makePerson(app)];
      const large = Buffer.alloc(300_000, 'large ');
      const small = await upload(owner.key, 'small.txt', Buffer.from('small'));
      const lent = await upload(carol.key, 'lent.txt', large);
      const grant = await shareWith(app, carol, lent.id, owner.id, 'viewer');
      const fields = { to: [bob.address], subject: randomUUID(), file_ids: [lent.id, small.id] };
      const kept = await keep(fields);
      const named = kept.message.attachments.map(({ filename, size }: Attached) => [filename, size]);
      assert.deepEqual(named, [
        ['lent.txt', large.length],
        ['small.txt', 5],
      ]);
      const saved = data(await save(kept.id, fields));
      assert.deepEqual(saved.content, fields);
      const revoked = await app.delete(`/v1/files/${lent.id}/permissions/${grant.id}`, { key: carol.key });
      assert.equal(revoked.status, 204);
      assert.equal((await save(kept.id, fields)).status, 404);
      data(await send(kept.id));
      const [arrived] = await gotBy(fields.subject);
      const { attachments } = data(await app.get(`/v1/messages/${arrived.id}`, { key: bob.key }));
      const contents = attachments.map(async ({ id }: Attached) => {
        const path = `/v1/messages/${arrived.id}/attachments/${id}`;
        return (await app.get(path, { key: bob.key })).text;
      });
      assert.deepEqual(await Promise.all(contents), [large.toString(), 'small']);
    });

    it('the bytes of a large draft that is replaced are given up (MAIL-86)', async () => {
      const { id } = await keep({ text: 'x'.repeat(200_000) });
      const blobs = () =>
        app.services.database.read(async (tx) => {
          const pending = await tx.selectFrom('pending_blobs').select('blob_key').execute();
          const { blob_key } = await tx
            .selectFrom('message_contents as c')
            .innerJoin('messages as m', (join) => join.onRef('m.number', '=', 'c.number'))
            .select('c.blob_key')
            .where('m.id', '=', id.replace('drf', 'msg'))
            .executeTakeFirstOrThrow();
          return { pending: pending.map((row) => row.blob_key), own: blob_key };
        });
      const { own } = await blobs();
      assert.ok(own !== null);
      assert.equal(data(await save(id, { text: 'y'.repeat(200_000) })).message.text[0], 'y');
      const after = await blobs();
      assert.notEqual(after.own, own);
      assert.ok(after.pending.includes(own));
      assert.ok(!after.pending.includes(after.own ?? ''));
    });

    it('a reply stays one, even where the answered message goes, and is marked when it is sent (MAIL-91)', async () => {
      const inbox = await folderOf(app, 'inbox');
      for (const isExpunged of [false, true]) {
        const answered = await append(
          app,
          inbox,
          rfc822({
            messageId: `<${randomUUID()}@t.example>`,
            subject: 'Question',
            references: ['<root@t.example>'],
          }),
        );
        const kept = await keep({ to: [bob.address], reply_to_message_id: answered.id });
        assert.equal(kept.message.subject, 'Re: Question');
        assert.equal(kept.message.thread_id, answered.thread_id);
        const saved = data(await save(kept.id, { ...kept.content, text: 'Answer' }));
        assert.equal(saved.message.in_reply_to, answered.message_id);
        assert.deepEqual(saved.message.references, ['<root@t.example>', answered.message_id]);
        assert.equal(data(await app.get(`/v1/messages/${answered.id}`)).flags.answered, false);
        if (isExpunged) {
          const flags = `/v1/folders/${inbox}/messages/flags`;
          data(await app.post(flags, { message_ids: [answered.id], op: 'add', flags: ['deleted'] }));
          data(await app.post(`/v1/folders/${inbox}/expunge`));
        }
        const sent = data(await app.get(`/v1/messages/${data(await send(kept.id)).id}`));
        assert.equal(sent.in_reply_to, answered.message_id);
        assert.deepEqual(sent.references, saved.message.references);
        assert.equal(sent.thread_id, answered.thread_id);
        if (!isExpunged)
          assert.equal(data(await app.get(`/v1/messages/${answered.id}`)).flags.answered, true);
      }
    });

    it('a draft that answers something else leaves its conversation and joins no others (MAIL-91)', async () => {
      const inbox = await folderOf(app, 'inbox');
      const [one, two] = [
        await append(app, inbox, rfc822({ messageId: `<${randomUUID()}@t.example>` })),
        await append(app, inbox, rfc822({ messageId: `<${randomUUID()}@t.example>` })),
      ];
      const { id } = await keep({ to: [bob.address], reply_to_message_id: one.id });
      const saved = data(await save(id, { to: [bob.address], reply_to_message_id: two.id }));
      assert.equal(saved.message.thread_id, two.thread_id);
      const alone = data(await save(id, { to: [bob.address] }));
      assert.ok(![one.thread_id, two.thread_id].includes(alone.message.thread_id));
      assert.equal(alone.message.in_reply_to, '');
      data(await send(id));
      for (const { id: messageId, thread_id } of [one, two])
        assert.equal(data(await app.get(`/v1/messages/${messageId}`)).thread_id, thread_id);
    });

    it('all that drafts have done is whole (MAIL-83)', async () => {
      assert.deepEqual(await verify(app.services, { rows: 0, blobs: 0, bytes: 0 }), []);
    });
  });
});

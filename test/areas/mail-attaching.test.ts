/** Files of the drive in messages, from the upload to the attachment that arrives. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, makeKey } from './accounts.ts';
import { makePerson, type Person, shareWith, theOwner } from './files-world.ts';
import { folderOf } from './mail-world.ts';
import { bytesAt, digestOf } from './uploads-world.ts';

/** More than one read of the blob brings. */
const BYTES = randomBytes(300_000);

forEachEngine((engine) => {
  describe('files of the drive, attached', () => {
    let app: TestApp;
    let owner: Person;
    let other: Person;
    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
      other = await makePerson(app);
    });
    after(() => app.stop());

    async function upload(filename: string, bytes: Uint8Array, { key }: Person = owner): Promise<string> {
      const path = `/v1/files?${new URLSearchParams({ filename })}`;
      const options = { key, body: bytes, headers: { 'content-type': 'application/octet-stream' } };
      return data(await app.request('POST', path, options), 201).id;
    }

    const send = (fileIds: string[], { to = ['owner@localhost'], idempotencyKey = randomUUID() } = {}) =>
      app.post('/v1/messages', { to, text: 'see', file_ids: fileIds }, { key: owner.key, idempotencyKey });

    async function arrived() {
      const inbox = await folderOf(app, 'inbox');
      const [{ id }] = data(await app.get(`/v1/messages?folder_id=${inbox}`));
      return data(await app.get(`/v1/messages/${id}`));
    }

    function firstAttachment(message: { id: string; attachments: { id: string }[] }): Promise<Buffer> {
      const path = `/v1/messages/${message.id}/attachments/${message.attachments[0]?.id}`;
      return bytesAt(app, path, owner.key);
    }

    async function assertNothingSent(sending: () => Promise<unknown>): Promise<void> {
      const before = await stored();
      await sending();
      assert.deepEqual(await stored(), before);
    }

    function stored() {
      return app.services.database.read(async (tx) => [
        await tx.selectFrom('messages').select('id').orderBy('id').execute(),
        await tx.selectFrom('pending_blobs').selectAll().execute(),
      ]);
    }

    it('files of the drive arrive byte for byte, in their order, with their names and types (MAIL-72)', async () => {
      const ids = [
        await upload('Größe 渡辺.bin', BYTES),
        await upload('empty.txt', new Uint8Array()),
        await upload('notes.md', Buffer.from('# Notes\n')),
      ];
      data(await send(ids), 201);
      const message = await arrived();
      assert.deepEqual(
        message.attachments.map((one: Record<string, unknown>) => [one.filename, one.mime_type, one.size]),
        await Promise.all(
          ids.map(async (fileId) => {
            const { filename, mime_type, size_bytes } = data(await app.get(`/v1/files/${fileId}`));
            return [filename, mime_type, size_bytes];
          }),
        ),
      );
      assert.equal(digestOf(await firstAttachment(message)), digestOf(BYTES));
    });

    it('files of the drive need a key that may read files (MAIL-72)', async () => {
      const id = await upload('mine.bin', BYTES);
      const { key } = await makeKey(app, ['mail.messages.send']);
      const letter = { to: ['owner@localhost'], text: 'see' };
      await assertNothingSent(async () => {
        const { status, json } = await app.post('/v1/messages', { ...letter, file_ids: [id] }, { key });
        assert.deepEqual([status, json.error.code], [403, 'insufficient_scope']);
        assert.equal(json.error.details.missing_permission, 'files.read');
      });
      data(await app.post('/v1/messages', letter, { key }), 201);
    });

    it('files of others are attached only where they are shared (MAIL-72)', async () => {
      const id = await upload('theirs.bin', BYTES, other);
      await assertNothingSent(async () => {
        const { status, json } = await send([id]);
        assert.deepEqual([status, json.error.code], [404, 'not_found']);
        assert.deepEqual(json.error.details, { resource: 'file', id });
      });
      await shareWith(app, other, id, owner.id, 'viewer');
      data(await send([id]), 201);
      assert.equal(digestOf(await firstAttachment(await arrived())), digestOf(BYTES));
    });

    it('keep the refusal of an unknown one under its Idempotency-Key', async () => {
      const id = await upload('later.bin', BYTES, other);
      const idempotencyKey = randomUUID();
      const first = await send([id], { idempotencyKey });
      await shareWith(app, other, id, owner.id, 'viewer');
      const second = await send([id], { idempotencyKey });
      assert.deepEqual([first.status, second.status, second.text], [404, 404, first.text]);
    });

    it('of others in the trash are refused as their download is', async () => {
      const id = await upload('gone.bin', BYTES, other);
      await shareWith(app, other, id, owner.id, 'viewer');
      assert.equal((await app.delete(`/v1/files/${id}`, { key: other.key })).status, 204);
      const download = await app.get(`/v1/files/${id}/content`);
      await assertNothingSent(async () => {
        const { status, json } = await send([id]);
        assert.deepEqual([status, json.error], [403, download.json.error]);
      });
    });

    it('are not attached where one of them is missing, or a recipient is unknown', async () => {
      const id = await upload('mine.bin', BYTES);
      await assertNothingSent(async () => {
        assert.equal((await send([id, 'file_none'])).status, 404);
        assert.equal((await send([id], { to: ['nobody@localhost'] })).status, 422);
      });
    });
  });
});

/** Files on their way into a message, from a source of files as the product will have one. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import type { AttachedFile, AttachmentSource } from '../../src/areas/mail/sending/compose.ts';
import { MessageSender } from '../../src/areas/mail/sending/message-sender.ts';
import { MailService } from '../../src/areas/mail/service.ts';
import { ApiError, notFound } from '../../src/contract/errors.ts';
import { type RunningServer, startServer } from '../../src/start/server.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { folderOf } from './mail-world.ts';

/** Bytes of every value, and none of a text. */
const BYTES = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));

function file(filename: string, mimeType: string, content: Uint8Array, size = content.length): AttachedFile {
  return {
    filename,
    mimeType,
    size,
    open: async () => pieces(content),
  };
}

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 10_007) yield content.subarray(at, at + 10_007);
}

const EML = Buffer.from('Subject: inner\n\nwith bare ends\n\xff', 'latin1');
const files: Record<string, AttachedFile> = {
  bytes: file('Größe "x" 渡辺.bin', 'application/octet-stream', BYTES),
  mail: file('inner.eml', 'message/rfc822', EML),
  nasty: file('a\r\nX-Evil: 1\t../b.txt', 'text/plain\r\nX-Evil: 1', Buffer.from('text\r.\r\n')),
  empty: file('empty.txt', 'text/plain', Buffer.alloc(0)),
  huge: file('huge.bin', 'application/octet-stream', BYTES, 50 * 1024 * 1024),
  liar: {
    ...file('liar.bin', 'application/octet-stream', BYTES, 10),
    open: async () => endless(),
  },
  broken: {
    ...file('broken.bin', 'application/octet-stream', BYTES),
    open: () => Promise.reject(new ApiError('unavailable', 'gone')),
  },
};

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield Buffer.alloc(1024 * 1024);
}

const source: AttachmentSource = {
  find: async (_tx, _reader, fileId) => {
    const found = files[fileId];
    if (!found) throw notFound('file', fileId);
    return found;
  },
};

forEachEngine((engine) => {
  describe('files in messages', () => {
    let app: TestApp;
    let server: RunningServer;
    beforeEach(async () => {
      app = await startApp(engine);
      const { database, messages: staging, directory } = app.services;
      const composer = { database, staging, directory, files: source, domain: 'localhost' };
      const sending = new MessageSender({
        ...composer,
        hasRelay: false,
        onQueued: () => undefined,
      });
      const mail = new MailService(composer, sending, {
        check: async () => undefined,
        create: app.services.files.createFile.bind(app.services.files),
      });
      const services = { ...app.services, mail, close: async () => undefined };
      server = await startServer({ ...app.config, smtpPort: undefined }, services, pino({ level: 'silent' }));
    });
    afterEach(async () => {
      await server.stop();
      await app.stop();
    });

    async function send(body: object): Promise<{ status: number; json: Record<string, never> }> {
      const response = await fetch(`${server.address}/v1/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${OWNER_KEY}`,
          'idempotency-key': crypto.randomUUID(),
          'content-type': 'application/json',
        },
        body: JSON.stringify({ to: ['owner@localhost'], ...body }),
      });
      return { status: response.status, json: (await response.json()) as Record<string, never> };
    }

    async function arrived() {
      const [{ id }] = data(await app.get(`/v1/messages?folder_id=${await folderOf(app, 'inbox')}`));
      return data(await app.get(`/v1/messages/${id}`));
    }

    async function bytesOf(messageId: string, attachmentId: string): Promise<Buffer> {
      const path = `/v1/messages/${messageId}/attachments/${attachmentId}`;
      const headers = { authorization: `Bearer ${OWNER_KEY}` };
      return Buffer.from(await (await fetch(`${server.address}${path}`, { headers })).arrayBuffer());
    }

    it('files in messages keep their bytes, names and order (MAIL-72)', async () => {
      const { status } = await send({
        text: 'see',
        html: '<p>see</p>',
        file_ids: ['bytes', 'mail', 'empty'],
      });
      assert.equal(status, 201);
      const message = await arrived();
      assert.deepEqual(
        message.attachments.map((one: Record<string, unknown>) => [one.filename, one.mime_type, one.size]),
        [
          ['Größe "x" 渡辺.bin', 'application/octet-stream', BYTES.length],
          ['inner.eml', 'message/rfc822', EML.length],
          ['empty.txt', 'application/x-empty', 0],
        ],
      );
      for (const [i, expected] of [BYTES, EML].entries()) {
        assert.equal(digest(await bytesOf(message.id, message.attachments[i].id)), digest(expected));
      }
      assert.equal(message.text.trim(), 'see');
    });

    it('need no text beside them', async () => {
      assert.equal((await send({ file_ids: ['empty'] })).status, 201);
      const message = await arrived();
      assert.deepEqual([message.text.trim(), message.attachments.length], ['', 1]);
    });

    it('cannot write headers', async () => {
      assert.equal((await send({ file_ids: ['nasty'] })).status, 201);
      const { id, attachments } = await arrived();
      const raw = (await app.get(`/v1/messages/${id}/raw`)).text;
      assert.ok(!/^X-Evil/m.test(raw) && !/\r(?!\n)|(?<!\r)\n/.test(raw), raw);
      assert.equal(attachments.length, 1);
    });

    it('files are refused where they are too large, by what they say and by what they are (MAIL-67)', async () => {
      for (const id of ['huge', 'liar']) {
        const { status, json } = await send({ file_ids: [id] });
        assert.equal(status, 413, JSON.stringify(json));
        assert.deepEqual(Object(json.error).code, 'payload_too_large');
      }
      await assertNothingLeft();
    });

    it('that cannot be read send nothing', async () => {
      assert.equal((await send({ file_ids: ['bytes', 'broken'] })).status, 503);
      assert.equal((await send({ file_ids: ['bytes', 'none'] })).status, 404);
      await assertNothingLeft();
    });

    it('are given back where the message is refused', async () => {
      const { status } = await send({ to: ['nobody@localhost'], file_ids: ['bytes'] });
      assert.equal(status, 422);
      await assertNothingLeft();
    });

    async function assertNothingLeft() {
      const left = await app.services.database.read(async (tx) => [
        await tx.selectFrom('pending_blobs').selectAll().execute(),
        await tx.selectFrom('messages').selectAll().execute(),
      ]);
      assert.deepEqual(left, [[], []]);
    }
  });
});

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { verify } from '../../src/start/verification.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { makeKey } from './accounts.ts';
import { getBytes } from './mail-bytes.ts';
import { append, folderOf } from './mail-world.ts';

const PDF = Buffer.from(`%PDF-1.4\n${'1 0 obj\n<<>>\nendobj\n'.repeat(20)}trailer\n<<>>\n%%EOF\n`);

const part = (name: string, bytes: Buffer) =>
  `--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`;
const RAW = `Subject: Bill\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part('bill.pdf', PDF)}${part('empty.txt', Buffer.alloc(0))}--b\r\nContent-Type: message/rfc822\r\n\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${part('inner.pdf', PDF).replaceAll('--b', '--c')}--c--\r\n--b--\r\n`;

forEachEngine((engine) => {
  describe('saving attachments', () => {
    let app: TestApp;
    let message: string;
    let attachments: { id: string; attachments: { id: string }[] }[];
    before(async () => {
      app = await startApp(engine);
      message = (await append(app, await folderOf(app, 'inbox'), RAW)).id;
      attachments = (await app.get(`/v1/messages/${message}`)).json.data.attachments;
    });
    after(() => app.stop());

    const save = (id: string | undefined, body: object = {}, key?: string) =>
      app.post(`/v1/messages/${message}/attachments/${id}/save`, body, key === undefined ? {} : { key });
    const blobKeys = () =>
      app.services.database.read(async (tx) => {
        const rows = await tx.selectFrom('files').select('blob_key').execute();
        return rows.map(({ blob_key }) => blob_key);
      });

    it('an attachment becomes a file of the drive, whose bytes are shared (MAIL-104)', async () => {
      const folder = (await app.post('/v1/file-folders', { name: 'Bills' })).json.data.id;
      const first = await save(attachments[0]?.id, { folder_id: folder, title: 'March' });
      assert.equal(first.status, 201, first.text);
      const { id, title, filename, mime_type, size_bytes, folder_id } = first.json.data;
      assert.deepEqual(
        [title, filename, mime_type, size_bytes, folder_id],
        ['March', 'bill.pdf', 'application/pdf', PDF.length, folder],
      );
      assert.ok((await getBytes(app, `/v1/files/${id}/content`)).bytes.equals(PDF));
      assert.deepEqual((await app.get(`/v1/files/${id}`)).json.data, first.json.data);
      const again = (await save(attachments[0]?.id)).json.data;
      assert.deepEqual([again.title, again.folder_id], ['bill.pdf', '']);
      assert.ok((await getBytes(app, `/v1/files/${again.id}/content`)).bytes.equals(PDF));
      const keys = await blobKeys();
      assert.equal(keys.length, 2);
      assert.equal(new Set(keys).size, 1);
    });

    it('an empty attachment and one within an attached message are saved alike (MAIL-104, MAIL-107)', async () => {
      const empty = (await save(attachments[1]?.id)).json.data;
      assert.deepEqual([empty.size_bytes, empty.mime_type], [0, 'application/x-empty']);
      const inner = await save(attachments[2]?.attachments[0]?.id);
      assert.equal(inner.json.data.filename, 'inner.pdf');
      const { bytes } = await getBytes(app, `/v1/files/${inner.json.data.id}/content`);
      assert.ok(bytes.equals(PDF));
      const whole = (await save(attachments[2]?.id)).json.data;
      assert.equal(whole.mime_type, 'message/rfc822');
    });

    it('what is unknown, trashed or not allowed is refused, and nothing is saved (MAIL-104)', async () => {
      const before = (await blobKeys()).length;
      const folder = (await app.post('/v1/file-folders', { name: 'Gone' })).json.data.id;
      await app.delete(`/v1/file-folders/${folder}`);
      const code = async (answer: ReturnType<typeof save>) => (await answer).json.error.code;
      assert.equal(await code(save('att_x')), 'not_found');
      assert.equal(await code(save(attachments[0]?.id, { folder_id: 'dir_x' })), 'not_found');
      assert.equal(await code(save(attachments[0]?.id, { folder_id: folder })), 'folder_trashed');
      for (const permission of ['mail.messages.read', 'files.write'] as const) {
        const { key } = await makeKey(app, [permission]);
        assert.equal(await code(save(attachments[0]?.id, {}, key)), 'insufficient_scope');
      }
      assert.equal((await blobKeys()).length, before);
      const { key } = await makeKey(app, ['mail.messages.read', 'files.write']);
      assert.equal((await save(attachments[0]?.id, {}, key)).status, 201);
    });

    it('many who save one attachment at once each get their file (MAIL-104)', async () => {
      const { id } = await append(app, await folderOf(app, 'inbox'), RAW);
      const [first] = (await app.get(`/v1/messages/${id}`)).json.data.attachments;
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => app.post(`/v1/messages/${id}/attachments/${first.id}/save`, {})),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(5).fill(201),
      );
      for (const { json } of answers)
        assert.ok((await getBytes(app, `/v1/files/${json.data.id}/content`)).bytes.equals(PDF));
      assert.deepEqual(await verify(app.services, { rows: 0, blobs: 0, bytes: 0 }), []);
    });

    it('an attachment over the limit of files is refused (MAIL-104)', async (t) => {
      const small = await startApp(engine, { ATRIUM_MAX_FILE_SIZE: '100' });
      t.after(() => small.stop());
      const { id } = await append(small, 'inbox', RAW);
      const [first] = (await small.get(`/v1/messages/${id}`)).json.data.attachments;
      const answer = await small.post(`/v1/messages/${id}/attachments/${first.id}/save`, {});
      assert.deepEqual([answer.status, answer.json.error.code], [413, 'file_too_large']);
    });
  });
});

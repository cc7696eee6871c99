import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Atrium, AtriumError, type UploadProgress } from '../../client/src/index.ts';
import { PART } from '../areas/uploads-world.ts';
import { bytesOf } from '../contract/blobs-content.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';

forEachEngine((engine) => {
  let app: TestApp;
  let atrium: Atrium;
  before(async () => {
    app = await startApp(engine);
    atrium = new Atrium({ address: app.address, key: OWNER_KEY });
  });
  after(() => app.stop());

  describe('the client on a whole application', () => {
    it('pages through a listing', async () => {
      const inbox = (await atrium.mail.listMailFolders()).find(({ role }) => role === 'inbox');
      assert.ok(inbox);
      for (const subject of ['one', 'two', 'three']) {
        await atrium.mail.appendMessage(inbox.id, `Subject: ${subject}\r\n\r\n`, {
          flag: 'starred',
          label: 'new',
        });
      }
      const subjects: string[] = [];
      for await (const message of atrium.mail.listMessages({ folder_id: inbox.id, limit: 2 })) {
        subjects.push(message.subject);
      }
      assert.deepEqual(subjects.sort(), ['one', 'three', 'two']);
    });

    it('writes, reads and changes', async () => {
      const document = await atrium.documents.createDocument({ type: 'document', title: 'Notes' });
      const { state } = await atrium.documents.getDocumentContent(document.id);
      assert.ok(state);
      await atrium.documents.putDocumentContent(document.id, '# Notes', { ifMatch: state });
      const content = await atrium.documents.getDocumentContent(document.id);
      assert.deepEqual(
        [content.mediaType, await content.text()],
        ['text/markdown; charset=utf-8', '# Notes'],
      );
      const sheet = await atrium.documents.createDocument({ type: 'spreadsheet', title: 'Budget' });
      await atrium.spreadsheets.writeRange(sheet.id, 'A1', { values: [[1, 2, '=A1+B1']] });
      const { values } = await atrium.spreadsheets.readRange(sheet.id, 'A1:C1');
      assert.deepEqual(values, [[1, 2, 3]]);
      assert.equal(await atrium.documents.trashDocument(document.id), undefined);
    });

    it('does once what is asked twice under one key', async () => {
      const options = { idempotencyKey: 'the-same-book' };
      const [one, other] = await Promise.all([
        atrium.contacts.createAddressBook({ name: 'Twice' }, options),
        atrium.contacts.createAddressBook({ name: 'Twice' }, options),
      ]);
      assert.equal(one.id, other.id);
    });

    it('tells what the server refuses', async () => {
      await assert.rejects(atrium.mail.listMessages().all(), (error) => {
        assert.ok(error instanceof AtriumError);
        assert.deepEqual([error.status, error.code], [400, 'filter_required']);
        assert.match(String(error.requestId), /^req_/);
        return true;
      });
    });

    it('uploads with progress, and goes on with what was aborted', async () => {
      const whole = new Uint8Array(bytesOf(3 * PART + 5));
      const controller = new AbortController();
      const seen: UploadProgress[] = [];
      let session = '';
      const broken = atrium.files.upload(new Blob([whole]), {
        filename: 'film.bin',
        signal: controller.signal,
        onSession: (id) => {
          session = id;
        },
        onProgress: ({ done }) => {
          if (done > 0) controller.abort();
        },
      });
      await assert.rejects(broken, { name: 'AbortError' });
      assert.equal((await atrium.files.getUpload(session)).state, 'open');
      const onProgress = (progress: UploadProgress) => seen.push(progress);
      const file = await atrium.files.upload(whole, { filename: 'film.bin', session, onProgress });
      assert.deepEqual([file.filename, file.size_bytes], ['film.bin', whole.length]);
      assert.ok((seen[0]?.done ?? 0) > 0);
      assert.deepEqual(seen.at(-1), { done: whole.length, total: whole.length });
      assert.equal((await atrium.files.upload(whole, { filename: 'film.bin', session })).id, file.id);
      const back = await (await atrium.files.download(file.id)).bytes();
      assert.ok(Buffer.from(back).equals(whole));
    });

    it('uploads files of the disk under their own name, and what is empty', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'atrium-client-'));
      await writeFile(join(directory, 'notes.txt'), 'Notes');
      const blob = await openAsBlob(join(directory, 'notes.txt'));
      const file = await atrium.files.upload(new File([blob], 'notes.txt'));
      await rm(directory, { recursive: true });
      assert.deepEqual([file.filename, file.mime_type], ['notes.txt', 'text/plain']);
      assert.equal((await atrium.files.upload(new Uint8Array(), { filename: 'empty' })).size_bytes, 0);
      await assert.rejects(async () => atrium.files.upload(new Uint8Array()), /needs a filename/);
    });

    it('completes no upload whose source says that it was not one whole', async () => {
      const changed = new Error('changed');
      let session = '';
      const source = {
        size: 2,
        read: async () => new TextEncoder().encode('ab'),
        confirm: () => Promise.reject(changed),
      };
      const upload = atrium.files.upload(source, {
        filename: 'x',
        onSession: (id) => {
          session = id;
        },
      });
      await assert.rejects(upload, (error) => error === changed);
      assert.equal((await atrium.files.getUpload(session)).state, 'open');
    });
  });
});

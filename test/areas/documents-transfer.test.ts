/** Documents that are made of uploaded texts, and documents that leave as Markdown and HTML. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encode } from 'iconv-lite';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { storedState } from '../refusals/world.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data, makeKey } from './accounts.ts';
import { makeDocument, putContent, readContent } from './documents-world.ts';
import { makePerson, type Person, putFile, shareWith, theOwner } from './files-world.ts';

runWorksTwice();

const TEXT = '# Größe\n\none\ntwo\n\nthree\n';

function utf16(text: string, mark: 'le' | 'be'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return mark === 'le' ? bytes : bytes.swap16();
}

/** Uploaded bytes, and the first revision that they become. */
const SOURCES: Record<string, { filename: string; bytes: Buffer; text?: string }> = {
  Markdown: { filename: 'a.md', bytes: Buffer.from(TEXT) },
  text: { filename: 'a.txt', bytes: Buffer.from(TEXT) },
  'a text with a mark': { filename: 'a.md', bytes: Buffer.from(`\ufeff${TEXT}`) },
  'lines of Windows': { filename: 'a.md', bytes: Buffer.from(TEXT.replaceAll('\n', '\r\n')) },
  'lines of old': { filename: 'a.md', bytes: Buffer.from(TEXT.replaceAll('\n', '\r')) },
  'lines of Windows that end where a portion does': {
    filename: 'a.md',
    bytes: Buffer.from(`${'a'.repeat(65_535)}\r\n${'b'.repeat(65_534)}\r\r\n\n`),
    text: `${'a'.repeat(65_535)}\n${'b'.repeat(65_534)}\n\n\n`,
  },
  'UTF-16, little-endian': { filename: 'a.txt', bytes: utf16(TEXT, 'le') },
  'UTF-16, big-endian': { filename: 'a.txt', bytes: utf16(TEXT.replaceAll('\n', '\r\n'), 'be') },
  'UTF-16 without a mark': { filename: 'a.txt', bytes: utf16(TEXT, 'le').subarray(2) },
  'UTF-32, little-endian': { filename: 'a.txt', bytes: encode(TEXT, 'utf-32le') },
  'UTF-32 with a mark': { filename: 'a.md', bytes: encode(`\ufeff${TEXT}`, 'utf-32be') },
  'Windows-1252': { filename: 'a.txt', bytes: encode(TEXT, 'windows-1252') },
  'Markdown that begins with HTML': {
    filename: 'README.md',
    bytes: Buffer.from(`<!doctype html>\n<p align="center">x</p>\n\n${TEXT}`),
    text: `<!doctype html>\n<p align="center">x</p>\n\n${TEXT}`,
  },
  'text of whatever kind': { filename: 'a.json', bytes: Buffer.from('{"a":1}\n'), text: '{"a":1}\n' },
  nothing: { filename: 'a.md', bytes: Buffer.alloc(0), text: '' },
  'a large text': {
    filename: 'a.md',
    bytes: Buffer.from('wörter '.repeat(50_000)),
    text: 'wörter '.repeat(50_000),
  },
};

const WRONG: Record<string, { filename: string; bytes: Buffer; reason: RegExp }> = {
  'an image': {
    filename: 'a.md',
    bytes: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    reason: /not text in UTF-8/,
  },
  'a text in no encoding that is read': {
    filename: 'a.txt',
    bytes: Buffer.from('Gr\u0081\u008dfe\n'.repeat(10), 'latin1'),
    reason: /not text in UTF-8/,
  },
  'a text in UTF-16 that breaks off within a character': {
    filename: 'a.md',
    bytes: utf16(TEXT, 'le').subarray(0, -1),
    reason: /not text in UTF-8/,
  },
  'a text with U+0000': { filename: 'a.md', bytes: Buffer.from('a\0b'), reason: /not text in UTF-8/ },
  'a text that is too large': {
    filename: 'a.txt',
    bytes: Buffer.from('word '.repeat(2_000_001)),
    reason: /at most 10000000 bytes/,
  },
  'a text that grows too large': {
    filename: 'a.txt',
    bytes: utf16('漢字'.repeat(2_000_000), 'le'),
    reason: /at most 10000000 bytes/,
  },
};

forEachEngine((engine) => {
  describe('documents that come and go', () => {
    let app: TestApp;
    let owner: Person;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const upload = async (filename: string, bytes: Buffer) => {
      const body = new Uint8Array(bytes);
      const answer = await app.request('POST', `/v1/files?filename=${filename}`, { body });
      return data(answer, 201).id;
    };
    const create = (fields: object, key = owner.key) =>
      app.post('/v1/documents', { type: 'document', title: 'T', ...fields }, { key });

    for (const [name, { filename, bytes, text = TEXT }] of Object.entries(SOURCES)) {
      test(`a document has ${name} as its first revision (DOC-13)`, async () => {
        const { id } = data(await create({ source_file_id: await upload(filename, bytes) }), 201);
        assert.equal((await readContent(app, owner, id)).text, text);
        const revisions = data(await app.get(`/v1/documents/${id}/revisions`));
        assert.deepEqual(
          revisions.map(({ revision }: { revision: number }) => revision),
          [1],
        );
      });
    }

    for (const [name, { filename, bytes, reason }] of Object.entries(WRONG)) {
      test(`a document of ${name} is refused, and nothing comes of it (DOC-14)`, async () => {
        const fileId = await upload(filename, bytes);
        const before = await storedState(app.services.database);
        const refused = await create({ source_file_id: fileId });
        assert.deepEqual([refused.status, refused.json.error.code], [422, 'unreadable_file']);
        assert.match(refused.json.error.details.reason, reason);
        assert.equal(await storedState(app.services.database), before);
      });
    }

    test('the source of a document is a file that the caller sees and reads with files.read, and what becomes of it changes nothing (DOC-13)', async () => {
      const friend = await makePerson(app);
      const theirs = await putFile(app, friend, { filename: 'a.md', mimeType: 'text/markdown' });
      const document = await makeDocument(app, owner);
      for (const id of [theirs.id, document.id, 'file_unknown', 'x', '']) {
        const refused = await create({ source_file_id: id });
        assert.deepEqual([refused.status, refused.json.error.details], [404, { resource: 'file', id }]);
      }
      const { key } = await makeKey(app, ['docs.documents.read', 'docs.documents.write']);
      const refused = await create({ source_file_id: theirs.id }, key);
      assert.deepEqual(
        [refused.status, refused.json.error.details],
        [403, { missing_permission: 'files.read' }],
      );
      await shareWith(app, friend, theirs.id, owner.id, 'viewer');
      const { id } = data(await create({ source_file_id: theirs.id }), 201);
      assert.equal((await readContent(app, owner, id)).text, 'text');
      await app.delete(`/v1/files/${theirs.id}`, friend);
      assert.equal((await create({ source_file_id: theirs.id })).status, 403);
      assert.equal((await readContent(app, owner, id)).text, 'text');
    });

    test('what is refused for its folder leaves no blob of its source', async () => {
      const fileId = await upload('a.md', Buffer.from('x'.repeat(300_000)));
      const before = await storedState(app.services.database);
      const refused = await create({ source_file_id: fileId, folder_id: 'dir_unknown' });
      assert.equal(refused.status, 404);
      assert.equal(await storedState(app.services.database), before);
    });

    test('a document is exported as Markdown under its title (DOC-26)', async () => {
      const { id } = await makeDocument(app, owner, { title: 'Q1/Q2 Größe' });
      const { state } = data(await putContent(app, owner, id, TEXT));
      for (const query of ['', '?format=markdown']) {
        const { status, text, headers } = await app.get(`/v1/documents/${id}/export${query}`);
        assert.deepEqual([status, text, headers.get('etag')], [200, TEXT, `"${state}"`]);
        assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8');
        assert.equal(
          headers.get('content-disposition'),
          `attachment; filename="Q1-Q2 Gr??e.md"; filename*=UTF-8''Q1-Q2%20Gr%C3%B6%C3%9Fe.md`,
        );
      }
      await app.put(`/v1/documents/${id}`, { title: 'notes.MD' });
      const { headers } = await app.get(`/v1/documents/${id}/export`);
      assert.match(
        headers.get('content-disposition') ?? '',
        /filename=notes\.MD; filename\*=UTF-8''notes\.MD$/,
      );
    });

    test('a document that is too large for a page is exported as Markdown only (DOC-26)', async () => {
      const { id } = await makeDocument(app, owner);
      await putContent(app, owner, id, 'x'.repeat(1_000_001));
      const refused = await app.get(`/v1/documents/${id}/export?format=html`);
      assert.deepEqual([refused.status, refused.json.error.code], [413, 'payload_too_large']);
      assert.equal((await app.get(`/v1/documents/${id}/export`)).text.length, 1_000_001);
    });

    test('a document whose page would be too long is exported as Markdown only (DOC-26)', async () => {
      const { id } = await makeDocument(app, owner);
      await putContent(app, owner, id, `[x]: http://a/${'b'.repeat(20_000)}\n\n${'[x] '.repeat(20_000)}`);
      const refused = await app.get(`/v1/documents/${id}/export?format=html`);
      assert.deepEqual([refused.status, refused.json.error.code], [413, 'payload_too_large']);
      assert.equal((await app.get(`/v1/documents/${id}/export`)).status, 200);
    });

    test('a document is exported as a page of HTML that runs nothing (DOC-26)', async () => {
      const { id } = await makeDocument(app, owner, { title: '</title><script>' });
      await putContent(app, owner, id, `${TEXT}\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n`);
      const { status, text, headers } = await app.get(`/v1/documents/${id}/export?format=html`);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(headers.get('content-disposition') ?? '', /^attachment; filename=.*\.html/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
      assert.match(text, /^<!doctype html>/);
      assert.match(text, /<h1>Größe<\/h1>/);
      assert.doesNotMatch(text, /<script|javascript:/i);
    });
  });
});

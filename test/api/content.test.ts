/** Content as it is read, of files, documents and revisions alike: under conditions, in parts, and under its name. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { data } from '../areas/accounts.ts';
import { makeDocument, putContent } from '../areas/documents-world.ts';
import { putFile, theOwner } from '../areas/files-world.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';

const TEXT = '0123456789';
const EARLY = 'Sun, 06 Nov 1994 08:49:37 GMT';
const LATE = 'Fri, 06 Nov 2099 08:49:37 GMT';

forEachEngine((engine) => {
  describe('content that is read', () => {
    let app: TestApp;
    /** The paths of the same bytes as each kind of content. */
    const paths: string[] = [];
    before(async () => {
      app = await startApp(engine);
      const owner = await theOwner(app);
      const { id: file } = await putFile(app, owner, { filename: 'Zahlen €.txt', bytes: Buffer.from(TEXT) });
      const { id: document } = await makeDocument(app, owner, { title: 'Zahlen €' });
      data(await putContent(app, owner, document, TEXT));
      paths.push(`/v1/files/${file}/content`, `/v1/documents/${document}/content`);
      paths.push(`/v1/documents/${document}/revisions/2`);
    });
    after(() => app.stop());

    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await app.get(path, { headers })).status;

    test('is not sent again to who has it, nor to who asks for another state (API-147, API-148)', async () => {
      for (const path of paths) {
        const etag = (await app.get(path)).headers.get('etag') ?? '';
        assert.match(etag, /^"[^"]+"$/);
        const unchanged = await app.get(path, { headers: { 'if-none-match': `"x", ${etag}` } });
        assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
        assert.equal(await statusOf(path, { 'if-none-match': '"x"' }), 200);
        assert.equal(await statusOf(path, { 'if-match': etag }), 200);
        const other = await app.get(path, { headers: { 'if-match': '"x"' } });
        assert.deepEqual([other.status, other.json.error.code], [412, 'state_mismatch']);
      }
    });

    test('is sent by one range, and whole where several are asked for or none is understood (API-150)', async () => {
      for (const path of paths) {
        const part = await app.get(path, { headers: { range: 'bytes=2-4' } });
        assert.deepEqual([part.status, part.text], [206, '234']);
        assert.equal(part.headers.get('content-range'), 'bytes 2-4/10');
        const outside = await app.get(path, { headers: { range: 'bytes=10-' } });
        assert.deepEqual([outside.status, outside.headers.get('content-range')], [416, 'bytes */10']);
        for (const range of ['bytes=0-1,5-6', 'bytes=x', 'lines=0-1']) {
          const { status, text } = await app.get(path, { headers: { range } });
          assert.deepEqual([status, text], [200, TEXT], range);
        }
      }
    });

    test('obeys the conditions that name a time, and If-Range (API-151)', async () => {
      for (const path of paths) {
        const { headers } = await app.get(path);
        assert.equal(headers.get('accept-ranges'), 'bytes');
        const [modified, etag] = [headers.get('last-modified') ?? '', headers.get('etag') ?? ''];
        assert.ok(Math.abs(Date.parse(modified) - Date.now()) < 600_000, modified);
        assert.equal(await statusOf(path, { 'if-modified-since': LATE }), 304);
        assert.equal(await statusOf(path, { 'if-modified-since': EARLY }), 200);
        assert.equal(await statusOf(path, { 'if-unmodified-since': EARLY }), 412);
        assert.equal(await statusOf(path, { 'if-unmodified-since': modified }), 200);
        assert.equal(await statusOf(path, { range: 'bytes=0-1', 'if-range': etag }), 206);
        assert.equal(await statusOf(path, { range: 'bytes=0-1', 'if-range': '"x"' }), 200);
      }
    });

    test('is a download under its name (API-152)', async () => {
      const [file = '', document = ''] = paths;
      const exported = document.replace('/content', '/export');
      for (const [path, name] of [
        [file, 'Zahlen%20%E2%82%AC.txt'],
        [exported, 'Zahlen%20%E2%82%AC.md'],
      ] as const) {
        const disposition = (await app.get(path)).headers.get('content-disposition') ?? '';
        assert.match(disposition, /^attachment; /);
        assert.ok(disposition.endsWith(`; filename*=UTF-8''${name}`), disposition);
      }
    });
  });
});

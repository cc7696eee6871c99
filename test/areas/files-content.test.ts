/** Downloads: whole, in parts, conditional, to many at once. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { liveBytes } from '../live-bytes.ts';
import { type Person, putFile, theOwner } from './files-world.ts';

const BYTES = Buffer.from('0123456789');
const LARGE = 8 * 1024 * 1024;

forEachEngine((engine) => {
  describe('downloading', () => {
    let app: TestApp;
    let owner: Person;
    let path: string;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
      const { id } = await putFile(app, owner, { filename: 'Zahlen €.txt', bytes: BYTES });
      path = `/v1/files/${id}/content`;
    });
    after(() => app.stop());

    const get = (headers: Record<string, string> = {}) => app.get(path, { headers });

    test('the content of a file is answered with its type, as a download that cannot run (FILE-21, FILE-22)', async () => {
      const { status, text, headers } = await get();
      assert.equal(status, 200);
      assert.equal(text, '0123456789');
      assert.equal(headers.get('content-type'), 'text/plain');
      assert.equal(headers.get('content-length'), '10');
      assert.equal(headers.get('accept-ranges'), 'bytes');
      assert.match(headers.get('etag') ?? '', /^"[^"]+"$/);
      assert.equal(
        headers.get('content-disposition'),
        'attachment; filename="Zahlen ?.txt"; filename*=UTF-8\'\'Zahlen%20%E2%82%AC.txt',
      );
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /\bsandbox\b/);
    });

    test('is saved under its name, told in both ways, whatever is in it', async () => {
      for (const [name, disposition] of [
        ['plain.txt', "attachment; filename=plain.txt; filename*=UTF-8''plain.txt"],
        [
          'filename*=x.html',
          'attachment; filename="filename*=x.html"; filename*=UTF-8\'\'filename%2A%3Dx.html',
        ],
        [
          "; filename*=UTF-8''y",
          "attachment; filename=\"; filename*=UTF-8''y\"; filename*=UTF-8''%3B%20filename%2A%3DUTF-8%27%27y",
        ],
        [`it's (1)*.txt`, `attachment; filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
        ['a "b";c', `attachment; filename="a \\"b\\";c"; filename*=UTF-8''a%20%22b%22%3Bc`],
        ['100%41.txt', `attachment; filename=100%41.txt; filename*=UTF-8''100%2541.txt`],
      ] as const) {
        const made = await app.post(`/v1/files?${new URLSearchParams({ filename: name })}`, 'x');
        const { headers } = await app.get(`/v1/files/${made.json.data.id}/content`);
        assert.equal(headers.get('content-disposition'), disposition);
      }
    });

    test('HEAD of a content answers the same headers and nothing else, and heeds no Range (FILE-21)', async () => {
      const whole = await get();
      const head = await app.request('HEAD', path, { headers: { range: 'bytes=0-1' } });
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      for (const name of ['content-type', 'content-length', 'etag', 'last-modified', 'content-disposition']) {
        assert.equal(head.headers.get(name), whole.headers.get(name), name);
      }
      const etag = whole.headers.get('etag') ?? '';
      const unchanged = await app.request('HEAD', path, { headers: { 'if-none-match': etag } });
      assert.equal(unchanged.status, 304);
      assert.notEqual(unchanged.headers.get('content-length'), '0');
    });

    for (const [range, part, contentRange] of [
      ['bytes=0-3', '0123', 'bytes 0-3/10'],
      ['bytes=4-', '456789', 'bytes 4-9/10'],
      ['bytes=-2', '89', 'bytes 8-9/10'],
      ['bytes=8-100', '89', 'bytes 8-9/10'],
    ] as const) {
      test(`a part of a content is answered to Range: ${range} (FILE-21)`, async () => {
        const { status, text, headers } = await get({ range });
        assert.equal(status, 206);
        assert.equal(text, part);
        assert.equal(headers.get('content-range'), contentRange);
        assert.equal(headers.get('content-length'), String(part.length));
      });
    }

    test('a Range outside is refused, one that does not parse ignored', async () => {
      const outside = await get({ range: 'bytes=10-' });
      assert.equal(outside.status, 416);
      assert.equal(outside.json.error.code, 'range_not_satisfiable');
      assert.equal(outside.headers.get('content-range'), 'bytes */10');
      for (const range of ['bytes=3-1', 'bites=0-1', 'bytes=x', 'bytes=0-1,5-6']) {
        const { status, text } = await get({ range });
        assert.deepEqual([status, text], [200, '0123456789'], range);
      }
    });

    test('preconditions hold for a content (FILE-21)', async () => {
      const { headers } = await get();
      const etag = headers.get('etag') ?? '';
      const modified = headers.get('last-modified') ?? '';
      const early = 'Sun, 06 Nov 1994 08:49:37 GMT';
      const statusOf = async (sent: Record<string, string>) => (await get(sent)).status;
      assert.equal(await statusOf({ 'if-none-match': etag }), 304);
      assert.equal(await statusOf({ 'if-none-match': `"x", W/${etag}` }), 304);
      assert.equal(await statusOf({ 'if-none-match': '*' }), 304);
      assert.equal(await statusOf({ 'if-none-match': '"x"' }), 200);
      assert.equal(await statusOf({ 'if-none-match': '"x"', 'if-modified-since': modified }), 200);
      assert.equal(await statusOf({ 'if-modified-since': modified }), 304);
      for (const date of [early, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', 'soon']) {
        assert.equal(await statusOf({ 'if-modified-since': date }), 200, date);
      }
      assert.equal(await statusOf({ 'if-match': etag }), 200);
      assert.equal(await statusOf({ 'if-match': '*' }), 200);
      assert.equal(await statusOf({ 'if-match': `W/${etag}` }), 412);
      assert.equal(await statusOf({ 'if-match': '"x"' }), 412);
      assert.equal(await statusOf({ 'if-unmodified-since': early }), 412);
      assert.equal(await statusOf({ 'if-unmodified-since': modified }), 200);
      assert.equal(await statusOf({ 'if-none-match': etag, range: 'bytes=0-1' }), 304);
    });

    test('If-Range answers the part of the same content, else the whole', async () => {
      const { headers } = await get();
      const etag = headers.get('etag') ?? '';
      const statusOf = async (ifRange: string) =>
        (await get({ range: 'bytes=0-1', 'if-range': ifRange })).status;
      assert.equal(await statusOf(etag), 206);
      assert.equal(await statusOf(headers.get('last-modified') ?? ''), 206);
      assert.equal(await statusOf('"other"'), 200);
      assert.equal(await statusOf(`W/${etag}`), 200);
      assert.equal(await statusOf('Sun, 06 Nov 1994 08:49:37 GMT'), 200);
      assert.equal((await get({ range: 'bytes=10-', 'if-range': '"other"' })).status, 200);
    });

    test('readers that stall hold little memory and nobody up (FILE-23)', async () => {
      const { id } = await putFile(app, owner, { bytes: Buffer.alloc(LARGE, 'x') });
      const before = liveBytes();
      const stalled = await Promise.all(
        Array.from({ length: 40 }, () => stall(app, `/v1/files/${id}/content`)),
      );
      const held = liveBytes() - before;
      assert.ok(held < 8 * LARGE, `forty readers of ${LARGE} bytes hold ${held}`);
      await app.put(`/v1/files/${id}`, { title: 'Still served' });
      const answer = await fetch(`${app.address}/v1/files/${id}/content`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      assert.equal((await answer.arrayBuffer()).byteLength, LARGE);
      for (const socket of stalled) socket.destroy();
    });

    test('a reader that comes back gets the whole, however it is cut', async () => {
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
      const { id } = await putFile(app, owner, { bytes });
      const parts: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += 70_001) {
        const response = await fetch(`${app.address}/v1/files/${id}/content`, {
          headers: { authorization: `Bearer ${OWNER_KEY}`, range: `bytes=${at}-${at + 70_000}` },
        });
        assert.equal(response.status, 206);
        parts.push(Buffer.from(await response.arrayBuffer()));
      }
      assert.ok(Buffer.concat(parts).equals(bytes));
    });

    test('an empty file has no part', async () => {
      const { id } = await putFile(app, owner, { bytes: Buffer.alloc(0) });
      const whole = await app.get(`/v1/files/${id}/content`);
      assert.deepEqual([whole.status, whole.text, whole.headers.get('content-length')], [200, '', '0']);
      const part = await app.get(`/v1/files/${id}/content`, { headers: { range: 'bytes=0-' } });
      assert.equal(part.status, 416);
      assert.equal(part.headers.get('content-range'), 'bytes */0');
    });
  });
});

/** Asks for a file and reads nothing but the beginning of the answer. */
function stall(app: TestApp, path: string) {
  const { hostname, port } = new URL(app.address);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OWNER_KEY}\r\n\r\n`);
  return new Promise<typeof socket>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', () => resolve(socket.pause()));
  });
}

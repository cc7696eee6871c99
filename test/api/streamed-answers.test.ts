/** Content that fails or that nobody waits for any more, and content whose size is not known. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { it, type TestContext } from 'node:test';
import pino from 'pino';
import { BlobsUnavailable } from '../../src/blobs/blob-store.ts';
import { Content } from '../../src/contract/answers.ts';
import { sendContent } from '../../src/server/http/content.ts';
import { HttpServer } from '../../src/server/http/http-server.ts';
import { assertRefusal, exchange, openConnection, request } from './raw-http.ts';

const GET = request('GET /content HTTP/1.1');

/** A server whose one route answers with this content. */
async function serve(t: TestContext, content: Content): Promise<{ address: string; server: HttpServer }> {
  const server = new HttpServer({ log: pino({ level: 'silent' }), tls: undefined });
  t.after(() => {
    server.node.closeAllConnections();
    server.node.close();
  });
  server.route('GET', '/content', (asked) => sendContent(asked, content));
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.node.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, server };
}

it('a refusal in the place of content that cannot be read says nothing of the content', async (t) => {
  const open = async () => Readable.from(failing(0), { objectMode: false });
  const validators = { etag: '"1"', lastModified: 0 };
  const content = new Content({ mediaType: 'text/plain', filename: 'a.txt', size: 9_000, validators, open });
  const { address } = await serve(t, content);
  for (const text of [GET, request('GET /content HTTP/1.1', { range: 'bytes=1-2' })]) {
    const answer = await exchange(address, text);
    assertRefusal(answer, 'unavailable');
    assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(answer.text)));
    for (const name of ['content-disposition', 'content-range', 'etag', 'last-modified'])
      assert.equal(answer.headers.get(name), null);
  }
});

it('content that fails in the middle ends with its connection', async (t) => {
  const open = async () => Readable.from(failing(5), { objectMode: false });
  const { address } = await serve(t, new Content({ mediaType: 'text/plain', size: 9_000, open }));
  const connection = await openConnection(address);
  await connection.send(GET).closed();
});

it('content that was opened for a client that had left meanwhile is closed', async (t) => {
  const opening = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<Readable>();
  const hasLeft = Promise.withResolvers<void>();
  const open = async () => {
    opening.resolve();
    await hasLeft.promise;
    const source = new Readable({ read: () => source.push(Buffer.alloc(100_000)) });
    opened.resolve(source);
    return source;
  };
  const { address, server } = await serve(t, new Content({ mediaType: 'text/plain', ownChunks: true, open }));
  const accepted = once(server.node, 'connection');
  const connection = await openConnection(address);
  connection.send(GET);
  const [[socket]] = await Promise.all([accepted, opening.promise]);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  connection.socket.resetAndDestroy();
  await closed;
  hasLeft.resolve();
  const source = await opened.promise;
  if (!source.closed) await once(source, 'close', { signal: AbortSignal.timeout(60_000) });
});

it('HEAD of content whose size nobody knows tells none', async (t) => {
  const open = async () => Readable.from(['words'], { objectMode: false });
  const { address } = await serve(t, new Content({ mediaType: 'text/plain', open }));
  const connection = await openConnection(address);
  for (let i = 0; i < 2; i++) {
    connection.send(request('HEAD /content HTTP/1.1'));
    const answer = await connection.next({ hasBody: false });
    assert.deepEqual([answer.status, answer.headers.get('content-length')], [200, null]);
  }
  connection.socket.destroy();
});

/** So many pieces, then the failure. */
async function* failing(pieces: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < pieces; i++) yield Buffer.alloc(1_000, 'x');
  throw new BlobsUnavailable('The disk is gone');
}

/** Clients that say with their request that it is the last one, and still wait for the answer: `nc -N`, and old ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { connect } from 'node:tls';
import { createNodeServer, PATIENCE, type Patience } from '../../src/server/http/node-server.ts';
import { openConnection, type RawConnection, request } from './raw-http.ts';

const TLS = {
  cert: readFileSync(join(import.meta.dirname, 'tls/cert.pem'), 'utf8'),
  key: readFileSync(join(import.meta.dirname, 'tls/key.pem'), 'utf8'),
};

/** Answers with what was asked, the last question once the client has been heard to say nothing more. */
const answer: RequestListener = async (incoming, response) => {
  const body = await text(incoming);
  if (incoming.url === '/last' && !incoming.socket.readableEnded) await once(incoming.socket, 'end');
  response.end(`${incoming.url} ${body}`);
};

async function listen(
  t: TestContext,
  handle: RequestListener,
  { tls, patience }: { tls?: typeof TLS; patience?: Patience } = {},
): Promise<{ server: Server; port: number; address: string }> {
  const server = createNodeServer(handle, tls, patience);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, port, address: `http://127.0.0.1:${port}` };
}

async function sendLast(address: string, ...requests: string[]): Promise<RawConnection> {
  const connection = await openConnection(address);
  connection.send(requests.join('')).socket.end();
  return connection;
}

const post = (path: string, body: string) =>
  request(`POST ${path} HTTP/1.1`, { 'content-length': String(body.length) }, body);

describe('a client that sends nothing more', () => {
  it('gets its answer, and the connection ends behind it', async (t) => {
    const { address } = await listen(t, answer);
    const connection = await sendLast(address, post('/last', 'words'));
    assert.equal((await connection.next()).text, '/last words');
    await connection.closed();
  });

  it('gets every answer where it asked ahead', async (t) => {
    const { address } = await listen(t, answer);
    const connection = await sendLast(address, post('/1', 'a'), post('/2', 'b'), post('/last', 'c'));
    for (const expected of ['/1 a', '/2 b', '/last c'])
      assert.equal((await connection.next()).text, expected);
    await connection.closed();
  });

  it('gets its answer over TLS', async (t) => {
    const { port } = await listen(t, answer, { tls: TLS });
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.end(post('/last', 'words'));
    assert.match(await text(socket), /^HTTP\/1\.1 200 [\s\S]*\/last words$/);
  });

  it('is let go when it does not read', async (t) => {
    const impatient = { ...PATIENCE, silence: 500 };
    const long: RequestListener = (_incoming, response) => void response.end(Buffer.alloc(100_000_000));
    const { server, address } = await listen(t, long, { patience: impatient });
    const accepted = once(server, 'request');
    const connection = await sendLast(address, request('GET / HTTP/1.1'));
    connection.socket.pause();
    const [{ socket }] = await accepted;
    if (!socket.destroyed) await once(socket, 'close', { signal: AbortSignal.timeout(60_000) });
    connection.socket.destroy();
  });
});

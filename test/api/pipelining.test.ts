/** What is asked ahead on one connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createNodeServer } from '../../src/api/node-server.ts';
import { openConnection, request } from './raw-http.ts';

const AHEAD = 2_000;
const PAGE = Buffer.alloc(100_000);

async function listen(t: TestContext, handle: RequestListener): Promise<string> {
  const server: Server = createNodeServer(handle, undefined);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('requests that are sent ahead', () => {
  it('are worked on one by one, and answered in order', async (t) => {
    let running = 0;
    let most = 0;
    const address = await listen(t, async (incoming, response) => {
      most = Math.max(most, ++running);
      const chunks = await Array.fromAsync(incoming);
      await turn();
      running--;
      response.end(`${incoming.url} ${Buffer.concat(chunks)}`);
    });
    const connection = await openConnection(address);
    const post = (n: number) =>
      request(`POST /${n} HTTP/1.1`, { 'content-length': `${String(n).length}` }, `${n}`);
    for (let n = 0; n < AHEAD; n++) connection.send(post(n));
    for (let n = 0; n < AHEAD; n++) assert.equal((await connection.next()).text, `/${n} ${n}`);
    assert.equal(most, 1);
    connection.socket.destroy();
  });

  it('are not worked on for who does not read', async (t) => {
    let begun = 0;
    const address = await listen(t, (_incoming, response) => {
      begun++;
      response.end(PAGE);
    });
    const { socket } = await openConnection(address);
    socket.pause();
    socket.write(request('GET / HTTP/1.1').repeat(AHEAD));
    for (let before = -1; before !== begun; before = begun)
      for (let turns = 0; turns < 200; turns++) await turn();
    assert.ok(begun > 0 && begun < AHEAD / 2, `${begun} answers were made`);
    socket.destroy();
  });

  it('end with an answer that closes the connection', async (t) => {
    const asked: string[] = [];
    const address = await listen(t, (incoming, response) => {
      asked.push(incoming.url ?? '');
      response.end('done');
    });
    const connection = await openConnection(address);
    connection.send(request('GET /last HTTP/1.1', { connection: 'close' }) + request('POST /late HTTP/1.1'));
    assert.equal((await connection.next()).text, 'done');
    await connection.closed();
    assert.deepEqual(asked, ['/last']);
  });
});

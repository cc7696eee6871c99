/** What is asked ahead on one connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createNodeServer, PATIENCE, type Patience } from '../../src/server/http/node-server.ts';
import { assertRefusal, openConnection, request } from './raw-http.ts';

const AHEAD = 2_000;
const PAGE = Buffer.alloc(100_000);
const IMPATIENT = { ...PATIENCE, headers: 2_000, lookEvery: 50 };

async function serve(t: TestContext, handle: RequestListener, patience?: Patience): Promise<Server> {
  const server = createNodeServer(handle, undefined, patience);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listen(t: TestContext, handle: RequestListener): Promise<string> {
  return addressOf(await serve(t, handle));
}

/** Resolves with what `measure` says when that has not changed for a while. */
async function settled(measure: () => number): Promise<number> {
  for (let before = -1; before !== measure(); ) {
    before = measure();
    for (let turns = 0; turns < 200; turns++) await turn();
  }
  return measure();
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
    await settled(() => begun);
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

  it('are not even read for as long as one is worked on', async (t) => {
    const begun = Promise.withResolvers<Socket>();
    const address = await listen(t, ({ socket }) => begun.resolve(socket));
    const { socket } = await openConnection(address);
    const text = request('GET / HTTP/1.1').repeat(50_000);
    socket.write(text);
    const server = await begun.promise;
    const read = await settled(() => server.bytesRead);
    assert.ok(read < text.length / 4, `${read} of ${text.length} bytes were read`);
    socket.destroy();
  });

  it('may be cut anywhere, however long the work on those before takes', async (t) => {
    const late = Promise.withResolvers<void>();
    const handle: RequestListener = async ({ url }, response) => {
      response.setHeader('content-length', 2).write('/');
      await late.promise;
      response.end(url?.slice(1));
    };
    const server = await serve(t, handle, IMPATIENT);
    server.once('clientError', () => late.resolve());
    const connection = await openConnection(addressOf(server));
    const third = request('GET /3 HTTP/1.1');
    connection.send(request('GET /1 HTTP/1.1') + request('GET /2 HTTP/1.1') + third.slice(0, 9));
    await late.promise;
    connection.send(third.slice(9));
    for (const url of ['/1', '/2', '/3']) assert.equal((await connection.next()).text, url);
    connection.socket.destroy();
  });

  const broken = {
    malformed_request: 'GARBAGE\r\n\r\n',
    not_found: request('CONNECT example.org:80 HTTP/1.1'),
    expectation_failed: request('POST /3 HTTP/1.1', { expect: 'more' }),
  } as const;
  for (const [code, text] of Object.entries(broken))
    it(`are refused with ${code} behind the answers to those before, and nothing after that`, async (t) => {
      const asked: string[] = [];
      const address = await listen(t, async ({ url = '' }, response) => {
        asked.push(url);
        await turn();
        response.end(url);
      });
      const connection = await openConnection(address);
      const good = request('GET /1 HTTP/1.1') + request('GET /2 HTTP/1.1');
      connection.send(good + text + request('POST /late HTTP/1.1'));
      for (const url of ['/1', '/2']) assert.equal((await connection.next()).text, url);
      assertRefusal(await connection.next(), code as keyof typeof broken);
      await connection.closed();
      assert.deepEqual(asked, ['/1', '/2']);
    });

  it('are refused where their body breaks off, behind the answer to the one before', async (t) => {
    const address = await listen(t, async (incoming, response) => {
      await turn();
      await incoming.resume().toArray();
      response.end('done');
    });
    const connection = await openConnection(address);
    const body = request('POST /2 HTTP/1.1', { 'transfer-encoding': 'chunked' }, 'no length\r\n');
    connection.send(request('GET /1 HTTP/1.1') + body);
    assert.equal((await connection.next()).text, 'done');
    assertRefusal(await connection.next(), 'malformed_request');
    await connection.closed();
  });

  it('are not worked on when they were refused for being late', async (t) => {
    const asked: unknown[] = [];
    const server = await serve(t, ({ url }) => asked.push(url), IMPATIENT);
    const connection = await openConnection(addressOf(server));
    const text = request('POST / HTTP/1.1');
    connection.send(text.slice(0, 9));
    assertRefusal(await connection.next(), 'request_timeout');
    connection.send(text.slice(9));
    await connection.closed();
    await settled(() => asked.length);
    assert.deepEqual(asked, []);
  });
});

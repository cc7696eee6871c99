/** Where webhooks may go, and what endpoints may do to them. */
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { after, afterEach, before, beforeEach, describe, type TestContext, test } from 'node:test';
import { isPublicAddress, ReachableHosts } from '../../src/areas/changes/webhooks/addresses.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const NOT_PUBLIC = 'The host has an address that is not public.';

describe('an address', () => {
  for (const address of ['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::8'])
    test(`${address} is public`, () => assert.equal(isPublicAddress(address), true));

  for (const address of [
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.9.9.9'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.1.1', '192.0.0.8', '198.18.0.1'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1', 'fec0::1'],
    ...[
      '::ffff:8.8.8.8',
      '::ffff:10.0.0.1',
      '::8.8.8.8',
      '::808:808',
      '::2',
      '4000::1',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::1',
      '2002:7f00:1::',
    ],
    ...['2001::1', '100::1', '2001:db8::1', 'localhost', ''],
  ])
    test(`${address} is not public (CHANGE-64)`, () => assert.equal(isPublicAddress(address), false));
});

describe('a URL of a webhook', () => {
  const hosts = new ReachableHosts(new Set(['127.0.0.1', '::1', 'inner.example']));

  for (const url of [
    'https://example.org/',
    'https://8.8.8.8:8443/hook?a=b',
    'https://[2606:4700::1111]/',
    'http://127.0.0.1:9/hook',
    'http://[::1]/',
    'http://INNER.example/',
  ])
    test(`may be ${url} (CHANGE-63, CHANGE-65)`, () => assert.equal(hosts.problemOf(url), undefined));

  for (const url of [
    'http://example.org/',
    'ftp://127.0.0.1/',
    'https://127.0.0.2/',
    'https://2130706434/',
    'https://0x7f.2/',
    'https://[::2]/',
    'https://[::ffff:127.0.0.1]/',
    'https://u:p@inner.example/',
    'https://example.org/#a',
    'inner.example',
  ])
    test(`may not be ${url} (CHANGE-63, CHANGE-64)`, () => assert.ok(hosts.problemOf(url)));
});

describe('an endpoint', () => {
  let app: TestApp;
  let receiver: Receiver;
  before(async () => {
    app = await startApp(ANY_ENGINE, { ATRIUM_WEBHOOK_ALLOW: '127.0.0.1, Allowed.test' });
  });
  after(() => app.stop());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  const tried = async (url = receiver.url) => {
    const { id } = data(await app.post('/v1/webhooks', { url, types: ['message.*'] }), 201);
    return data(await app.post(`/v1/webhooks/${id}/test`));
  };

  test('that redirects is not followed (CHANGE-62)', async () => {
    receiver.reply = (_received, response) => {
      response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
      return undefined;
    };
    const { status, error } = await tried();
    assert.equal(status, 307);
    assert.match(error, /redirects/);
    assert.equal(receiver.received.length, 1);
  });

  test('that does not answer is waited for fifteen seconds (CHANGE-62)', async () => {
    receiver.reply = () => undefined;
    const { status, error, duration_ms: ms } = await tried();
    assert.deepEqual([status, error], [null, 'No answer came within 15 seconds.']);
    assert.ok(ms >= 14_900 && ms < 60_000, `${ms} ms`);
  });

  test('that answers without an end is read to a bound (CHANGE-62)', async () => {
    let isClosed = false;
    let sent = 0;
    receiver.reply = (_received, response) => {
      response.writeHead(200);
      response.on('close', () => {
        isClosed = true;
      });
      const more = () => {
        while (!isClosed && response.write(Buffer.alloc(16_384))) sent += 16_384;
      };
      response.on('drain', more);
      more();
      return undefined;
    };
    const { status, error, duration_ms: ms } = await tried();
    assert.deepEqual([status, error], [200, null]);
    assert.ok(ms < 10_000, `${ms} ms`);
    assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes`);
  });

  for (const [what, answer] of [
    [
      'changes the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nbytes',
    ],
    ['has a status below 100', 'HTTP/1.1 042 Odd\r\nContent-Length: 0\r\n\r\n'],
    ['has the status 000', 'HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n'],
    ['has a status above 599', 'HTTP/1.1 999 Many\r\nContent-Length: 0\r\n\r\n'],
    ['speaks another protocol', '220 mail.example ESMTP\r\n'],
    ['has endless headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(100_000)}`],
    ['ends within its headers', 'HTTP/1.1 200 OK\r\nContent-'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    ['says nothing', ''],
  ] as const)
    test(`whose answer ${what} is told as an attempt, soon (CHANGE-62, CHANGE-72)`, async (t) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () =>
          socket.write(answer, () => answer.startsWith('HTTP/1.1 101') || socket.end()),
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      t.after(() => server.close());
      const { port } = server.address() as AddressInfo;
      const { status, error, duration_ms: ms } = await tried(`http://127.0.0.1:${port}/`);
      assert.notEqual(error, null);
      assert.ok(status === null || status >= 100, String(status));
      assert.ok(ms < 10_000, `${ms} ms`);
    });

  test('that is not there is told from one that refuses', async () => {
    const { status, error } = await tried('http://127.0.0.1:1/');
    assert.deepEqual([status, error], [null, 'The connection failed: ECONNREFUSED.']);
  });

  test('whose name is of a private address is not connected to (CHANGE-64)', async () => {
    let connections = 0;
    const server = createServer(() => connections++);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as AddressInfo;
    const { status, error } = await tried(`https://localhost:${port}/`);
    assert.deepEqual([status, error], [null, NOT_PUBLIC]);
    assert.equal(connections, 0);
    await new Promise((resolve) => server.close(resolve));
  });

  test('whose name has one address that is not public is not connected to (CHANGE-64)', async (t) => {
    const asked = resolveTo(t, ['8.8.8.8', '10.0.0.1']);
    const { status, error } = await tried('https://inner.test/');
    assert.deepEqual([status, error], [null, NOT_PUBLIC]);
    assert.deepEqual(asked, ['inner.test']);
  });

  test('that the settings name is resolved once and reached by http (CHANGE-64, CHANGE-65)', async (t) => {
    const asked = resolveTo(t, ['127.0.0.1']);
    const { status } = await tried(`http://allowed.test:${receiver.port}/hook`);
    assert.equal(status, 204);
    assert.deepEqual(asked, ['allowed.test']);
    assert.equal(receiver.received[0]?.headers.host, `allowed.test:${receiver.port}`);
  });

  test('is reached without a proxy, whatever the environment says', async (t) => {
    const proxy = await startReceiver();
    t.after(() => proxy.stop());
    process.env.NODE_USE_ENV_PROXY = '1';
    process.env.http_proxy = `http://127.0.0.1:${proxy.port}`;
    t.after(() => {
      delete process.env.NODE_USE_ENV_PROXY;
      delete process.env.http_proxy;
    });
    assert.equal((await tried()).status, 204);
    assert.equal(proxy.received.length, 0);
  });
});

/** Has every name of this process resolve to these addresses, until the test ends; answers the names that were asked for. */
function resolveTo(t: TestContext, addresses: readonly string[]): string[] {
  const asked: string[] = [];
  type Done = (error: null, found: { address: string; family: number }[]) => void;
  t.mock.method(dns, 'lookup', (name: string, _options: object, done: Done) => {
    asked.push(name);
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return asked;
}

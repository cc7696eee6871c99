import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Admission, type ConnectionBounds } from '../../src/server/smtp/admission.ts';

const MOST = 10;

type Connection = ConstructorParameters<typeof Admission>[0] extends ReadonlySet<infer Each> ? Each : never;

/** A connection from there that is only looked at. */
function connectionFrom(remoteAddress: string): Connection {
  return { remoteAddress, session: {} as Connection['session'], send: () => undefined };
}

function admission(addresses: string[], bounds: Partial<ConnectionBounds> = {}): Admission {
  const connections = new Set(addresses.map(connectionFrom));
  return new Admission(connections, {
    name: 'mx.example',
    most: MOST,
    perAddress: 0,
    lastMailAt: () => Date.now(),
    ...bounds,
  });
}

/** The server's side of a new connection from 127.0.0.1, and all that its client is sent. */
async function accepted(t: TestContext): Promise<{ socket: Socket; told: Promise<string> }> {
  const server = createServer({ allowHalfOpen: true }).listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  const [socket] = (await once(server, 'connection')) as [Socket];
  t.after(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  return { socket, told: client.toArray().then((chunks) => Buffer.concat(chunks).toString()) };
}

describe('the admission of SMTP connections', () => {
  it('the admission serves connections up to the limit, and tells the next one to try again (SMTP-14)', async (t) => {
    const { socket, told } = await accepted(t);
    const addresses = Array.from({ length: MOST }, (_, i) => `192.0.2.${i}`);
    assert.equal(admission(addresses.slice(1)).admits(socket), true);
    assert.equal(admission(addresses).admits(socket), false);
    assert.equal(await told, '421 mx.example has too many connections, try again in a moment\r\n');
  });

  it('the admission counts the connections of an address however the socket tells it (SMTP-14)', async (t) => {
    const { socket, told } = await accepted(t);
    Object.defineProperty(socket, 'remoteAddress', { value: '::ffff:127.0.0.1' });
    assert.equal(admission(['127.0.0.2', '127.0.0.1'], { perAddress: 2 }).admits(socket), true);
    assert.equal(admission(['127.0.0.1', '127.0.0.1'], { perAddress: 2 }).admits(socket), false);
    assert.match(await told, /^421 mx\.example has too many connections from your address/);
  });

  it('the admission counts the addresses of one /64 network of IPv6 as one (SMTP-14)', async (t) => {
    const { socket, told } = await accepted(t);
    Object.defineProperty(socket, 'remoteAddress', { value: '2001:db8:1:2:ffff::9' });
    const neighbours = ['2001:db8:1:2::1', '2001:db8:1:3::1'];
    assert.equal(admission(neighbours, { perAddress: 2 }).admits(socket), true);
    assert.equal(admission([...neighbours, '2001:db8:1:2:a::1'], { perAddress: 2 }).admits(socket), false);
    assert.match(await told, /^421 /);
  });
});

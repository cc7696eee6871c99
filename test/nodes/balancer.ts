import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startNginx } from './nginx.ts';

/** Hands each request to the next of several servers. */
export interface Balancer {
  address: string;
  stop(): Promise<void>;
}

/** One of our own, or nginx where the environment asks for it. */
export function startBalancer(targets: readonly string[]): Promise<Balancer> {
  return (process.env.ATRIUM_TEST_BALANCER === 'nginx' ? startNginx : startPlain)(targets);
}

/** A client that finds its connection closed cannot tell whether its request was read: longer than any test lasts. */
const IDLE_MS = 600_000;
/** More than a server takes: it is the server that refuses a head which is too large. */
const MAX_HEAD = 1024 * 1024;

/** One server after the other, request by request, whatever the connection. */
async function startPlain(targets: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer({ keepAliveTimeout: IDLE_MS, maxHeaderSize: MAX_HEAD }, (asked, answer) => {
    const { hostname, port } = new URL(targets[turn++ % targets.length] ?? '');
    const { method, headers, url: path } = asked;
    const passedOn = request({ hostname, port, path, method, headers, agent }, (heard) => {
      answer.writeHead(heard.statusCode ?? 502, heard.headers);
      heard.pipe(answer);
    });
    passedOn.on('error', () => answer.destroy());
    // A node may refuse a body by its announcement, before it comes.
    if (headers['content-length'] ?? headers['transfer-encoding']) passedOn.flushHeaders();
    // Node would announce an empty body where none was announced.
    else passedOn.useChunkedEncodingByDefault = false;
    asked.pipe(passedOn);
    answer.once('close', () => {
      if (passedOn.writableFinished) return;
      // Node's client sends nothing more once it has the answer: what still comes of a refused body is passed over.
      asked.unpipe(passedOn).resume();
      passedOn.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

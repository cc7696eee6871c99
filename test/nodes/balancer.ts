import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasNginx, startNginx } from './nginx.ts';

/** Hands each request to the next of several servers. */
export interface Balancer {
  address: string;
  stop(): Promise<void>;
}

/** nginx where it is installed, else one of our own. */
export function startBalancer(targets: readonly string[]): Promise<Balancer> {
  return hasNginx() ? startNginx(targets) : startPlain(targets);
}

/** One server after the other, request by request, whatever the connection. */
export async function startPlain(targets: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer((asked, answer) => {
    const target = `${targets[turn++ % targets.length]}${asked.url}`;
    const passedOn = request(target, { method: asked.method, headers: asked.headers, agent }, (heard) => {
      answer.writeHead(heard.statusCode ?? 502, heard.headers);
      heard.pipe(answer);
    });
    passedOn.on('error', () => answer.destroy());
    asked.pipe(passedOn);
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

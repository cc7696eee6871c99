import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Balancer } from './balancer.ts';

/** Hands each connection to the next of several servers, given as host:port; undefined where there is none. */
export async function startSmtpBalancer(targets: readonly string[]): Promise<Balancer | undefined> {
  if (targets.length === 0) return undefined;
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const { hostname, port } = new URL(`smtp://${targets[turn++ % targets.length]}`);
    const node = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    for (const socket of [client, node]) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    }
    // Where one side breaks off, so does the other.
    for (const [from, to] of [
      [client, node],
      [node, client],
    ] as const)
      pipeline(from, to, () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}

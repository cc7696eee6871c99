import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy in front of an application. */
export interface CuttingProxy {
  address: string;
  /** Called with the path of a write that has been done; whoever asked hears nothing of it where it is true. */
  cut: (path: string) => boolean;
  stop(): Promise<void>;
}

export async function startProxy(target: string): Promise<CuttingProxy> {
  const server = createServer(
    (incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()),
  );
  const proxy = { cut: (_path: string) => false };

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { method = 'GET', url = '/', headers } = incoming;
    const { host: _, 'transfer-encoding': __, ...rest } = headers;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const forwarded = request(`${target}${url}`, { method, headers: rest }, resolve).on('error', reject);
      outgoing.on('close', () => forwarded.destroy());
      forwarded.end(body);
    });
    const content = await buffer(answer);
    if (method !== 'GET' && proxy.cut(url)) return void outgoing.destroy();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(content);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(proxy, { address: `http://127.0.0.1:${port}`, stop });
}

/** A receiver of webhooks for tests: a real HTTP server that keeps what it is sent, and answers what it is told to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../eventually.ts';

/** A delivery as it arrived. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
  event: any;
}

export interface Receiver {
  /** Of http and an address of this machine. */
  url: string;
  port: number;
  received: Received[];
  /** How many requests are under way. */
  open: number;
  /** Answers a delivery: a status, or whatever the answer is made by. */
  reply: (received: Received, response: ServerResponse) => number | undefined | Promise<number | undefined>;
  /** Resolves when this many deliveries have arrived; fails when they never do. */
  waitFor(count: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const receiver: Omit<Receiver, 'url' | 'port' | 'stop'> = {
    received: [],
    open: 0,
    reply: () => 204,
    waitFor: (count) =>
      eventually(() => receiver.received.length >= count, `${count} deliveries have arrived`),
  };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    receiver.open++;
    response.on('close', () => receiver.open--);
    const body = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const received = { path: request.url ?? '', headers, body, event: JSON.parse(body) };
    receiver.received.push(received);
    const status = await receiver.reply(received, response);
    if (status !== undefined) response.writeHead(status).end();
  };
  const server = createServer((request, response) => void take(request, response).catch(() => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}/hook`, port, stop });
}

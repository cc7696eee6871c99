import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server behind an address can do: answer, be gone, be gone behind a proxy, or have another build of the console. */
export type Standing = 'there' | 'gone' | 'bad gateway' | 'another build';

export interface Front {
  address: string;
  standing: Standing;
  stop(): Promise<void>;
}

/** An address in front of an application, whose standing a test sets. */
export async function frontOf(target: string): Promise<Front> {
  const server = createServer((asked, answer) => {
    if (front.standing === 'gone') return void asked.socket.destroy();
    if (front.standing === 'bad gateway') return void answer.writeHead(502).end('Bad gateway');
    const isChanged = front.standing === 'another build' && asked.url === '/console/service-worker.js';
    const { host: _host, ...headers } = asked.headers;
    const forwarded = request(
      new URL(asked.url ?? '/', target),
      { method: asked.method, headers: { ...headers, host: asked.headers.host ?? '' } },
      (given) => {
        if (isChanged) return void changeBuild(given, answer);
        answer.writeHead(given.statusCode ?? 500, given.headers);
        given.pipe(answer);
      },
    );
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front: Front = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    standing: 'there',
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return front;
}

/** The script of the next build differs in the digest of its build. */
async function changeBuild(
  given: NodeJS.ReadableStream & { headers: object },
  answer: ServerResponse,
): Promise<void> {
  let text = '';
  for await (const chunk of given) text += chunk;
  const { 'content-length': _length, ...headers } = given.headers as Record<string, string>;
  answer.writeHead(200, headers).end(text.replace(/\b[0-9a-f]{16}\b/, 'next'));
}

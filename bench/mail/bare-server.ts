/**
 * The ceiling of every listing: a plain node:http server that answers the same envelopes, built with JSON.stringify
 * from records that it holds in memory. It knows no key, no filter, no page but those that it was given.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** By path and query: what the product answered there. */
export type BareAnswers = Record<string, { data: unknown; pagination: unknown }>;

async function serve(answers: BareAnswers): Promise<string> {
  const byPath = new Map(Object.entries(answers));
  const server = createServer((request, response) => {
    const { data, pagination } = byPath.get(request.url ?? '') ?? {};
    const meta = {
      request_id: `req_${randomUUID().replaceAll('-', '')}`,
      timestamp: new Date().toISOString(),
    };
    const body = JSON.stringify({ data, meta, pagination });
    response.writeHead(data === undefined ? 404 : 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const [answers] = await once(process, 'message');
process.send?.(await serve(answers as BareAnswers));

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type Answer, OWNER_KEY } from '../harness.ts';
import type { Door } from './browser.ts';

/** The door of a server in a process of its own. */
export function doorOf(address: string): Door {
  const request = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OWNER_KEY}`,
        'idempotency-key': crypto.randomUUID(),
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text ? JSON.parse(text) : undefined,
    };
  };
  return { address, get: (path) => request('GET', path), post: (path, body) => request('POST', path, body) };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  server.close();
  assert.ok(typeof address === 'object' && address);
  return address.port;
}

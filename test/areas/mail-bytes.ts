import { randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OWNER_KEY, type TestApp } from '../harness.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'mail');
export const CORPUS = '../shared/corpus';

/** What a test of real mail says where there is none but the fixtures. */
export const NO_CORPUS = !existsSync(CORPUS) && 'no corpus here';

export function fixture(name: string): Buffer {
  return readFileSync(join(FIXTURES, name));
}

/** Real messages, the fixtures and those of the corpus where it is: name and path. */
export function realMessages(): [string, string][] {
  return [FIXTURES, `${CORPUS}/mail`]
    .flatMap((folder) => globSync(`${folder}/*.eml`).sort())
    .map((path) => [basename(path), path]);
}

/** An answer whose body is bytes. */
export interface BytesAnswer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** Asks for bytes. */
export async function getBytes(app: TestApp, path: string, method = 'GET'): Promise<BytesAnswer> {
  const response = await fetch(`${app.address}${path}`, {
    method,
    headers: { authorization: `Bearer ${OWNER_KEY}` },
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** Appends a message that is made while it is sent. */
export async function appendStream(
  app: TestApp,
  folderId: string,
  content: AsyncIterable<Uint8Array>,
): Promise<Response> {
  return fetch(`${app.address}/v1/folders/${folderId}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OWNER_KEY}`,
      'content-type': 'message/rfc822',
      'idempotency-key': randomUUID(),
    },
    body: ReadableStream.from(content),
    duplex: 'half',
  } as RequestInit);
}

/** Works on every item, on so many at a time. */
export async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

import type { Answer, TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import type { Person } from './files-world.ts';

/** A record of a document, as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Data = any;

/** Creates a document, or what the fields say; answers its record. */
export async function makeDocument(
  app: TestApp,
  { key }: Pick<Person, 'key'>,
  fields: Record<string, unknown> = {},
): Promise<Data> {
  return data(await app.post('/v1/documents', { type: 'document', title: 'Notes', ...fields }, { key }), 201);
}

/** Writes a content; without `ifMatch` over whatever there is, with null without the header. */
export function putContent(
  app: TestApp,
  { key }: Pick<Person, 'key'>,
  id: string,
  body: string | Uint8Array,
  ifMatch: string | null = '*',
  idempotencyKey?: string,
): Promise<Answer> {
  const headers = {
    'content-type': 'text/markdown',
    ...(ifMatch === null ? {} : { 'if-match': ifMatch }),
  };
  return app.request('PUT', `/v1/documents/${id}/content`, {
    key,
    body,
    headers,
    ...(idempotencyKey && { idempotencyKey }),
  });
}

/** The content of a document with its ETag. */
export async function readContent(app: TestApp, { key }: Pick<Person, 'key'>, id: string) {
  const { text, headers } = await app.get(`/v1/documents/${id}/content`, { key });
  return { text, etag: headers.get('etag') };
}

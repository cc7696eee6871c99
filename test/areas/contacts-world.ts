import assert from 'node:assert/strict';
import { eventually } from '../eventually.ts';
import type { RequestOptions, TestApp } from '../harness.ts';
import { data } from './accounts.ts';

/** The id of the address book that a user starts with. */
export async function firstBook(app: TestApp, options: RequestOptions = {}): Promise<string> {
  return data(await app.get('/v1/address-books', options))[0].id;
}

/** Creates a contact; answers it. */
export async function createContact(
  app: TestApp,
  bookId: string,
  fields: object,
  options: RequestOptions = {},
) {
  return data(await app.post('/v1/contacts', { address_book_id: bookId, ...fields }, options), 201);
}

/** Imports a file of vCards; answers the report. */
export async function importCards(
  app: TestApp,
  bookId: string,
  body: string | Uint8Array,
  options: RequestOptions = {},
) {
  const headers = { 'content-type': 'text/vcard' };
  return data(await app.request('POST', `/v1/address-books/${bookId}/import`, { body, headers, ...options }));
}

/** The vCards of a book. */
export async function exportCards(
  app: TestApp,
  bookId: string,
  options: RequestOptions = {},
): Promise<string> {
  const answer = await app.get(`/v1/address-books/${bookId}/export`, options);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('content-type'), 'text/vcard');
  return answer.text;
}

/** A contact without what belongs to its place: equal for the same contact elsewhere. */
export function fieldsOf({
  id,
  address_book_id,
  created_at,
  updated_at,
  ...fields
}: Record<string, unknown>) {
  return fields;
}

/** A vCard of these lines. */
export function vcard(...lines: string[]): string {
  return ['BEGIN:VCARD', 'VERSION:4.0', ...lines, 'END:VCARD', ''].join('\r\n');
}

/** How many contacts the search index has still to follow. */
export async function countToIndex(app: TestApp): Promise<number> {
  const { count } = await app.services.database.read((tx) =>
    tx
      .selectFrom('contacts_to_index')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  );
  return Number(count);
}

/** Waits until the search index is up to date. */
export function allIndexed(app: TestApp): Promise<void> {
  return eventually(async () => (await countToIndex(app)) === 0, 'all contacts are indexed');
}

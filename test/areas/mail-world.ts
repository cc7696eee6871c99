import assert from 'node:assert/strict';
import type { TestApp } from '../harness.ts';

/** What a test says of a message; the rest is made up. */
export interface Draft {
  subject?: string;
  messageId?: string;
  inReplyTo?: string;
  references?: string[];
  /** The date of its Received header. */
  receivedAt?: Date;
  body?: string;
}

/** A small message as it would arrive. */
export function rfc822(draft: Draft = {}): string {
  const { receivedAt, messageId, inReplyTo, references } = draft;
  const headers = [
    ...(receivedAt ? [`Received: from a.example by b.example; ${receivedAt.toUTCString()}`] : []),
    'From: Ada Lovelace <ada@example.org>',
    'To: Charles Babbage <charles@example.org>',
    `Subject: ${draft.subject ?? 'Engine'}`,
    'Date: Mon, 02 Mar 2026 10:00:00 +0000',
    ...(messageId ? [`Message-ID: ${messageId}`] : []),
    ...(inReplyTo ? [`In-Reply-To: ${inReplyTo}`] : []),
    ...(references ? [`References: ${references.join('\r\n ')}`] : []),
  ];
  return `${headers.join('\r\n')}\r\n\r\n${draft.body ?? 'Hello'}\r\n`;
}

/** The id of the folder with this role. */
export async function folderOf(app: TestApp, role: string, key?: string): Promise<string> {
  const { json } = await app.get('/v1/folders', key === undefined ? {} : { key });
  return json.data.find((folder: { role: string }) => folder.role === role).id;
}

/** How many messages a folder says that it has, and how many unread. */
export async function folderCounts(app: TestApp, folderId: string): Promise<number[]> {
  const { json } = await app.get('/v1/folders');
  const folder = json.data.find(({ id }: { id: string }) => id === folderId);
  return [folder.message_count, folder.unread_count];
}

/** Appends a message; answers its summary. */
export async function append(
  app: TestApp,
  folderId: string,
  raw: string | Uint8Array,
  { query = '', key }: { query?: string; key?: string } = {},
) {
  const answer = await app.request('POST', `/v1/folders/${folderId}/messages${query}`, {
    body: raw,
    headers: { 'content-type': 'message/rfc822' },
    ...(key === undefined ? {} : { key }),
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.json.data;
}

/** Every page of a listing. */
export async function everyPage(app: TestApp, path: string, limit: number, key?: string) {
  const items = [];
  const separator = path.includes('?') ? '&' : '?';
  let cursor = '';
  for (;;) {
    const page: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const { status, json, text } = await app.get(`${path}${separator}limit=${limit}${page}`, {
      ...(key !== undefined && { key }),
    });
    assert.equal(status, 200, text);
    assert.equal(json.pagination.has_more, json.data.length === limit);
    items.push(...json.data);
    if (!json.pagination.has_more) return items;
    cursor = json.pagination.next_cursor;
  }
}

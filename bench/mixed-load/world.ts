import { randomBytes, randomUUID } from 'node:crypto';
import { type LoadRequest, SEQUENCE } from '../load.ts';

/** A server and a key with which everything may be done. */
export interface Target {
  url: string;
  key: string;
}

/** What is there before the load begins. */
export interface World {
  /** One after the other, over and over again, on every connection. */
  requests: LoadRequest[];
  /** The path of more bytes than all buffers on the way hold. */
  largeContent: string;
}

const MESSAGES = 200;
const CONTACTS = 100;
const LARGE = 32 * 1024 * 1024;
const MAIL = 'Subject: Load\r\nFrom: A <a@x.example>\r\nMessage-ID: <load@x.example>\r\n\r\nText.\r\n';
const WEEK = { start: '2026-03-02T00:00:00Z', end: '2026-03-09T00:00:00Z' };
const MEETING = { starts_at: '2026-03-03T09:00:00Z', ends_at: '2026-03-03T10:00:00Z' };

/** Makes something of everything, and what a mixed crowd of clients asks for and changes. */
export async function makeWorld(target: Target): Promise<World> {
  const create = creating(target);
  const { data: folder } = await create('/v1/folders', { name: 'Load' });
  const mailbox = `/v1/folders/${folder.id}/messages`;
  const mail = { headers: { 'content-type': 'message/rfc822' }, body: MAIL };
  const message = await createMany(MESSAGES, () => create(mailbox, mail.body, 'message/rfc822'));
  const { data: book } = await create('/v1/address-books', { name: 'Load' });
  const contact = (n: number) => ({ address_book_id: book.id, name: `Person ${n}` });
  await createMany(CONTACTS, (n) => create('/v1/contacts', contact(n)));
  const { data: document } = await create('/v1/documents', { type: 'document', title: 'Load' });
  const { data: sheet } = await create('/v1/documents', { type: 'spreadsheet', title: 'Load' });
  const values = `/v1/spreadsheets/${sheet.id}/values`;
  const { data: calendar } = await create('/v1/calendars', { name: 'Load' });
  const { data: me } = await ask(target, '/v1/users/me');
  const { data: large } = await create('/v1/files?filename=large.bin', randomBytes(LARGE));
  const { data: small } = await create('/v1/files?filename=small.txt', Buffer.from('Some words.\n'));
  const { get, write } = requestsOf(target);
  return {
    largeContent: `/v1/files/${large.id}/content`,
    requests: [
      get(`/v1/messages?folder_id=${folder.id}`),
      get(`/v1/messages/${message.id}`),
      write('POST', mailbox, mail),
      write('POST', `${mailbox}/flags`, json({ message_ids: [message.id], op: 'add', flags: ['starred'] })),
      get(`/v1/contacts?address_book_id=${book.id}`),
      get('/v1/contacts?q=person'),
      write('POST', '/v1/contacts', json(contact(0))),
      get('/v1/files'),
      get(`/v1/files/${small.id}/content`),
      write('POST', '/v1/files?filename=load.txt', { body: 'x'.repeat(20_000) }),
      get(`/v1/documents/${document.id}`),
      get('/v1/documents?q=load'),
      write(
        'PUT',
        `${values}/A1:B2`,
        json({
          values: [
            [1, 2],
            ['=A1+B1', 'x'],
          ],
        }),
      ),
      get(`${values}/A1:C3`),
      write('POST', `/v1/calendars/${calendar.id}/events`, json(MEETING)),
      write('POST', '/v1/freebusy', json({ attendees: [me.email], ...WEEK })),
    ],
  };
}

function requestsOf({ key }: Target) {
  const authorization = `Bearer ${key}`;
  const get = (path: string): LoadRequest => ({ method: 'GET', path, headers: { authorization } });
  const write = (method: string, path: string, { headers, body }: Partial<LoadRequest>): LoadRequest => ({
    method,
    path,
    headers: { authorization, 'idempotency-key': `load-${SEQUENCE}`, ...headers },
    ...(body !== undefined && { body }),
  });
  return { get, write };
}

function json(body: object): Partial<LoadRequest> {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function creating(target: Target) {
  return (path: string, body: object | string | Buffer, type = typeOf(body)) => {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    return ask(target, path, {
      method: 'POST',
      headers: { 'content-type': type, 'idempotency-key': randomUUID() },
      body: (isRaw ? body : JSON.stringify(body)) as string,
    });
  };
}

function typeOf(body: object | string | Buffer): string {
  return Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
}

async function createMany(count: number, create: (n: number) => Promise<Answer>): Promise<{ id: string }> {
  let last = { id: '', email: '' };
  for (let n = 0; n < count; n++) last = (await create(n)).data;
  return last;
}

interface Answer {
  data: { id: string; email: string };
}

async function ask({ url, key }: Target, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
  const response = await fetch(url + path, { ...init, headers });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

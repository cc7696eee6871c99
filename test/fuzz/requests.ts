import { randomUUID } from 'node:crypto';
import type { Random } from '../../bench/mail/random.ts';
import { OWNER_KEY } from '../harness.ts';
import type { Declared } from './document.ts';
import type { Known } from './known.ts';
import type { Values } from './values.ts';

/** A request before it is sent. */
export interface FuzzRequest {
  operation: Declared;
  /** By name, before they are encoded. */
  path: Record<string, string>;
  query: [string, string][];
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

const VCARD = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEMAIL:ada@x.example\r\nEND:VCARD\r\n';
const CALENDAR =
  'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260301T000000Z\r\nDTSTART:20260301T090000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=DAILY;COUNT=3\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
const MESSAGE =
  'From: A <a@x.example>\r\nTo: owner@localhost\r\nSubject: fuzz\r\nMessage-ID: <f@x.example>\r\n\r\nText.\r\n';

/** Bodies of the media types that are not JSON. */
const BODIES: Readonly<Record<string, string>> = {
  'message/rfc822': MESSAGE,
  'text/vcard': VCARD,
  'text/calendar': CALENDAR,
  'text/markdown': '# Title\n\nText with [a link](https://x.example).\n',
};

const RANGES = ['A1', 'A1:C3', 'Sheet1!B2', 'A:C', '2:5', "'Sheet1'!$A$1:b2", 'XFD1048576'];

/** The kind of id that follows a word of a path. */
const KINDS: Readonly<Record<string, string>> = {
  'address-books': 'abk',
  'api-keys': 'key',
  attachments: 'att',
  calendars: 'cal',
  contacts: 'con',
  documents: 'doc',
  events: 'evt',
  'file-folders': 'dir',
  files: 'file',
  filters: 'flt',
  folders: 'fld',
  groups: 'grp',
  messages: 'msg',
  permissions: 'perm',
  spreadsheets: 'sht',
  uploads: 'upl',
  users: 'usr',
};

/** A request that the operation should take. */
export function validRequest(operation: Declared, random: Random, values: Values, known: Known): FuzzRequest {
  const { parameters, bodies } = operation;
  const request: FuzzRequest = {
    operation,
    path: {},
    query: [],
    headers: { authorization: `Bearer ${OWNER_KEY}`, 'idempotency-key': randomUUID() },
    body: undefined,
  };
  for (const { name, in: place, required, schema } of parameters) {
    if (place === 'path') request.path[name] = pathValue(name, operation.path, random, known);
    else if (place === 'query' && (required || random.chance(0.4)))
      for (const value of [values.of(schema)].flat())
        request.query.push([name, name === 'cursor' ? known.token() : String(value)]);
    else if (place === 'header' && name !== 'Idempotency-Key' && random.chance(0.3))
      request.headers[name.toLowerCase()] = latin(
        /match/i.test(name) ? known.token() : String(values.of(schema)),
      );
  }
  const [[type = '', { schema } = {}] = []] = [Object.entries(bodies)[0] ?? []];
  if (type === '') return request;
  request.headers['content-type'] = type.includes('*') ? 'application/octet-stream' : type;
  request.body = type === 'application/json' ? JSON.stringify(values.of(schema)) : (BODIES[type] ?? 'bytes');
  return request;
}

function pathValue(name: string, path: string, random: Random, known: Known): string {
  if (name === 'number' || name === 'revision') return String(1 + random.below(3));
  if (name === 'range') return random.of(RANGES);
  const [, word = ''] = new RegExp(`/([^/]+)/\\{${name}\\}`).exec(path) ?? [];
  return random.chance(0.9) ? known.id(KINDS[word]) : known.id();
}

/** Headers carry bytes; the client refuses more than that by itself. */
function latin(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

/** Where the request goes. */
export function urlOf({ operation, path, query }: FuzzRequest): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => encoded(path[name] ?? ''));
  const pairs = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/** Half of a surrogate pair becomes the bytes that it would have, which are no UTF-8. */
function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

/** The request as a command that sends it again. */
export function asCurl(address: string, request: FuzzRequest): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const { body } = request;
  const bytes = body === undefined ? '' : Buffer.from(body).toString('base64');
  const data = body === undefined ? '' : `--data-binary @<(echo ${bytes} | base64 -d)`;
  return `curl -X ${request.operation.method} ${headers.join(' ')} ${data} ${quoted(address + urlOf(request))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

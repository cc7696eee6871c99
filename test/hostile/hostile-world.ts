import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type ServedProcess, serveProcess } from '../areas/served-process.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { freshDatabase } from '../engines.ts';
import { OWNER_KEY } from '../harness.ts';
import { type Answer, type Doors, idOf, type RequestOptions } from './hostile-input.ts';
import type { LongestTurn, Question } from './turns-preload.ts';

const PRELOAD = join(import.meta.dirname, 'turns-preload.ts');
const OWNER = 'owner@localhost';

/** A server in a process of its own, which measures itself, and what it has answered. */
export interface MeasuredServer {
  doors: Doors;
  /** What it did since it was asked before. */
  longestTurn(): Promise<LongestTurn>;
  /** How many times as long as usual its thread takes at present for what it does otherwise; at least 1. */
  slowness(): Promise<number>;
  /** Answers that say that the server has failed, since it was asked before. */
  failures(): string[];
  stop(): Promise<void>;
}

/** Starts a server whose owner has one spreadsheet and one document. */
export async function startMeasuredServer(): Promise<MeasuredServer> {
  const storage = await freshDatabase('sqlite');
  const settings = { ATRIUM_DATA_DIR: storage.dataDir, ATRIUM_RATE_LIMIT: '0' };
  const server = await serveProcess(settings, { preload: PRELOAD });
  let failed: string[] = [];
  const noted = (method: string, path: string, answer: Answer): Answer => {
    if (answer.status >= 500)
      failed.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
    return answer;
  };
  const request: Doors['request'] = async (method, path, options = {}) =>
    noted(method, path, await ask(server.address, method, path, options));
  const writeInBytes: Doors['writeInBytes'] = async (method, path, ...body) =>
    noted(method, path, await askInBytes(server.address, method, path, ...body));
  const completeAtOnce: Doors['completeAtOnce'] = async (count, method, path, body) => {
    const answers = await askAtOnce(server.address, count, method, path, body);
    return answers.map((answer) => noted(method, path, answer));
  };
  const deliver = async (message: string | Buffer) => {
    const reply = await delivered(server, message);
    if (/^4/.test(reply)) failed.push(`SMTP: ${reply}`);
    return reply;
  };
  const stop = async () => {
    await server.kill();
    await storage.remove();
  };
  const asked = (question: Question) => server.ask({ question });
  const objects = await objectsOf(request).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    doors: { address: OWNER, request, writeInBytes, completeAtOnce, deliver, ...objects },
    longestTurn: async () => (await asked('longest turn')) as LongestTurn,
    slowness: async () => (await asked('slowness')) as number,
    failures: () => {
      const told = failed;
      failed = [];
      return told;
    },
    stop,
  };
}

async function ask(address: string, method: string, path: string, options: RequestOptions): Promise<Answer> {
  const { body, mediaType = 'application/json', headers } = options;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${OWNER_KEY}`,
      ...(method !== 'GET' && { 'idempotency-key': randomUUID() }),
      ...(body !== undefined && { 'content-type': mediaType }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    // Of most answers, some of which are long, only the status is looked at.
    get json() {
      return isJson ? JSON.parse(text) : undefined;
    },
  };
}

/** Node's own clients would join the chunks, or send each by itself. */
async function askInBytes(
  address: string,
  method: string,
  path: string,
  body: string,
  mediaType: string,
): Promise<Answer> {
  const { hostname, port } = new URL(address);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${OWNER_KEY}`,
    `Idempotency-Key: ${randomUUID()}`,
    `Content-Type: ${mediaType}`,
    'Transfer-Encoding: chunked',
    'Connection: close',
  ].join('\r\n');
  const chunks = Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('');
  const socket = connect({ host: hostname, port: Number(port) });
  socket.end(`${head}\r\n\r\n${chunks}0\r\n\r\n`);
  return statusOf(socket);
}

/** Large answers come in chunks; what becomes of what was sent is told by the status. */
async function statusOf(socket: Socket): Promise<Answer> {
  const answer = await text(socket);
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
  if (status === undefined) throw new Error(`answered ${answer.slice(0, 100)}`);
  return { status: Number(status), json: undefined };
}

async function askAtOnce(
  address: string,
  count: number,
  method: string,
  path: string,
  body: object,
): Promise<Answer[]> {
  const { hostname, port } = new URL(address);
  const text = JSON.stringify(body);
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ host: hostname, port: Number(port) });
      const head = [
        `${method} ${path} HTTP/1.1`,
        `Host: ${hostname}`,
        `Authorization: Bearer ${OWNER_KEY}`,
        `Idempotency-Key: ${randomUUID()}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(text)}`,
        'Connection: close',
      ].join('\r\n');
      await new Promise((sent) => socket.write(`${head}\r\n\r\n${text.slice(0, -1)}`, sent));
      return socket;
    }),
  );
  // What was sent has come by then.
  await pause(300);
  for (const socket of sockets) socket.end(text.slice(-1));
  return Promise.all(sockets.map(statusOf));
}

async function delivered({ smtpPort }: ServedProcess, message: string | Buffer): Promise<string> {
  const client = await greeted(smtpPort);
  const { code, lines } = await client.transact([OWNER], message);
  client.close();
  return `${code} ${lines.join(' / ')}`;
}

async function objectsOf(request: Doors['request']) {
  const firstOf = async (...[method, path, body]: [method: 'GET' | 'POST', path: string, body?: object]) => {
    const answer = await request(method, path, body ? { body } : {});
    const [first] = [answer.json?.data].flat();
    return idOf({ ...answer, json: { data: first } });
  };
  return {
    inboxId: await firstOf('GET', '/v1/folders'),
    addressBookId: await firstOf('POST', '/v1/address-books', { name: 'People' }),
    calendarId: await firstOf('POST', '/v1/calendars', { name: 'Days' }),
    spreadsheetId: await firstOf('POST', '/v1/documents', { type: 'spreadsheet', title: 'Numbers' }),
    documentId: await firstOf('POST', '/v1/documents', { type: 'document', title: 'Words' }),
  };
}

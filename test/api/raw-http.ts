/** HTTP as bytes on a connection, for what no client library would send. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ERRORS, type ErrorCode } from '../../src/contract/errors.ts';
import { SECURITY_HEADERS } from '../../src/server/http/exchange.ts';

export interface RawAnswer {
  /** The first line. */
  line: string;
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

/** It bounds only how long a failure takes to be told, however slow the machine is. */
const PATIENCE_MS = 60_000;

/** One connection; answers come in the order of the requests. */
export class RawConnection {
  readonly socket: Socket;
  #received = '';
  #ended = false;
  #changed = Promise.withResolvers<void>();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.#received += chunk;
      this.#change();
    });
    for (const event of ['end', 'error', 'close']) {
      socket.on(event, () => {
        this.#ended = true;
        this.#change();
      });
    }
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** The next whole answer; `hasBody` false for those to HEAD. Fails when the connection ends before it. */
  async next({ hasBody = true } = {}): Promise<RawAnswer> {
    await this.#until(() => this.#received.includes('\r\n\r\n'));
    const end = this.#received.indexOf('\r\n\r\n') + 4;
    const [line = '', ...lines] = this.#received.slice(0, end - 4).split('\r\n');
    const headers = new Headers(lines.map((header) => header.split(/: ?(.*)/s, 2) as [string, string]));
    const length = hasBody ? Number(headers.get('content-length') ?? 0) : 0;
    await this.#until(() => this.#received.length >= end + length);
    const text = Buffer.from(this.#received.slice(end, end + length), 'latin1').toString();
    this.#received = this.#received.slice(end + length);
    const isJson = headers.get('content-type')?.startsWith('application/json');
    const json = isJson && text ? JSON.parse(text) : undefined;
    return { line, status: Number(line.split(' ')[1]), headers, text, json };
  }

  /** Resolves when the other side has closed. */
  async closed(): Promise<void> {
    await this.#until(() => this.#ended);
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #until(holds: () => boolean): Promise<void> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    patience.addEventListener('abort', () => this.#change());
    while (!holds()) {
      const received = this.#received.slice(0, 500);
      if (this.#ended) assert.fail(`the connection ended; received: ${received}`);
      if (patience.aborted) assert.fail(`neither answer nor end; received: ${received}`);
      await this.#changed.promise;
    }
  }
}

/** Opens a connection to an address such as http://127.0.0.1:8080. */
export async function openConnection(address: string): Promise<RawConnection> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return new RawConnection(socket);
}

/** The text of a request; lines end with CR LF and the header ends. */
export function request(line: string, headers: Record<string, string> = {}, body = ''): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map((header) => header.join(': '));
  return `${[line, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

/** Sends one text on a connection of its own and answers what comes back. */
export async function exchange(address: string, text: string, options = {}): Promise<RawAnswer> {
  const connection = await openConnection(address);
  try {
    return await connection.send(text).next(options);
  } finally {
    connection.socket.destroy();
  }
}

/** Asserts a refusal in the one shape, with the headers that every answer carries. */
export function assertRefusal(
  answer: Pick<RawAnswer, 'status' | 'headers' | 'json' | 'text'>,
  code: ErrorCode,
): void {
  const { status, headers, json, text } = answer;
  assert.equal(json?.error?.code, code, text);
  assert.equal(status, ERRORS[code].status);
  assert.deepEqual(Object.keys(json), ['error', 'meta']);
  assert.deepEqual(Object.keys(json.error), ['code', 'message', 'details']);
  assert.equal(typeof json.error.details, 'object');
  assertCommonHeaders(headers, json.meta.request_id);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
}

/** Asserts what every answer carries, and that none tells what the server is made of. */
export function assertCommonHeaders(headers: Headers, requestId?: string): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) assert.equal(headers.get(name), value, name);
  // API-26
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none';.* sandbox$/);
  assert.match(headers.get('x-request-id') ?? '', /^req_[0-9a-f]{32}$/);
  if (requestId !== undefined) assert.equal(headers.get('x-request-id'), requestId);
  for (const name of ['server', 'x-powered-by']) assert.equal(headers.get(name), null, name);
}

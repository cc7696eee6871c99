import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { pipeDetaching } from '../../platform/detached-buffers.ts';
import { hasBody } from './body.ts';

/** A new `meta.request_id`; never taken from the client, so that it finds one request in the log. */
export function newRequestId(): string {
  return `req_${randomBytes(16).toString('hex')}`;
}

/** On every answer. The API is data: nothing it sends may run, be framed, be sniffed or be kept by a cache. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Sends the body of an answer, whose head is there, also before the body of the request has come whole: what still comes
 * is passed over before the answer ends. RFC 9112, 9.6: closed under a client that still sends, a connection may take
 * with it what that has not read yet.
 */
export function endAfterRequest(response: ServerResponse, body: string): void {
  const request = response.req;
  const { headers, complete } = request;
  // Who waits for 100-continue sends none of it now.
  if (complete || !hasBody(headers) || headers.expect !== undefined) {
    response.end(body);
    return;
  }
  response.write(body);
  finished(request, { writable: false }, () => response.end());
  request.resume();
}

/** One request and its one answer. */
export class Exchange {
  readonly id = newRequestId();
  readonly request: IncomingMessage;
  /** Headers of the answer, lower-case; they leave with it. */
  readonly headers: OutgoingHttpHeaders = { ...SECURITY_HEADERS, 'x-request-id': this.id };
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.#response = response;
  }

  get method(): string {
    return this.request.method ?? '';
  }

  /** Path and query as they were sent. */
  get url(): string {
    return this.request.url ?? '';
  }

  get requestHeaders(): IncomingHttpHeaders {
    return this.request.headers;
  }

  /** Whether the head of the answer is gone: no other answer is possible. */
  get isAnswered(): boolean {
    return this.#response.headersSent;
  }

  /** Whether the client has left: it will read no answer. */
  get isLeft(): boolean {
    return this.#response.destroyed;
  }

  /** RFC 9110, 10.1.1: a client that expects 100-continue sends its body only when the headers are found good. */
  askForBody(): void {
    if (this.requestHeaders.expect !== undefined) this.#response.writeContinue();
  }

  /** Answers with what is there; a HEAD and a status that allows no body with its headers only. */
  send(status: number, body: string | Uint8Array, ofBody: OutgoingHttpHeaders = {}): void {
    // RFC 9110, 8.6: "a server MUST NOT send Content-Length" with 204; of a 304 the length would be that of a 200.
    const size = Buffer.byteLength(body);
    if (status !== 204 && status !== 304) this.headers['content-length'] = size;
    this.#response.writeHead(status, Object.assign(this.headers, ofBody)).end(body, encodingOf(body, size));
  }

  /** Answers, whether the body of the request has come whole or not. */
  sendEarly(status: number, body: string): void {
    this.headers['content-length'] = Buffer.byteLength(body);
    endAfterRequest(this.#response.writeHead(status, this.headers), body);
  }

  /** Answers with the headers of a body that is not sent: what they say of it is for the caller to know. */
  sendHead(status: number, ofBody: OutgoingHttpHeaders = {}): void {
    this.#response.writeHead(status, Object.assign(this.headers, ofBody)).end();
  }

  /**
   * Answers with the bytes of a stream, which is destroyed when the client leaves. Resolves when it is over; rejects
   * when it fails: before its first byte another answer is still possible, without `ofBody`. Where the chunks are its own,
   * their memory is given back as they leave.
   */
  stream(
    status: number,
    source: Readable,
    { ofBody, ownChunks }: { ofBody: OutgoingHttpHeaders; ownChunks: boolean },
  ): Promise<void> {
    const response = this.#response;
    return new Promise((resolve, reject) => {
      source.once('error', reject);
      source.once('close', resolve);
      source.once('readable', () => {
        response.writeHead(status, { ...this.headers, ...ofBody });
        if (ownChunks) pipeDetaching(source, response);
        else source.pipe(response);
      });
      // The client may have left while the stream was opened: then no event will tell.
      if (response.destroyed) source.destroy();
      else response.once('close', () => source.destroy());
    });
  }

  /** Ends the connection in the middle of the answer, which is how a client learns that it is not whole. */
  abortConnection(): void {
    this.#response.destroy();
  }

  /** Calls `listener` with the status and the time since the request line in seconds, once the answer has left. */
  onceAnswered(listener: (status: number, seconds: number) => void): void {
    const begun = performance.now();
    this.#response.on('close', () => listener(this.#response.statusCode, (performance.now() - begun) / 1000));
  }
}

/** A text of as many bytes as characters is ASCII, which Node writes as Latin-1 without looking at it once more. */
function encodingOf(body: string | Uint8Array, size: number): BufferEncoding {
  return body.length === size ? 'latin1' : 'utf8';
}

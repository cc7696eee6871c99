import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { pipeDetaching } from '../../platform/detached-buffers.ts';
import { hasBody } from './body.ts';

/** A new `meta.request_id`; never taken from the client, so it identifies one request in the log. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** Headers of every answer. The API sends data: no answer may run, be framed, be sniffed or be cached. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Sends the body of an answer whose head has been sent, possibly before the request body is complete; the remaining
 * request body is discarded before the answer ends. RFC 9112, 9.6: if the server closed a connection on which the
 * client still sends, the client might lose data that it has not read yet.
 */
export function endAfterRequest(response: ServerResponse, body: string): void {
  const request = response.req;
  const { headers, complete } = request;
  // A client that waits for 100-continue sends no body now.
  if (complete || !hasBody(headers) || headers.expect !== undefined) {
    response.end(body);
    return;
  }
  response.write(body);
  finished(request, { writable: false }, () => response.end());
  request.resume();
}

/** One request and its answer. */
export class Exchange {
  readonly id = newRequestId();
  readonly request: IncomingMessage;
  /** Headers of the answer, in lower case; sent with its head. */
  readonly headers: OutgoingHttpHeaders = { ...SECURITY_HEADERS, 'x-request-id': this.id };
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.#response = response;
  }

  get method(): string {
    return this.request.method ?? '';
  }

  /** Path and query as received. */
  get url(): string {
    return this.request.url ?? '';
  }

  get requestHeaders(): IncomingHttpHeaders {
    return this.request.headers;
  }

  /** Whether the head of the answer has been sent: no other answer is possible. */
  get isAnswered(): boolean {
    return this.#response.headersSent;
  }

  /** Whether the client has closed the connection: it will read no answer. */
  get isLeft(): boolean {
    return this.#response.destroyed;
  }

  /** Whether the client has ended its side of the connection. It may still read (RFC 9112, 9.6). */
  get hasEnded(): boolean {
    return this.request.socket.readableEnded;
  }

  /** RFC 9110, 10.1.1: a client that expects 100-continue sends its body only after this interim answer. */
  askForBody(): void {
    if (this.requestHeaders.expect !== undefined) this.#response.writeContinue();
  }

  /** Sends a complete answer; for HEAD, and for a status without a body, Node sends the headers only. */
  send(status: number, body: string | Uint8Array, ofBody: OutgoingHttpHeaders = {}): void {
    // RFC 9110, 8.6: "a server MUST NOT send Content-Length" with 204; with 304 it would have to be the length of the
    // 200 answer.
    const size = Buffer.byteLength(body);
    if (status !== 204 && status !== 304) this.headers['content-length'] = size;
    this.#response.writeHead(status, Object.assign(this.headers, ofBody)).end(body, encodingOf(body, size));
  }

  /** Sends an answer, whether the request body is complete or not. */
  sendEarly(status: number, body: string): void {
    this.headers['content-length'] = Buffer.byteLength(body);
    endAfterRequest(this.#response.writeHead(status, this.headers), body);
  }

  /** Sends the headers of a body without the body; the caller must make them correct. */
  sendHead(status: number, ofBody: OutgoingHttpHeaders = {}): void {
    this.#response.writeHead(status, Object.assign(this.headers, ofBody)).end();
  }

  /**
   * Sends the bytes of a stream, which is destroyed when the client disconnects. Resolves when the stream has closed;
   * rejects when it fails: before its first byte another answer is still possible, without `ofBody`. With
   * `ownChunks`, the memory of each chunk is released when it has been sent.
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
      // The client may have disconnected while the stream was opened: then no further event reports it.
      if (response.destroyed) source.destroy();
      else response.once('close', () => source.destroy());
    });
  }

  /** Closes the connection within the answer, which tells the client that the answer is incomplete. */
  abortConnection(): void {
    this.#response.destroy();
  }

  /** Calls `listener` when the answer has been sent, with its status and the seconds since the request line. */
  onceAnswered(listener: (status: number, seconds: number) => void): void {
    const begun = performance.now();
    this.#response.on('close', () => listener(this.#response.statusCode, (performance.now() - begun) / 1000));
  }
}

/** A text with as many bytes as characters is ASCII; Node writes it as Latin-1 without a second pass. */
function encodingOf(body: string | Uint8Array, size: number): BufferEncoding {
  return body.length === size ? 'latin1' : 'utf8';
}

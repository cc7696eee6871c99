import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { errorEnvelope } from '../../contract/answers.ts';
import { ApiError, ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { createServer, createTlsServer, STATUS_CODES } from '../../platform/node-http.ts';
import { endAfterRequest, newRequestId, SECURITY_HEADERS } from './exchange.ts';

/** Interval, while stopping, at which idle kept-alive connections are closed. Milliseconds. */
const POLL_INTERVAL_MS = 20;

/** Stops accepting, lets running requests finish, and closes the busy connections after `withinMs`. */
export async function closeServer(server: Server, withinMs: number): Promise<void> {
  // A client that has its answer would otherwise delay the stop by keeping its connection open.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of handshakes.get(server)?.values() ?? []) socket.destroy();
  }, POLL_INTERVAL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs);
  try {
    await once(server.close(), 'close');
  } finally {
    clearInterval(idle);
    clearTimeout(deadline);
  }
}

/** The connections of a TLS server whose handshake is not complete, by address: HTTP knows of a connection only later. */
const handshakes = new WeakMap<TcpServer, Map<string, Socket>>();

/** Remembers the handshakes of a server until they are complete or their connection has closed. */
function followHandshakes(server: TcpServer): void {
  const open = new Map<string, Socket>();
  handshakes.set(server, open);
  server.on('connection', (socket) => {
    const address = addressOf(socket);
    open.set(address, socket);
    socket.once('close', () => open.delete(address));
  });
  server.on('secureConnection', (socket: TLSSocket) => open.delete(addressOf(socket)));
}

function addressOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  handle: RequestListener;
}

/** The requests of a connection whose answers are incomplete. */
interface Line {
  current: Asked;
  waiting: Asked[];
  /** Ends the connection after these answers. */
  end: (() => void) | undefined;
  /** Keeps the connection paused. */
  pause: (() => void) | undefined;
}

/**
 * Passes the requests of a connection on one by one, each when the previous answer has been sent. Answers are sent in
 * order (RFC 9112, 9.3.2), so the answers to pipelined requests would pile up in memory while a client does not read.
 * Requests that have arrived wait, and the connection is not read meanwhile.
 */
class PipelineQueue {
  readonly #lines = new WeakMap<Duplex, Line>();

  /**
   * Handles each request when all earlier answers have been sent; handles none on a connection that is ending (RFC
   * 9112, 9.6).
   */
  inTurn(handle: RequestListener): RequestListener {
    return (request, response) => this.#ask(request.socket, { request, response, handle });
  }

  /** The answer that is being made or sent. */
  current(socket: Duplex): ServerResponse | undefined {
    return this.#lines.get(socket)?.current.response;
  }

  /**
   * Calls `end`, which ends the connection, when all complete requests are answered; immediately where the current
   * request itself is incomplete.
   */
  endAfter(socket: Duplex, end: () => void): void {
    const line = this.#lines.get(socket);
    if (!line?.current.request.complete) {
      end();
      return;
    }
    if (line.waiting.at(-1)?.request.complete === false) line.waiting.pop();
    line.end ??= end;
    pauseReading(socket, line);
  }

  #ask(socket: Duplex, asked: Asked): void {
    const line = this.#lines.get(socket);
    if (!socket.writable || line?.end) asked.request.resume();
    else if (!line) this.#begin(socket, asked, this.#newLine(socket, asked));
    else {
      line.waiting.push(asked);
      pauseReading(socket, line);
    }
  }

  #newLine(socket: Duplex, current: Asked): Line {
    const line: Line = { current, waiting: [], end: undefined, pause: undefined };
    this.#lines.set(socket, line);
    return line;
  }

  #begin(socket: Duplex, asked: Asked, line: Line): void {
    const { request, response, handle } = asked;
    line.current = asked;
    response.on('close', () => this.#goOn(socket, line));
    handle(request, response);
  }

  #goOn(socket: Duplex, line: Line): void {
    const next = socket.writable ? line.waiting.shift() : undefined;
    if (next) this.#begin(socket, next, line);
    else this.#lines.delete(socket);
    if (!next || (line.waiting.length === 0 && !line.end)) stopPausing(socket, line);
    if (!next) line.end?.();
  }
}

/** Pauses again after each "resume": Node resumes reading by itself when a request is complete. */
function pauseReading(socket: Duplex, line: Line): void {
  if (!line.pause) {
    line.pause = () => socket.pause();
    socket.on('resume', line.pause);
  }
  socket.pause();
}

function stopPausing(socket: Duplex, line: Line): void {
  if (!line.pause) return;
  socket.off('resume', line.pause);
  line.pause = undefined;
  socket.resume();
}

/** The time limits of a client. Milliseconds. */
export interface Patience {
  /** Until the headers are complete. */
  headers: number;
  /** Until the body is complete as well: slow lines may upload, but no client may hold a connection forever. */
  request: number;
  /** Without a byte, while the server waits for the client. */
  silence: number;
  /** Between two requests. */
  idle: number;
  /** Interval at which Node checks the first two limits. */
  lookEvery: number;
}

/** The time limits of a production server. */
export const PATIENCE: Patience = {
  headers: 30_000,
  request: 3_600_000,
  silence: 60_000,
  idle: 72_000,
  lookEvery: 5_000,
};

/** A refused client has this long to read the refusal before its connection is closed (RFC 9112, 9.6). */
const LINGER_MS = 1_000;

/** Creates Node's HTTP server, or HTTPS with `tls`. Refusals by Node itself have the common error shape too. */
export function createNodeServer(
  handle: RequestListener,
  tls: { cert: string; key: string } | undefined,
  patience: Patience = PATIENCE,
): Server {
  const queue = new PipelineQueue();
  const options = {
    ...tls,
    // RFC 9112, 9.6: a client that has sent its last request may still read. TLS needs its own setting for it, as
    // well as HTTP (below).
    allowHalfOpen: true,
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.idle,
    connectionsCheckingInterval: patience.lookEvery,
    requireHostHeader: false,
    // Two Authorization headers are no API key: Node would take the first, but a proxy might have checked the second.
    joinDuplicateHeaders: true,
  };
  const onRequest = queue.inTurn((request, response) => {
    const fault = faultOf(request);
    if (fault === undefined) handle(request, response);
    else refuseRequest(response, 'malformed_request', fault);
  });
  const server = tls
    ? createTlsServer({ ...options, handshakeTimeout: patience.headers })
    : createServer(options);
  if (tls) followHandshakes(server);
  // Absent from Node's types. Without it, the connection would end when the client stops sending.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', onRequest);
  // The handler itself sends 100-continue, when it accepts the body.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', queue.inTurn(refuseExpectation));
  // RFC 9110, 9.3.6: CONNECT names a host to tunnel to, not a path; no route matches it.
  server.on('connect', (_request, socket) => {
    queue.endAfter(socket, () => refuseConnection(socket, 'not_found'));
  });
  server.on('clientError', (error, socket) => refuseBroken(error, socket, queue));
  server.setTimeout(patience.silence, (socket) => endSilence(socket, queue.current(socket)));
  return server;
}

/** The fault that Node's parser accepts and RFC 9112 does not; undefined where there is none. */
function faultOf(request: IncomingMessage): string | undefined {
  if (!hasHost(request)) return 'The request needs one valid Host header.';
  // RFC 9112, 6.1: the framing of HTTP/1.0 with Transfer-Encoding is faulty: a proxy may have seen another end of the
  // message.
  if (request.httpVersion === '1.0' && request.headers['transfer-encoding'] !== undefined) {
    return 'HTTP/1.0 knows no Transfer-Encoding.';
  }
  return undefined;
}

/** RFC 9112, 3.2: a request without Host, with two, or with an invalid one MUST be answered with 400. */
function hasHost({ headers: { host }, httpVersion }: IncomingMessage): boolean {
  return host === undefined ? httpVersion === '1.0' : /^[\w.~!$&'()*+;=%:[\]-]*$/.test(host);
}

/** RFC 9110, 10.1.1: an expectation other than 100-continue is answered with 417. */
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  refuseRequest(response, 'expectation_failed', 'The only expectation understood is 100-continue.');
}

/** Maps the error codes of Node's parser and timers to refusals; every other code is a failure of the connection. */
function refusalOf(code = ''): ErrorCode | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code.startsWith('HPE_') ? 'malformed_request' : undefined;
}

function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex, queue: PipelineQueue): void {
  const code = refusalOf(error.code);
  // While a complete request is processed, the connection is not read: later bytes are then not late through the
  // client.
  if (code === 'request_timeout' && queue.current(socket)?.req.complete) return;
  if (!code) socket.destroy();
  else queue.endAfter(socket, () => refuseUnlessAnswering(socket, code, queue.current(socket)));
}

function refuseUnlessAnswering(socket: Duplex, code: ErrorCode, current: ServerResponse | undefined): void {
  if (current?.headersSent) socket.destroy();
  else refuseConnection(socket, code);
}

/**
 * Handles a connection without traffic. Only our own work may take that long: a client that waits for an answer stays
 * connected.
 */
function endSilence(socket: Duplex, current: ServerResponse | undefined): void {
  if (!current || current.headersSent) socket.destroy();
  else if (!current.req.complete) refuseConnection(socket, 'request_timeout');
}

function refuseRequest(response: ServerResponse, code: ErrorCode, message: string): void {
  const { status, headers, body } = refusal(code, message);
  endAfterRequest(response.writeHead(status, headers), body);
}

/**
 * Answers a connection whose bytes never became a request. Further data is discarded until the client has had time to
 * read.
 */
function refuseConnection(socket: Duplex, code: ErrorCode): void {
  if (!socket.writable) return;
  const { status, headers, body } = refusal(code, ERRORS[code].when);
  const lines = Object.entries({ date: new Date().toUTCString(), ...headers }).map((pair) => pair.join(': '));
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(end));
}

function refusal(code: ErrorCode, message: string) {
  const requestId = newRequestId();
  const body = errorEnvelope(new ApiError(code, message), requestId);
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  };
  return { status: ERRORS[code].status, headers, body };
}

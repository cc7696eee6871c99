import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Principal } from './authentication.ts';
import { errorEnvelope } from './envelope.ts';
import { ApiError, ERRORS, type ErrorCode } from './errors.ts';
import { asApiError } from './failures.ts';
import { registerOperations } from './routes.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { ServerParts } from './server-parts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

/** JSON bodies: "JSON over 10 MB" is too large. */
const MAX_JSON_BYTES = 10_000_000;
/** A range of a spreadsheet is a path segment and may name a long sheet. */
const MAX_PATH_SEGMENT = 2_000;
const HEADERS_TIMEOUT_MS = 30_000;
const IDLE_CONNECTION_MS = 72_000;

/** The HTTP door: every declared operation, and one exit for every error. */
export function createServer(parts: ServerParts): FastifyInstance {
  const server = fastify(parts);
  server.decorateRequest('principal', null);
  acceptBodies(server);
  server.addHook('onSend', async (request, reply) => {
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
  });
  server.setErrorHandler((error, request, reply) => sendError(parts.log, error, request, reply));
  server.setNotFoundHandler((request, reply) => {
    const error = new ApiError('not_found', `There is no ${request.method} ${pathOf(request.url)}.`, {
      resource: 'route',
      id: pathOf(request.url),
    });
    sendError(parts.log, error, request, reply);
  });
  refuseExpectations(server);
  registerOperations(server, parts);
  return server;
}

function fastify({ log, tls }: ServerParts): FastifyInstance {
  const options = {
    // Of the framework's own lines only warnings matter.
    loggerInstance: log.child({}, { level: 'warn' }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `req_${randomUUID().replaceAll('-', '')}`,
    requestIdHeader: false as const,
    bodyLimit: MAX_JSON_BYTES,
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT },
    keepAliveTimeout: IDLE_CONNECTION_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    forceCloseConnections: 'idle' as const,
    clientErrorHandler: refuseBrokenRequest,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      sendError(log, error, request, reply),
  };
  const server = tls ? Fastify({ ...options, https: tls }) : Fastify(options);
  return server as unknown as FastifyInstance;
}

/** JSON arrives as bytes (it is parsed after the checks that come first), everything else as a stream. */
function acceptBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

function sendError(log: Logger, thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = asApiError(thrown);
  if (error.status >= 500) log.error({ err: error.cause ?? error, request_id: request.id, code: error.code });
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  if (error.status === 503) reply.header('retry-after', '1');
  if (error.code === 'rate_limited') reply.header('retry-after', String(error.details.retry_after));
  reply
    .code(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(errorEnvelope(error, request.id));
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

/** What Node's HTTP parser refuses, by its code. */
const PARSER_REFUSALS: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers in the one shape what never became a request. */
function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = PARSER_REFUSALS[error.code ?? ''] ?? 'malformed_request';
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  const body = errorEnvelope(new ApiError(code, ERRORS[code].when), requestId);
  const head = [
    `HTTP/1.1 ${ERRORS[code].status} ${code}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** RFC 9110, 10.1.1: an expectation other than 100-continue is answered with 417. */
function refuseExpectations(server: FastifyInstance): void {
  server.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const requestId = `req_${randomUUID().replaceAll('-', '')}`;
    const error = new ApiError('expectation_failed', 'The only expectation understood is 100-continue.');
    response.writeHead(error.status, {
      ...SECURITY_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId,
      connection: 'close',
    });
    response.end(errorEnvelope(error, requestId));
  });
}

import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HookHandlerDoneFunction,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Principal } from './authentication.ts';
import { errorEnvelope } from './envelope.ts';
import { ApiError } from './errors.ts';
import { asApiError } from './failures.ts';
import { createNodeServer } from './node-server.ts';
import { newRequestId } from './request-id.ts';
import { refuseUnknownRoute, registerOperations } from './routes.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { ServerParts } from './server-parts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null;
  }
}

/** Node takes 16 KiB of headers: an id that got through them is looked up and not found, like every unknown one. */
const MAX_PATH_SEGMENT = 16_384;

/** The HTTP door: every declared operation, and one exit for every error. */
export function createServer(parts: ServerParts): FastifyInstance {
  const server = fastify(parts);
  server.decorateRequest('principal', null);
  acceptBodies(server);
  server.addHook('onRequest', refuseUnknownRoute);
  server.addHook('preParsing', askForBody);
  server.addHook('onSend', (request, reply, payload, done) => {
    setCommonHeaders(request, reply);
    done(null, payload);
  });
  server.setErrorHandler((error, request, reply) => sendError(parts.log, error, request, reply));
  registerOperations(server, parts);
  return server;
}

function fastify({ log, tls, patience }: ServerParts): FastifyInstance {
  return Fastify({
    // Of the framework's own lines only warnings matter.
    loggerInstance: log.child({}, { level: 'warn' }),
    // Our lines name the request themselves: none needs a logger of its own.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (handle) => createNodeServer(handle, tls, patience),
    genReqId: newRequestId,
    requestIdHeader: false,
    // Declarations are checked by the pipeline: without schemas of its own the framework needs no compilers for them.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT },
    forceCloseConnections: 'idle',
    // "Finish what runs": a request that came in on a connection that is still busy is served as well.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply);
      sendError(log, error, request, reply);
    },
  }) as unknown as FastifyInstance;
}

function noSchemas(): never {
  throw new TypeError('A route declares its schemas in its operation');
}

/** Every body arrives as a stream: its operation knows what to make of it, after the checks that come first. */
function acceptBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/** RFC 9110, 10.1.1: a client that expects 100-continue sends its body only now that the headers are found good. */
function askForBody(
  request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: HookHandlerDoneFunction,
): void {
  if (request.headers.expect !== undefined) reply.raw.writeContinue();
  done();
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(SECURITY_HEADERS);
  if (!reply.hasHeader('x-request-id')) reply.header('x-request-id', request.id);
}

function sendError(log: Logger, thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = request.raw.errored === thrown ? cutShort(thrown) : asApiError(thrown);
  if (error.status >= 500) log.error({ err: error.cause ?? error, request_id: request.id, code: error.code });
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  if (error.status === 503) reply.header('retry-after', '1');
  if (error.code === 'rate_limited') reply.header('retry-after', String(error.details.retry_after));
  // The rest of a refused body is passed over: closed under a client that still sends, it might never see the answer.
  request.raw.resume();
  reply
    .code(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(errorEnvelope(error, request.id));
}

/** The connection ended before the body did. */
function cutShort(cause: unknown): ApiError {
  return new ApiError('malformed_request', 'The body ended too early.', {}, { cause });
}

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { JSON_TYPE } from '../../contract/answers.ts';
import { missingPermission } from '../../contract/errors.ts';
import { MAX_JSON_BYTES } from '../../contract/json.ts';
import { isWrite, type Operation } from '../../contract/operation.ts';
import type { Principal } from '../../contract/principal.ts';
import { idempotencyKeyOf, type OnceAnswer } from '../../once/idempotency.ts';
import { onBehalfOf, userKey } from '../../turns/current-user.ts';
import { whileWanted } from '../../turns/wanted.ts';
import { networkOf } from '../network.ts';
import { checkAnnouncedSize, checkLengthIsAnnounced, checkMediaType, hasBody, readBody } from './body.ts';
import { sendContent } from './content.ts';
import type { Exchange } from './exchange.ts';
import { HttpServer, type RouteMatch } from './http-server.ts';
import { LargeBodies } from './large-bodies.ts';
import { type Answer, type ApiRequest, Pipeline } from './pipeline.ts';
import { allowanceHeaders, rateLimited } from './rate-limit.ts';
import type { ServerDependencies } from './server-dependencies.ts';

/** The handlers of one operation's requests. */
interface Route {
  readonly operation: Operation;
  readonly pipeline: Pipeline;
  readonly largeBodies: LargeBodies;
}

/** Registers every operation. */
function registerOperations(server: HttpServer, parts: ServerDependencies): void {
  const largeBodies = new LargeBodies();
  for (const operation of parts.operations)
    registerOperation(server, parts, { operation, pipeline: new Pipeline(operation, parts), largeBodies });
}

/**
 * Registers an operation. Order of checks: key, rate limit, permission, media type and size, Idempotency-Key, then
 * the operation's own.
 */
function registerOperation(server: HttpServer, parts: ServerDependencies, route: Route): void {
  const { operation } = route;
  const observe = parts.metrics.ofOperation(operation.id);
  server.route(operation.method, operation.path, async (exchange, match) => {
    exchange.onceAnswered(observe);
    const principal = await authenticate(parts, exchange);
    countRequest(parts, principal, exchange);
    permit(operation, principal);
    operation.permit?.({ principal, params: match.params, query: match.query });
    checkBody(operation, exchange.requestHeaders);
    await onBehalfOf(userKey(principal), async () =>
      send(exchange, await answer(route, exchange, principal, match)),
    );
  });
}

/** Authenticates on behalf of the sending network: the user of the request is not known yet. */
function authenticate({ authentication }: ServerDependencies, { request }: Exchange): Promise<Principal> {
  const network = networkOf(request.socket.remoteAddress ?? '');
  return onBehalfOf(network, () => authentication.authenticate(request.headers.authorization));
}

async function answer(
  { pipeline, operation, largeBodies }: Route,
  exchange: Exchange,
  principal: Principal,
  { params, query }: RouteMatch,
): Promise<Answer> {
  const { id, method, url, requestHeaders: headers } = exchange;
  const idempotencyKey = isWrite(operation) ? idempotencyKeyOf(headers['idempotency-key']) : undefined;
  const answerWith = async (body: ApiRequest['body']) => {
    const request = { id, method, url, headers, principal, params, query, body };
    if (idempotencyKey === undefined)
      return whileWanted(
        () => !exchange.isLeft,
        () => pipeline.read(request),
      );
    return pipeline.write(request, idempotencyKey);
  };
  // RFC 9110, 9.3.1: content of a GET has no meaning.
  if (operation.method === 'GET' || !hasBody(headers)) return answerWith(undefined);
  if (operation.rawBody) {
    exchange.askForBody();
    return answerWith(exchange.request);
  }
  return largeBodies.answer(headers, () => jsonBodyOf(exchange), answerWith);
}

function jsonBodyOf(exchange: Exchange): Promise<Buffer> {
  exchange.askForBody();
  return readBody(exchange.request, MAX_JSON_BYTES);
}

function send(exchange: Exchange, answer: Answer): Promise<void> | void {
  const ofState = answer.etag === undefined ? {} : { etag: answer.etag };
  if ('content' in answer) return sendContent(exchange, answer.content, ofState);
  const { headers } = exchange;
  Object.assign(headers, ofState);
  if ('replayed' in answer && answer.replayed) markReplayed(headers, answer);
  if (answer.body !== '') headers['content-type'] = JSON_TYPE;
  exchange.send(answer.status, answer.body);
}

/** A repeated request gets the request id of the first answer, in the header as in the body. */
function markReplayed(headers: OutgoingHttpHeaders, { requestId }: OnceAnswer): void {
  headers['idempotency-replayed'] = 'true';
  if (requestId !== null) headers['x-request-id'] = requestId;
}

function countRequest(parts: ServerDependencies, principal: Principal, { headers }: Exchange): void {
  const allowance = parts.rateLimit.count(principal.userId);
  if (!allowance) return;
  Object.assign(headers, allowanceHeaders(allowance));
  if (allowance.remaining < 0) throw rateLimited(allowance);
}

/** Throws ApiError insufficient_scope unless the key has one of the operation's permissions. */
function permit({ permissions }: Operation, principal: Principal): void {
  const [first] = permissions;
  if (first && !permissions.some((permission) => principal.permissions.has(permission))) {
    throw missingPermission(first);
  }
}

/** RFC 9110, 9.3.1: content of a GET has no meaning, so it is neither checked nor read. */
function checkBody({ method, rawBody }: Operation, headers: IncomingHttpHeaders): void {
  if (method === 'GET') return;
  checkMediaType(headers, rawBody?.mediaType ?? 'application/json');
  if (rawBody?.lengthRequired) checkLengthIsAnnounced(headers);
  checkAnnouncedSize(headers, rawBody?.maxSize ?? MAX_JSON_BYTES);
  rawBody?.checkSize?.(Number(headers['content-length'] ?? 0));
}

/** The HTTP server with every declared operation. */
export function createServer(parts: ServerDependencies): HttpServer {
  const server = new HttpServer(parts);
  registerOperations(server, parts);
  return server;
}

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { JSON_TYPE } from '../../contract/answers.ts';
import { missingPermission } from '../../contract/errors.ts';
import { MAX_JSON_BYTES } from '../../contract/json.ts';
import { isWrite, type Operation } from '../../contract/operation.ts';
import type { Principal } from '../../contract/principal.ts';
import { idempotencyKeyOf, type OnceAnswer } from '../../once/idempotency.ts';
import { runCancellable } from '../../turns/cancellation.ts';
import { onBehalfOf, userKey } from '../../turns/current-user.ts';
import { networkOf } from '../network.ts';
import { checkAnnouncedSize, checkLengthIsAnnounced, checkMediaType, hasBody, readBody } from './body.ts';
import { sendContent } from './content.ts';
import type { Exchange } from './exchange.ts';
import { HttpServer, type RouteMatch } from './http-server.ts';
import { LargeBodies } from './large-bodies.ts';
import { originOf } from './origin.ts';
import { type Answer, type ApiRequest, Pipeline } from './pipeline.ts';
import { countRequest } from './rate-limit.ts';
import type { ServerDependencies } from './server-dependencies.ts';

/** The handlers of one operation's requests. */
export interface Route {
  readonly operation: Operation;
  readonly pipeline: Pipeline;
  readonly largeBodies: LargeBodies;
}

/** The handlers of every operation, by its id. */
export function routesOf(dependencies: ServerDependencies): Map<string, Route> {
  const largeBodies = new LargeBodies();
  return new Map(
    dependencies.operations.map((operation) => [
      operation.id,
      { operation, pipeline: new Pipeline(operation, dependencies), largeBodies },
    ]),
  );
}

/**
 * Registers an operation. Order of checks: key, rate limit, permission, media type and size, Idempotency-Key, then
 * the operation's own.
 */
function registerOperation(server: HttpServer, dependencies: ServerDependencies, route: Route): void {
  const { operation } = route;
  const observe = dependencies.metrics.ofOperation(operation.id);
  server.route(operation.method, operation.path, async (exchange, match) => {
    exchange.onceAnswered(observe);
    const principal = await authenticate(dependencies, exchange);
    await serveFor(dependencies, route, { exchange, principal, match, url: exchange.url });
  });
}

/** A request whose caller is known. `url`: path and query of the operation, which a ticket has in place of the request. */
interface Asked {
  exchange: Exchange;
  principal: Principal;
  match: RouteMatch;
  url: string;
}

/** Serves an operation to a caller, with all checks but that of the key. */
export async function serveFor(dependencies: ServerDependencies, route: Route, asked: Asked): Promise<void> {
  const { exchange, principal, match } = asked;
  countRequest(dependencies.rateLimit, principal, exchange.headers);
  permitTarget(route.operation, principal, match);
  checkBody(route.operation, exchange.requestHeaders);
  await onBehalfOf(userKey(principal), async () => send(exchange, await answer(route, asked)));
}

/** Throws ApiError insufficient_scope unless the caller may call the operation with this path and query. */
export function permitTarget(
  operation: Operation,
  principal: Principal,
  { params, query }: RouteMatch,
): void {
  permit(operation, principal);
  operation.permit?.({ principal, params, query });
}

/** Authenticates on behalf of the sending network: the user of the request is not known yet. */
export function authenticate(
  { authentication }: ServerDependencies,
  { request }: Exchange,
): Promise<Principal> {
  const network = networkOf(request.socket.remoteAddress ?? '');
  return onBehalfOf(network, () => authentication.authenticate(request.headers.authorization));
}

async function answer(
  { pipeline, operation, largeBodies }: Route,
  { exchange, principal, match: { params, query }, url }: Asked,
): Promise<Answer> {
  const { id, method, requestHeaders: headers } = exchange;
  const idempotencyKey = isWrite(operation) ? idempotencyKeyOf(headers['idempotency-key']) : undefined;
  const answerWith = async (body: ApiRequest['body']) => {
    const origin = () => originOf(exchange);
    const request = { id, method, url, headers, principal, params, query, body, origin };
    if (idempotencyKey === undefined)
      return runCancellable({ isThere: () => !exchange.isLeft, hasEnded: () => exchange.hasEnded }, () =>
        pipeline.read(request),
      );
    return pipeline.write(request, { idempotencyKey });
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
export function createServer(
  dependencies: ServerDependencies,
  routes: ReadonlyMap<string, Route> = routesOf(dependencies),
): HttpServer {
  const server = new HttpServer(dependencies);
  for (const route of routes.values()) registerOperation(server, dependencies, route);
  return server;
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Principal } from './authentication.ts';
import {
  checkAnnouncedSize,
  checkLengthIsAnnounced,
  checkMediaType,
  MAX_JSON_BYTES,
  readBody,
} from './body.ts';
import { sendContent } from './content.ts';
import { ApiError, missingPermission, noSuchRoute } from './errors.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { ANY_MEDIA_TYPE, type Caller, isWrite, type Operation } from './operation.ts';
import { type ApiRequest, Pipeline } from './pipeline.ts';
import { allowanceHeaders, rateLimited } from './rate-limit.ts';
import type { ServerParts } from './server-parts.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** Registers every operation. */
export function registerOperations(server: FastifyInstance, parts: ServerParts): void {
  for (const operation of parts.operations) registerOperation(server, parts, operation);
}

/** Refuses what no route takes, before a body is read: 405 where the path has other methods, else 404. */
export function refuseUnknownRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  done(request.is404 ? unknownRoute(request, reply) : undefined);
}

function unknownRoute({ method, url, server }: FastifyRequest, reply: FastifyReply): ApiError {
  const path = pathOf(url);
  const allow = METHODS.filter((other) => server.findRoute({ method: other, url: path }) !== null);
  if (allow.length === 0) return noSuchRoute(method, path);
  reply.header('allow', allow.join(', '));
  return methodNotAllowed(method, allow);
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function methodNotAllowed(method: string, allow: readonly string[]): ApiError {
  const message = `${method} is not possible here; ${allow.join(', ')} is.`;
  return new ApiError('method_not_allowed', message, { allow });
}

/** The order of checks: key, permission, media type and size, Idempotency-Key, then the operation's own. */
function registerOperation(server: FastifyInstance, parts: ServerParts, operation: Operation): void {
  const pipeline = new Pipeline(operation, parts);
  server.route({
    method: operation.method,
    url: operation.path,
    onRequest: async (request, reply) => {
      const principal = await parts.authentication.authenticate(request.headers.authorization);
      countRequest(parts, principal, reply);
      permit(operation, principal);
      const { params, query } = request;
      operation.permit?.({ principal, params, query } as Caller);
      checkBody(operation, request.headers);
      request.principal = principal;
    },
    onResponse: (_request, reply, done) => {
      parts.metrics.observe(operation.id, reply.statusCode, reply.elapsedTime / 1000);
      done();
    },
    handler: async (request, reply) => {
      const answer = isWrite(operation)
        ? await pipeline.write(
            await apiRequest(request, operation),
            idempotencyKeyOf(request.headers['idempotency-key']),
          )
        : await pipeline.read(await apiRequest(request, operation));
      if ('content' in answer) return sendContent(request, reply, answer.content);
      if (answer.etag !== undefined) reply.header('etag', answer.etag);
      if (answer.replayed) markReplayed(reply, answer.body);
      if (answer.body === '') return reply.code(answer.status).send();
      return reply.code(answer.status).header('content-type', JSON_TYPE).send(answer.body);
    },
  });
}

/** A repeat has the first answer's request id, in the header as well; a 204 has no body that names one. */
function markReplayed(reply: FastifyReply, body: string): void {
  reply.header('idempotency-replayed', 'true');
  const requestId = /"request_id":"(\w+)","timestamp":"[^"]*"\}[^{}]*(\{[^{}]*\})?\}$/.exec(body)?.[1];
  if (requestId !== undefined) reply.header('x-request-id', requestId);
}

function countRequest(parts: ServerParts, principal: Principal, reply: FastifyReply): void {
  const allowance = parts.rateLimit.count(principal.keyId);
  if (!allowance) return;
  reply.headers(allowanceHeaders(allowance));
  if (allowance.remaining < 0) throw rateLimited(allowance);
}

/** Throws ApiError insufficient_scope unless the key has one of the operation's permissions. */
function permit({ permissions }: Operation, principal: Principal): void {
  const [first] = permissions;
  if (first && !permissions.some((permission) => principal.permissions.has(permission))) {
    throw missingPermission(first);
  }
}

/** RFC 9110, 9.3.1: content of a GET means nothing, so it is neither checked nor read. */
function checkBody({ method, rawBody }: Operation, headers: IncomingHttpHeaders): void {
  if (method === 'GET') return;
  // The framework would refuse what is no media type, where none makes a difference.
  if (rawBody?.mediaType === ANY_MEDIA_TYPE) delete headers['content-type'];
  checkMediaType(headers, rawBody?.mediaType ?? 'application/json');
  if (rawBody?.lengthRequired) checkLengthIsAnnounced(headers);
  checkAnnouncedSize(headers, rawBody?.maxSize ?? MAX_JSON_BYTES);
}

async function apiRequest(request: FastifyRequest, { rawBody }: Operation): Promise<ApiRequest> {
  if (!request.principal) throw new TypeError('a route without authentication');
  const content = request.body as Readable | undefined;
  return {
    id: request.id,
    method: request.method,
    url: request.raw.url ?? '',
    headers: request.headers,
    principal: request.principal,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string | string[]>,
    body: rawBody ? content : content && (await readBody(content, MAX_JSON_BYTES)),
  };
}

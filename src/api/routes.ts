import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Content } from './answers.ts';
import type { Principal } from './authentication.ts';
import { ApiError, missingPermission } from './errors.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { checkMediaType } from './media-type.ts';
import { isWrite, type Operation } from './operation.ts';
import { type ApiRequest, Pipeline } from './pipeline.ts';
import { allowanceHeaders, rateLimited } from './rate-limit.ts';
import type { ServerParts } from './server-parts.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;

/** Registers every operation, and the 405 of every other method on their paths. */
export function registerOperations(server: FastifyInstance, parts: ServerParts): void {
  for (const operation of parts.operations) registerOperation(server, parts, operation);
  for (const path of new Set(parts.operations.map((operation) => operation.path))) {
    refuseOtherMethods(server, parts.operations, path);
  }
}

/** The order of checks: key, permission, media type and size, Idempotency-Key, then the operation's own. */
function registerOperation(server: FastifyInstance, parts: ServerParts, operation: Operation): void {
  const pipeline = new Pipeline(operation, parts);
  const mediaType = operation.rawBody?.mediaType ?? 'application/json';
  server.route({
    method: operation.method,
    url: operation.path,
    onRequest: async (request, reply) => {
      const principal = await parts.authentication.authenticate(request.headers.authorization);
      countRequest(parts, principal, reply);
      permit(operation, principal);
      checkMediaType(request.headers, mediaType);
      request.principal = principal;
    },
    onResponse: async (_request, reply) => {
      parts.metrics.observe(operation.id, reply.statusCode, reply.elapsedTime / 1000);
    },
    handler: async (request, reply) => {
      const answer = isWrite(operation)
        ? await pipeline.write(apiRequest(request), idempotencyKeyOf(request.headers['idempotency-key']))
        : await pipeline.read(apiRequest(request));
      if ('content' in answer) return sendContent(reply, answer.content);
      if (answer.replayed) reply.header('idempotency-replayed', 'true');
      if (answer.status === 204) return reply.code(204).send();
      return reply.code(answer.status).header('content-type', JSON_TYPE).send(answer.body);
    },
  });
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

function apiRequest(request: FastifyRequest): ApiRequest {
  if (!request.principal) throw new TypeError('a route without authentication');
  return {
    id: request.id,
    method: request.method,
    url: request.raw.url ?? '',
    authorization: request.headers.authorization,
    principal: request.principal,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string | string[]>,
    body: request.body as Buffer | Readable | undefined,
  };
}

async function sendContent(reply: FastifyReply, content: Content): Promise<FastifyReply> {
  const source = await content.open();
  reply.header('content-type', content.mediaType);
  if (content.filename !== undefined) {
    reply.header('content-disposition', contentDisposition(content.filename));
  }
  if (content.size !== undefined) reply.header('content-length', content.size);
  return reply.send(source instanceof Readable ? source : Buffer.from(source));
}

function refuseOtherMethods(server: FastifyInstance, operations: readonly Operation[], path: string): void {
  const allowed = METHODS.filter((method) =>
    operations.some((o) => o.method === method && matches(o.path, path)),
  );
  const allow = allowed.includes('GET') ? ['HEAD', ...allowed] : allowed;
  const others = [...METHODS, 'HEAD' as const].filter((method) => !(allow as string[]).includes(method));
  server.route({
    method: others,
    url: path,
    onRequest: async (request, reply) => {
      reply.header('allow', allow.join(', '));
      throw new ApiError(
        'method_not_allowed',
        `${request.method} is not possible here; ${allow.join(', ')} is.`,
        {
          allow,
        },
      );
    },
    handler: async () => undefined,
  });
}

/** Whether a declared path takes another path: the same, or its parameters stand for the other's words. */
function matches(declared: string, path: string): boolean {
  const [left, right] = [declared.split('/'), path.split('/')];
  return left.length === right.length && left.every((word, i) => word.startsWith(':') || word === right[i]);
}

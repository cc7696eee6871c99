import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { HTTPMethod } from 'find-my-way';
import Router from 'find-my-way';
import type { Logger } from 'pino';
import { BlobsFull, BlobsUnavailable } from '../../blobs/blob-store.ts';
import { errorEnvelope } from '../../contract/answers.ts';
import { ApiError, methodNotAllowed, noSuchRoute, workspaceMoved } from '../../contract/errors.ts';
import { StorageFull, StorageUnavailable, WorkspaceAway } from '../../storage/database.ts';
import { Cancelled } from '../../turns/cancellation.ts';
import { TooManyWaiting } from '../../turns/fair-queue.ts';
import { endedTooEarly, withDecodablePath } from './body.ts';
import { Exchange } from './exchange.ts';
import { createNodeServer, type Patience } from './node-server.ts';
import { exhaustedHeaders } from './rate-limit.ts';

/** The parameters of a request, from its path and its query, decoded. */
export interface RouteMatch {
  params: Record<string, string>;
  query: Record<string, string | string[]>;
}

/** Answers a request. An exception is answered in the common error shape. */
export type Answering = (exchange: Exchange, match: RouteMatch) => Promise<void>;

interface Route extends RouteMatch {
  answering: Answering;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;
/** Node limits headers to 16 KiB: an id that passes this limit is queried and not found, like every unknown id. */
const MAX_PATH_SEGMENT = 16_384;

/** Routes on Node's HTTP server, with one handler for every error. */
export class HttpServer {
  readonly node: Server;
  readonly #log: Logger;
  readonly #router = Router({
    maxParamLength: MAX_PATH_SEGMENT,
    onMaxParamLength: () => {
      throw new ApiError('not_found', 'No path has a part as long as this.');
    },
  });

  /** `tls`: PEM texts, for HTTPS. `patience`: the time limits of a client. */
  constructor(dependencies: {
    log: Logger;
    tls: { cert: string; key: string } | undefined;
    patience?: Patience;
  }) {
    this.#log = dependencies.log;
    this.node = createNodeServer(
      (request, response) => void this.#serve(request, response),
      dependencies.tls,
      dependencies.patience,
    );
  }

  /** Adds a route; a route for GET serves HEAD as well. */
  route(method: HTTPMethod, path: string, answering: Answering): void {
    const methods: HTTPMethod[] = method === 'GET' ? ['GET', 'HEAD'] : [method];
    this.#router.on(methods, path, nothing, answering);
  }

  /** Resolves when the server accepts connections. Rejects where it cannot listen on the address. */
  async listen(address: { host: string; port: number }): Promise<void> {
    await once(this.node.listen(address), 'listening');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = new Exchange(request, response);
    // "Finish what runs": the server still answers a request on a busy connection, and none after it.
    if (!this.node.listening) exchange.headers.connection = 'close';
    try {
      const { answering, ...match } = this.#routeOf(exchange);
      await answering(exchange, match);
    } catch (error) {
      this.#refuseSafely(exchange, error);
    }
  }

  /** The last error handler: an exception here would end the process with every other request. */
  #refuseSafely(exchange: Exchange, thrown: unknown): void {
    try {
      this.#refuse(exchange, thrown);
    } catch (cause) {
      const failed = new ApiError('internal', 'The refusal could not be written.', {}, { cause });
      if (exchange.isAnswered) exchange.abortConnection();
      else answerRefusal(exchange, failed);
      this.#log.error({ err: cause, request_id: exchange.id, code: failed.code });
    }
  }

  /** Throws ApiError not_found or method_not_allowed. */
  #routeOf(exchange: Exchange): Route {
    const { method } = exchange;
    const url = withDecodablePath(exchange.url);
    // RFC 9110, 7.1: "*" means the server as a whole; the router would take it for its root.
    if (url === '*') throw noSuchRoute(method, url);
    const route = this.#find(method, url);
    if (route) return route;
    const allow = METHODS.filter((other) => this.#find(other, url));
    if (allow.length === 0) throw noSuchRoute(method, pathOf(url));
    exchange.headers.allow = allow.join(', ');
    throw methodNotAllowed(method, allow);
  }

  #find(method: string, url: string): Route | undefined {
    const found = this.#router.find(method as HTTPMethod, url);
    if (!found) return undefined;
    // For a path that it cannot parse, the router returns its own handler, which throws the reason.
    if (!found.store) return (found.handler as () => never)();
    const params = found.params as Record<string, string>;
    return { answering: found.store, params, query: found.searchParams };
  }

  #refuse(exchange: Exchange, thrown: unknown): void {
    const error = exchange.request.errored === thrown ? endedTooEarly(thrown) : asApiError(thrown);
    if (error.status >= 500 || exchange.isAnswered) {
      this.#log.error({ err: error.cause ?? error, request_id: exchange.id, code: error.code });
    }
    if (exchange.isAnswered) exchange.abortConnection();
    else answerRefusal(exchange, error);
  }
}

/** The router requires a handler for each route; our code calls `answering` from the route's store. */
function nothing(): void {}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function answerRefusal(exchange: Exchange, error: ApiError): void {
  const { headers, id } = exchange;
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.status === 503) headers['retry-after'] = '1';
  if (error.code === 'rate_limited') Object.assign(headers, exhaustedHeaders(error));
  headers['content-type'] = 'application/json; charset=utf-8';
  exchange.sendEarly(error.status, errorEnvelope(error, id));
}

/** Converts any error to an ApiError. An unexpected error reveals no internals. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof BlobsFull || thrown instanceof StorageFull) {
    const message = 'There is no room left for what is to be stored; nothing was.';
    return new ApiError('quota_exceeded', message, {}, { cause: thrown });
  }
  if (thrown instanceof StorageUnavailable || thrown instanceof BlobsUnavailable) {
    return new ApiError(
      'unavailable',
      'The storage cannot serve now. Try again in a moment; repeat a write with the same Idempotency-Key.',
      {},
      { cause: thrown },
    );
  }
  if (thrown instanceof WorkspaceAway) {
    if (thrown.state === 'left') return workspaceMoved(thrown.location);
    const message =
      'The workspace moves to another installation, and is not written meanwhile. Repeat the write with the same Idempotency-Key.';
    return new ApiError('unavailable', message, {}, { cause: thrown });
  }
  if (thrown instanceof TooManyWaiting) {
    const message = 'Too much work of this kind waits already. Try again in a moment.';
    return new ApiError('unavailable', message, {}, { cause: thrown });
  }
  if (thrown instanceof Cancelled) return new ApiError('request_timeout', 'The client has left.');
  return new ApiError('internal', 'Something failed inside the server.', {}, { cause: thrown });
}

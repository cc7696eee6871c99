import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { ToolArguments } from '../../contract/agent-tool.ts';
import { JSON_TYPE } from '../../contract/answers.ts';
import { ApiError, bodyTooLarge } from '../../contract/errors.ts';
import { MAX_JSON_BYTES, parseJson } from '../../contract/json.ts';
import type { Principal } from '../../contract/principal.ts';
import { refuse } from '../../contract/validation.ts';
import { onBehalfOf, userKey } from '../../turns/current-user.ts';
import { checkAnnouncedSize, checkMediaType, readBody } from '../http/body.ts';
import { refuseKnownForeignSite } from '../http/console/console-request.ts';
import type { Exchange } from '../http/exchange.ts';
import { asApiError, type HttpServer, type RouteMatch } from '../http/http-server.ts';
import { LARGE_BODY, LargeBodies } from '../http/large-bodies.ts';
import { originOf } from '../http/origin.ts';
import { countRequest } from '../http/rate-limit.ts';
import { authenticate, type Route } from '../http/routes.ts';
import type { ServerDependencies } from '../http/server-dependencies.ts';
import { Agent, type Wanted } from './agent.ts';
import type { FindOutsiders } from './asking.ts';
import { Calls } from './calls.ts';
import { areasIn } from './tools.ts';

/** What the door for agents needs beside the server. */
interface AgentDependencies {
  /** By operation id. */
  routes: ReadonlyMap<string, Route>;
  findOutsiders: FindOutsiders;
  /** Seals what a person was asked; the same on all nodes. */
  secret: () => Promise<Uint8Array>;
}

/**
 * Serves the Model Context Protocol at POST /mcp. Nothing of it is loaded before the first request, so that a server
 * without agents does not pay for it.
 */
export function registerMcp(
  server: HttpServer,
  dependencies: ServerDependencies,
  agents: AgentDependencies,
): void {
  const observe = dependencies.metrics.ofOperation('mcp');
  const largeBodies = new LargeBodies();
  let handler: Promise<McpHttpHandler> | undefined;
  const loaded = () => {
    handler ??= load(dependencies, agents);
    // A secret that could not be read is read again.
    handler.catch(() => {
      handler = undefined;
    });
    return handler;
  };
  server.route('POST', '/mcp', async (exchange, match) => {
    exchange.onceAnswered(observe);
    refuseForeignPage(exchange);
    const principal = await authenticate(dependencies, exchange);
    countRequest(dependencies.rateLimit, principal, exchange.headers);
    const { requestHeaders: headers } = exchange;
    checkMediaType(headers, 'application/json');
    checkAnnouncedSize(headers, MAX_JSON_BYTES);
    const wanted = wantedIn(match);
    exchange.askForBody();
    const body = () => readBody(exchange.request, MAX_JSON_BYTES);
    await onBehalfOf(userKey(principal), () =>
      largeBodies.answer(headers, body, async (bytes) => {
        const agent = agentFor(exchange, principal, { dependencies, agents, wanted });
        await answer(exchange, await loaded(), agent, bytes);
      }),
    );
  });
}

async function load({ log }: ServerDependencies, { secret }: AgentDependencies): Promise<McpHttpHandler> {
  const [{ createProtocolHandler }, key] = await Promise.all([import('./protocol.ts'), secret()]);
  const asRefusal = (thrown: unknown) => {
    const error = asApiError(thrown);
    if (error.status >= 500) log.error({ err: error.cause ?? error, code: error.code });
    return error;
  };
  return createProtocolHandler({ secret: key, asRefusal });
}

const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/;
const LOOPBACK_NAME = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Throws ApiError foreign_site where a page of another server has sent the request (MCP-4): also where the name of that
 * server leads to this machine (DNS rebinding).
 */
function refuseForeignPage(exchange: Exchange): void {
  refuseKnownForeignSite(exchange);
  const { origin } = exchange.requestHeaders;
  if (origin === undefined || !LOOPBACK_ADDRESS.test(exchange.request.socket.localAddress ?? '')) return;
  if (URL.canParse(origin) && LOOPBACK_NAME.test(new URL(origin).hostname)) return;
  throw new ApiError('foreign_site', 'Send the request from a program, or from a page of this machine.');
}

/** Throws ApiError validation_failed. */
function wantedIn({ query: { areas, tools } }: RouteMatch): Wanted {
  if (tools !== undefined && tools !== 'all')
    refuse([{ parameter: 'tools', code: 'not_allowed', message: 'Give all, or leave it out.' }]);
  const names = areas === undefined ? undefined : [areas].flat().join(',');
  return { areas: names === undefined ? undefined : areasIn(names), isAll: tools === 'all' };
}

interface AgentContext {
  dependencies: ServerDependencies;
  agents: AgentDependencies;
  wanted: Wanted;
}

function agentFor(
  exchange: Exchange,
  principal: Principal,
  { dependencies, agents, wanted }: AgentContext,
): Agent {
  const calls = new Calls(agents.routes, {
    principal,
    authorization: exchange.requestHeaders.authorization,
    origin: () => originOf(exchange),
    client: { isThere: () => !exchange.isLeft, hasEnded: () => exchange.hasEnded },
  });
  const { findOutsiders } = agents;
  return new Agent(dependencies.operations, calls, { wanted, findOutsiders });
}

/** JSON-RPC 2.0, 5.1: "Invalid JSON was received by the server." */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

async function answer(
  exchange: Exchange,
  handler: McpHttpHandler,
  agent: Agent,
  bytes: Buffer,
): Promise<void> {
  let parsedBody: unknown;
  try {
    parsedBody = parseJson(bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refuseMessage(exchange, PARSE_ERROR, error.message);
  }
  // No revision that is served has batches, and one would count as one request for the rate limit.
  if (Array.isArray(parsedBody))
    return refuseMessage(exchange, INVALID_REQUEST, 'Send one message at a time.');
  if (bytes.length > LARGE_BODY) refuseToWait(agent, parsedBody);
  const { keyId } = agent.calls.caller.principal;
  const authInfo = { token: '', clientId: keyId, scopes: [], extra: { agent } };
  const response = await handler.fetch(requestOf(exchange), { parsedBody, authInfo });
  await send(exchange, response, isSubscription(parsedBody));
}

/**
 * Throws ApiError payload_too_large where a large message may wait: it would keep the place of a large body from others
 * meanwhile. Its arguments are short by nature.
 */
function refuseToWait(agent: Agent, message: unknown): void {
  const { params } = (message ?? {}) as { params?: { name?: unknown; arguments?: ToolArguments } };
  if (typeof params?.name !== 'string' || !agent.mayWait(params.name, params.arguments ?? {})) return;
  throw bodyTooLarge(LARGE_BODY);
}

/** The one request whose answer has no end: it tells what changes in the lists. */
function isSubscription(message: unknown): boolean {
  return (message as { method?: unknown } | null)?.method === 'subscriptions/listen';
}

function refuseMessage(exchange: Exchange, code: number, message: string): void {
  const refusal = { jsonrpc: '2.0', id: null, error: { code, message } };
  exchange.send(400, JSON.stringify(refusal), { 'content-type': JSON_TYPE });
}

/** The request with the headers that the protocol reads. */
function requestOf(exchange: Exchange): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(exchange.requestHeaders))
    if (/^(?:accept|content-type|mcp-.*|last-event-id)$/.test(name) && typeof value === 'string')
      headers.set(name, value);
  return new Request(new URL('/mcp', originOf(exchange)), { method: 'POST', headers });
}

/** Older clients get their one answer as an event: whole, so that it leaves in one piece. */
async function send(exchange: Exchange, response: Response, isEndless: boolean): Promise<void> {
  const type = response.headers.get('content-type');
  const ofBody = type === null ? {} : { 'content-type': type };
  if (response.body && isEndless && type?.startsWith('text/event-stream')) {
    const source = Readable.fromWeb(response.body as ReadableStream);
    return exchange.stream(response.status, source, { ofBody, ownChunks: false });
  }
  exchange.send(response.status, await response.text(), ofBody);
}

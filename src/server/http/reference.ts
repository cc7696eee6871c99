import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type DescribedServer, openApiDocument } from '../../contract/openapi.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Exchange } from './exchange.ts';
import type { HttpServer } from './http-server.ts';
import { originOf } from './origin.ts';

/** The rendering script of the reference page, as it is sent. */
interface Script {
  gzipped: Buffer;
  etag: string;
}

/**
 * The page may load this server's scripts and documents and nothing else: no inline script, no other host.
 * Inline styles are allowed because the renderer writes its own.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Nothing that leaves this host or belongs to the renderer's own services; fields in the order of their declaration. */
const SETTINGS = {
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

/**
 * The renderer breaks words at any letter where a column is narrow. In a table they stay whole, but for words of the last
 * column that are longer than it; all others are as wide as what is in them, and what has no room is scrolled to.
 */
const STYLE = `
body .scalar-app .markdown table { display: block; overflow-x: auto; }
body .scalar-app .markdown :is(th, td) { padding-inline: 8px; }
body .scalar-app .markdown :is(th, td), body .scalar-app .markdown :is(th, td) * { word-break: normal; overflow-wrap: normal; }
body .scalar-app .markdown :is(th, td):not(:last-child) { white-space: nowrap; }
body .scalar-app .markdown li code { white-space: nowrap; word-break: normal; overflow-wrap: normal; }
body .scalar-app .markdown :is(th, td):last-child { min-width: 9em; overflow-wrap: anywhere; }
`;

// Addresses are relative, so that the page also works behind a proxy that serves it below a path.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atrium API</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<noscript>This page needs JavaScript. The same reference for machines: <a href="v1/openapi.json">OpenAPI</a>.</noscript>
<script id="api-reference" data-url="v1/openapi.json" data-configuration='${JSON.stringify(SETTINGS)}'></script>
<script src="docs/reference.js"></script>
</body>
</html>
`;

/** Stands in the document for where the client has reached the server. */
const ORIGIN = 'http://origin.invalid';

/**
 * Serves the document, made at the first request for it, with the origin by which the client has reached the server. No key
 * needed: it shows no data.
 */
export function registerOpenApi(
  server: HttpServer,
  operations: readonly Operation[],
  described: Omit<DescribedServer, 'origin'>,
): void {
  let parts: string[] | undefined;
  server.route('GET', '/v1/openapi.json', async (exchange) => {
    parts ??= JSON.stringify(openApiDocument(operations, { ...described, origin: ORIGIN })).split(ORIGIN);
    exchange.headers['content-type'] = 'application/json; charset=utf-8';
    exchange.send(200, parts.join(originOf(exchange)));
  });
}

/**
 * Serves the rendered reference: `GET /docs` and its script, which draw `/v1/openapi.json` in the browser.
 * Everything comes from this server; no key is needed, and nothing here shows data.
 */
export function registerReference(server: HttpServer): void {
  const script = once(loadScript);
  server.route('GET', '/docs', async (exchange) => {
    setHeaders(exchange, 'text/html; charset=utf-8');
    exchange.send(200, PAGE);
  });
  server.route('GET', '/docs/reference.js', async (exchange) => {
    const found = await script();
    setHeaders(exchange, 'text/javascript; charset=utf-8');
    await sendScript(found, exchange);
  });
}

/** The policy for answers of the API would forbid the page its script. */
function setHeaders({ headers }: Exchange, type: string): void {
  Object.assign(headers, {
    'content-type': type,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'cache-control': 'public, max-age=3600',
  });
}

async function sendScript({ gzipped, etag }: Script, exchange: Exchange): Promise<void> {
  const { requestHeaders, headers } = exchange;
  Object.assign(headers, { etag, vary: 'accept-encoding' });
  if (requestHeaders['if-none-match'] === etag) return exchange.sendHead(304);
  if (!/\bgzip\b/.test(String(requestHeaders['accept-encoding']))) {
    return exchange.send(200, await promisify(gunzip)(gzipped));
  }
  headers['content-encoding'] = 'gzip';
  exchange.send(200, gzipped);
}

/** What the plugin tells its framework of a path that it serves. */
interface PluginRoute {
  url: string;
  handler(request: unknown, reply: PluginReply): unknown;
}

interface PluginReply {
  header(): PluginReply;
  send(body: string): void;
}

/**
 * The package holds its script inside a plugin for a web framework and exports no other way to it, so the plugin is
 * given something to register its paths with, and the path of the script is asked for it. Loaded with the first page:
 * it is megabytes that most processes never serve.
 */
async function loadScript(): Promise<Script> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const routes: PluginRoute[] = [];
  const register = plugin as unknown as (framework: object, options: object, done: () => void) => void;
  const framework = { route: (route: PluginRoute) => routes.push(route) };
  register(framework, { configuration: { url: '/v1/openapi.json' } }, () => undefined);
  const text = await new Promise<string>((resolve, reject) => {
    const reply: PluginReply = { header: () => reply, send: resolve };
    const route = routes.find(({ url }) => url.endsWith('/scalar.js'));
    if (route) route.handler(undefined, reply);
    else reject(new Error('The reference page has lost its script'));
  });
  const gzipped = await promisify(gzip)(text);
  return { gzipped, etag: `"${createHash('sha256').update(gzipped).digest('base64url')}"` };
}

/** Remembers a success; a failure is tried again by the next caller. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

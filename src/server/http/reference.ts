import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type DescribedServer, openApiDocument } from '../../contract/openapi.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Exchange } from './exchange.ts';
import type { HttpServer } from './http-server.ts';
import { originOf } from './origin.ts';

/** The rendering script of the reference page, as sent. */
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

/**
 * Disables everything that contacts another host or belongs to the renderer's services; keeps the declared order of
 * fields.
 */
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
 * In a narrow column, the renderer breaks words at any letter. These rules keep words whole in tables, except words
 * that are longer than the last column; the other columns are as wide as their content, and the table scrolls.
 */
const STYLE = `
body .scalar-app .markdown table { display: block; overflow-x: auto; }
body .scalar-app .markdown :is(th, td) { padding-inline: 8px; }
body .scalar-app .markdown :is(th, td), body .scalar-app .markdown :is(th, td) * { word-break: normal; overflow-wrap: normal; }
body .scalar-app .markdown :is(th, td):not(:last-child) { white-space: nowrap; }
body .scalar-app .markdown li code { white-space: nowrap; word-break: normal; overflow-wrap: normal; }
body .scalar-app .markdown :is(th, td):last-child { min-width: 9em; overflow-wrap: anywhere; }
`;

// Addresses are relative: the page also works behind a proxy that serves it below a path.
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

/** A placeholder in the document for the origin that the client has used. */
const ORIGIN = 'http://origin.invalid';

/**
 * Serves the document, built at the first request, with the origin that the client has used. It needs no key: it
 * contains no data.
 */
export function registerOpenApi(
  server: HttpServer,
  operations: readonly Operation[],
  described: Omit<DescribedServer, 'origin'>,
): void {
  let pieces: string[] | undefined;
  server.route('GET', '/v1/openapi.json', async (exchange) => {
    pieces ??= JSON.stringify(openApiDocument(operations, { ...described, origin: ORIGIN })).split(ORIGIN);
    exchange.headers['content-type'] = 'application/json; charset=utf-8';
    exchange.send(200, pieces.join(originOf(exchange)));
  });
}

/**
 * Serves the rendered reference: `GET /docs` and its script, which render `/v1/openapi.json` in the browser.
 * Everything comes from this server; it needs no key, and shows no data.
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

/** Replaces the policy of API answers, which would forbid the page its script. */
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

/** The properties of a route that the plugin registers with its framework. */
interface PluginRoute {
  url: string;
  handler(request: unknown, reply: PluginReply): unknown;
}

interface PluginReply {
  header(): PluginReply;
  send(body: string): void;
}

/**
 * The package contains its script inside a plugin for a web framework and has no other export of it. So the plugin
 * registers its routes with a substitute, and the handler of the script's route returns the script. Loaded with the
 * first page: most processes never serve these megabytes.
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

/** Caches a success; after a failure the next caller tries again. */
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

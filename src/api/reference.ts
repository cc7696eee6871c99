import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

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

/** Nothing that leaves this host or belongs to the renderer's own services. */
const SETTINGS = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

// Addresses are relative, so that the page also works behind a proxy that serves it below a path.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atrium API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The same reference for machines: <a href="v1/openapi.json">OpenAPI</a>.</noscript>
<script id="api-reference" data-url="v1/openapi.json" data-configuration='${JSON.stringify(SETTINGS)}'></script>
<script src="docs/reference.js"></script>
</body>
</html>
`;

/**
 * Serves the rendered reference: `GET /docs` and its script, which draw `/v1/openapi.json` in the browser.
 * Everything comes from this server; no key is needed, and nothing here shows data.
 */
export function registerReference(server: FastifyInstance): void {
  const script = once(loadScript);
  server.get('/docs', { onSend: setHeaders }, async (_request, reply) => {
    return reply.type('text/html; charset=utf-8').send(PAGE);
  });
  server.get('/docs/reference.js', { onSend: setHeaders }, async (request, reply) => {
    return sendScript(await script(), request, reply);
  });
}

/** Runs after the server's own hook, whose policy for answers of the API would forbid the page its script. */
async function setHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
}

async function sendScript(
  script: Script,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers({ etag: script.etag, vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === script.etag) return reply.code(304).send();
  reply.type('text/javascript; charset=utf-8');
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) {
    return reply.send(await promisify(gunzip)(script.gzipped));
  }
  return reply.header('content-encoding', 'gzip').send(script.gzipped);
}

/**
 * The package holds its script inside a Fastify plugin and exports no other way to it, so a server that is never
 * bound to a port is asked for it. Loaded with the first page: it is megabytes that most processes never serve.
 */
async function loadScript(): Promise<Script> {
  const { default: renderer } = await import('@scalar/fastify-api-reference');
  const holder = fastify();
  await holder.register(renderer, { routePrefix: '/docs', configuration: { url: '/v1/openapi.json' } });
  const { statusCode, rawPayload } = await holder.inject('/docs/js/scalar.js');
  await holder.close();
  if (statusCode !== 200) throw new Error('The reference page has lost its script');
  const gzipped = await promisify(gzip)(rawPayload);
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

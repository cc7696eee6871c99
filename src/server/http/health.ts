import { ApiError } from '../../contract/errors.ts';
import type { Exchange } from './exchange.ts';
import type { HttpServer } from './http-server.ts';
import type { Metrics } from './metrics.ts';

/** What must answer for the server to be ready. */
export interface Readiness {
  check(): Promise<void>;
}

/** Registers the operations of operations: no key needed, and none shows data. */
export function registerHealth(server: HttpServer, readiness: Readiness, metrics: Metrics): void {
  server.route('GET', '/healthz', async (exchange) => sendText(exchange, 'ok\n'));
  server.route('GET', '/readyz', async (exchange) => {
    await readiness.check().catch(refuseUnready);
    sendText(exchange, 'ready\n');
  });
  server.route('GET', '/metrics', async (exchange) => {
    const text = await metrics.registry.metrics();
    sendText(exchange, text, metrics.registry.contentType);
  });
}

/** Whatever it lacks, such as room on a disk: a server that is not ready cannot serve now. */
function refuseUnready(cause: unknown): never {
  throw new ApiError(
    'unavailable',
    'The server is not ready: its storage cannot take what is sent.',
    {},
    { cause },
  );
}

function sendText(exchange: Exchange, text: string, type = 'text/plain; charset=utf-8'): void {
  exchange.headers['content-type'] = type;
  exchange.send(200, text);
}

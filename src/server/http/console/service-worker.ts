import { noSuchRoute } from '../../../contract/errors.ts';
import type { HttpServer } from '../http-server.ts';
import { readAsset, readManifest } from './assets.ts';

/**
 * Serves the script that keeps the page in a browser for when the server is away. Its address stays the same, so that a browser
 * finds the next one; it may act for all pages, and reads from this server alone.
 */
export function registerServiceWorker(server: HttpServer): void {
  server.route('GET', '/console/service-worker.js', async (exchange) => {
    const manifest = await readManifest();
    if (!manifest) throw noSuchRoute(exchange.method, exchange.url);
    Object.assign(exchange.headers, {
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': "default-src 'none'; connect-src 'self'",
      'service-worker-allowed': '/',
      'cache-control': 'no-cache',
    });
    exchange.send(200, await readAsset(manifest.serviceWorker));
  });
}

import { envelope, JSON_TYPE } from '../../contract/answers.ts';
import { noSuchRoute } from '../../contract/errors.ts';
import { sendPage } from './console/page.ts';
import type { HttpServer } from './http-server.ts';
import { originOf } from './origin.ts';

/** The pages of the console; each may have more parts of a path below it. */
const PAGES = ['/mail', '/contacts', '/files'];

/**
 * Serves `GET /`, for people and programs that know only the address: it gives a browser the console, and a program the
 * address of the API. The addresses of pages within the console give browsers the same page. None needs a key: they show no
 * data.
 */
export function registerEntryPage(server: HttpServer, version: string): void {
  for (const path of PAGES.flatMap((page) => [page, `${page}/*`])) {
    server.route('GET', path, async (exchange) => {
      exchange.headers.vary = 'accept';
      if (!prefersPage(exchange.requestHeaders.accept ?? ''))
        throw noSuchRoute(exchange.method, exchange.url);
      await sendPage(exchange);
    });
  }
  server.route('GET', '/', async (exchange) => {
    const { headers, requestHeaders, id } = exchange;
    headers.vary = 'accept';
    if (prefersPage(requestHeaders.accept ?? '')) return sendPage(exchange);
    const origin = originOf(exchange);
    const links = {
      name: 'Atrium',
      version,
      api: `${origin}/v1`,
      openapi: `${origin}/v1/openapi.json`,
      docs: `${origin}/docs`,
    };
    headers['content-type'] = JSON_TYPE;
    exchange.send(200, envelope(links, id));
  });
}

/** RFC 9110, 12.5.1: whether the client prefers HTML to JSON. A client without a preference is a program. */
function prefersPage(accept: string): boolean {
  const weights = weightsOf(accept);
  const weightOf = (type: string, group: string) =>
    weights.get(type) ?? weights.get(group) ?? weights.get('*/*') ?? 0;
  return weightOf('text/html', 'text/*') > weightOf('application/json', 'application/*');
}

function weightsOf(accept: string): Map<string, number> {
  return new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return [type, Number(weight) || 0];
    }),
  );
}

import { envelope, JSON_TYPE } from '../../contract/answers.ts';
import type { HttpServer } from './http-server.ts';
import { originOf } from './origin.ts';

/**
 * Serves `GET /`, for people and programs that know only the address: it redirects a browser to the page, and gives a
 * program the address of the API. It needs no key: it shows no data.
 */
export function registerFrontDoor(server: HttpServer, version: string): void {
  server.route('GET', '/', async (exchange) => {
    const { headers, requestHeaders, id } = exchange;
    headers.vary = 'accept';
    if (prefersPage(requestHeaders.accept ?? '')) {
      // Relative, so the redirect also works where a proxy serves the server below a path.
      headers.location = 'docs';
      return exchange.sendHead(303, { 'content-length': 0 });
    }
    const origin = originOf(exchange);
    const places = {
      name: 'Atrium',
      version,
      api: `${origin}/v1`,
      openapi: `${origin}/v1/openapi.json`,
      docs: `${origin}/docs`,
    };
    headers['content-type'] = JSON_TYPE;
    exchange.send(200, envelope(places, id));
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

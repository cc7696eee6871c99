import { type ParsedUrlQuery, parse } from 'node:querystring';
import { ApiError } from './errors.ts';

/** The parameters of a query; a repeated one is a list. Throws ApiError malformed_request. */
export function parseQuery(query: string): ParsedUrlQuery {
  if (query.includes('%')) refuseUndecodable(query);
  // Node would stop at a thousand parameters; here the size of the headers bounds them.
  return parse(query, '&', '=', { maxKeys: 0 });
}

/** The parser would keep what it cannot decode as it stands. */
function refuseUndecodable(query: string): void {
  try {
    decodeURIComponent(query);
  } catch (cause) {
    throw new ApiError('malformed_request', 'The query is not valid percent-encoded UTF-8.', {}, { cause });
  }
}

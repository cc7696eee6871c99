import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { hasBody } from './body.ts';

/**
 * Sends the body of an answer, whose head is there, also before the body of the request has come whole: what still comes
 * is passed over before the answer ends. RFC 9112, 9.6: closed under a client that still sends, a connection may take
 * with it what that has not read yet.
 */
export function endAfterRequest(response: ServerResponse, body: string): void {
  const request = response.req;
  const { headers, complete } = request;
  // Who waits for 100-continue sends none of it now.
  if (complete || !hasBody(headers) || headers.expect !== undefined) {
    response.end(body);
    return;
  }
  response.write(body);
  finished(request, { writable: false }, () => response.end());
  request.resume();
}

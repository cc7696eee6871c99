import { randomBytes } from 'node:crypto';

/** A new `meta.request_id`; never taken from the client, so that it finds one request in the log. */
export function newRequestId(): string {
  return `req_${randomBytes(16).toString('hex')}`;
}

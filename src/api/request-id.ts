import { Nonces } from './nonces.ts';

const nonces = new Nonces(16);

/** A new `meta.request_id`; never taken from the client, so that it finds one request in the log. */
export function newRequestId(): string {
  return `req_${nonces.next().toString('hex')}`;
}

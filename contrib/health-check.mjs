// Ends with 0 when the server on this machine is ready and with 1 when not, whatever port and TLS it is set to.
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

const { ATRIUM_HOST, ATRIUM_PORT, ATRIUM_TLS_CERT } = process.env;
// It is asked what it is, not who: a certificate is hardly for an address of this machine.
const options = {
  host: ATRIUM_HOST || '127.0.0.1',
  port: ATRIUM_PORT || 8080,
  path: '/readyz',
  rejectUnauthorized: false,
  timeout: 4_000,
};
const request = (ATRIUM_TLS_CERT ? getHttps : getHttp)(options, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
);
// A server that hangs says nothing, and not everything that runs a health check ends one that does neither.
request.on('timeout', () => request.destroy(new Error('No answer')));
request.on('error', () => process.exit(1));

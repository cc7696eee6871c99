import { isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Exchange } from './exchange.ts';

/** A Host header: a name, an IPv4 address, or an IPv6 address in brackets, and an optional port. */
const HOST = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;
/** The path below which a proxy serves this server. */
const PREFIX = /^(?:\/[\w.~-]{1,100}){1,10}$/;

/**
 * The origin that the client has used, such as https://atrium.example.org, with the path below which a proxy serves
 * it. Request headers are used only where they have the form of a host, a scheme or a path, and the result is sent to
 * this client only: no cache may store an answer that contains it.
 */
export function originOf({ request, requestHeaders }: Exchange): string {
  const { socket } = request;
  const { host = '', 'x-forwarded-proto': scheme, 'x-forwarded-prefix': prefix } = requestHeaders;
  const isSecure = (socket as TLSSocket).encrypted === true || firstOf(scheme) === 'https';
  const name = isHost(host) ? host.toLowerCase() : ownHost(socket.localAddress ?? '', socket.localPort ?? 0);
  const path = firstOf(prefix);
  return `${isSecure ? 'https' : 'http'}://${name}${PREFIX.test(path) && !/\/\.\.?(?:\/|$)/.test(path) ? path : ''}`;
}

function isHost(host: string): boolean {
  return HOST.test(host) && URL.canParse(`http://${host}`);
}

/** Each proxy appends its own value after a comma; the first value is from the proxy that the client used. */
function firstOf(header: string | string[] | undefined): string {
  const [first = ''] = String(header ?? '').split(',', 1);
  return first.trim();
}

function ownHost(address: string, port: number): string {
  const bare = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return `${isIPv6(bare) ? `[${bare}]` : bare}:${port}`;
}

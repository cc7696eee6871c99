import { isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Exchange } from './exchange.ts';

/** Of a Host header: a name or an address of IPv4, or one of IPv6 in brackets, and a port. */
const HOST = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;
/** Below which path a proxy serves all paths of this server. */
const PREFIX = /^(?:\/[\w.~-]{1,100}){1,10}$/;

/**
 * Where the client has reached the server, such as https://atrium.example.org, with the path below which a proxy serves it.
 * What the headers of the request say of it is taken where it has the form of a host, a scheme or a path, and told to that
 * client alone: no answer that is made of it may be kept by a cache.
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

/** Each proxy adds its own behind a comma; the first is the one that the client spoke to. */
function firstOf(header: string | string[] | undefined): string {
  const [first = ''] = String(header ?? '').split(',', 1);
  return first.trim();
}

function ownHost(address: string, port: number): string {
  const bare = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return `${isIPv6(bare) ? `[${bare}]` : bare}:${port}`;
}

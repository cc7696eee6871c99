import { isIPv6 } from 'node:net';

/** How a dual-stack socket reports an IPv4 address. */
const IPV4_IN_IPV6 = /^::ffff:(?=[\d.]+$)/i;

/** The addresses that one host certainly controls: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(remote: string): string {
  const address = remote.replace(IPV4_IN_IPV6, '');
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

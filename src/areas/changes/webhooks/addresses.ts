import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * An address that no webhook may reach. The message does not contain the address: names of an internal network must
 * not leak.
 */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';

  constructor() {
    super('The host has an address that is not public.');
  }
}

/**
 * RFC 4291, 2.4, as assigned by IANA: an address outside, such as one that embeds IPv4, is no address of the
 * Internet.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is public: not private, local, shared, mapped or translated. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** Decides which hosts webhooks may reach. */
export class ReachableHosts {
  readonly #allowed: ReadonlySet<string>;

  /** `allowed`: hosts that may have any address, and may be reached by http. */
  constructor(allowed: ReadonlySet<string>) {
    this.#allowed = allowed;
  }

  /** The problem of a URL itself, without its addresses; undefined where there is none. */
  problemOf(text: string): string | undefined {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) return 'Give an https URL.';
    if (url.username || url.password) return 'Give a URL without user and password.';
    if (url.hash) return 'Give a URL without a fragment.';
    const host = hostOf(url);
    if (this.#allowed.has(host)) return undefined;
    if (url.protocol !== 'https:') return 'Give an https URL.';
    return isIP(host) !== 0 && !isPublicAddress(host)
      ? 'Give a URL whose host has a public address.'
      : undefined;
  }

  /** Resolves the host of a URL once, and the connection uses the result of this check. Fails with ForbiddenAddress. */
  lookupFor(url: URL): LookupFunction {
    const isAllowed = this.#allowed.has(hostOf(url));
    return (name, options, callback) => {
      lookup(name, { all: true }, (error, addresses) => {
        const refused = error ?? (isAllowed ? null : refusalOf(addresses));
        const [first] = addresses ?? [];
        if (refused || !first) callback(refused ?? new ForbiddenAddress(), '', 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    };
  }
}

/** A name with one address that is not public is refused: chance would decide which address is used. */
function refusalOf(addresses: readonly LookupAddress[]): ForbiddenAddress | null {
  return addresses.every(({ address }) => isPublicAddress(address)) ? null : new ForbiddenAddress();
}

/** The host name without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

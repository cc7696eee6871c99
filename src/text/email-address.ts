import { domainToASCII, domainToUnicode } from 'node:url';
import { fold } from './fold.ts';

/** In characters: RFC 5321 4.5.3.1.3 leaves 254 octets for an address within the brackets of a path. */
export const MAX_EMAIL_ADDRESS = 254;

/**
 * An address as people write it: local@domain, without spaces and control characters. Only the domain decides
 * which other local parts are valid (RFC 5321 2.3.11); non-ASCII letters are allowed (RFC 6531).
 */
export const EMAIL_ADDRESS = '^[^\\s\\p{Cc}@<>",;:\\\\()\\[\\]]+@[^\\s\\p{Cc}@<>",;:\\\\()\\[\\]]+$';

/**
 * Whether the name consists of labels of letters, digits and hyphens (RFC 1123 2.1); other scripts count by their
 * ASCII form.
 */
export function isHostName(name: string): boolean {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  return !name.includes('/') && new RegExp(`^${label}(\\.${label})*$`, 'i').test(domainToASCII(name));
}

/**
 * The address with its domain in its own script, and in ASCII, case folded: an internationalized domain equals its ASCII
 * form (RFC 5890, 2.3.2.1).
 */
export function addressForms(address: string): [own: string, ascii: string] {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const [ascii, unicode] = [domainToASCII(domain), domainToUnicode(domain)];
  return [fold(`${local}@${unicode || domain}`), fold(`${local}@${ascii || domain}`)];
}

/** Whether the address is one of its two forms, ignoring case: "ü.xn--tda.de" is a third one of its domain. */
export function isInAForm(address: string): boolean {
  return addressForms(address).includes(fold(address));
}

/**
 * The domains in ASCII, in order, of those of these addresses that have two forms: whoever takes one form of an address locks its
 * domain, because no index compares forms. An organization has many addresses, and few domains.
 */
export function twofoldDomains(addresses: readonly string[]): string[] {
  const domains = addresses
    .map(addressForms)
    .filter(([own, ascii]) => own !== ascii)
    .map(([, ascii]) => ascii.slice(ascii.lastIndexOf('@') + 1));
  return [...new Set(domains)].sort();
}

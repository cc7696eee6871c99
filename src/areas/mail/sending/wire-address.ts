import { domainToASCII, domainToUnicode } from 'node:url';

/** RFC 5322, 3.2.3, and RFC 6531, 3.3: letters of other scripts too. */
const DOT_ATOM = /^[^\s.@]+(\.[^\s.@]+)*$/;

/**
 * An address as the envelope has it. The domain is in its ASCII form, unless the local part needs SMTPUTF8 anyway (RFC
 * 6531, 3.7.1); a local part that is no dot-atom is quoted.
 */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const isAscii = /^[\x21-\x7e]*$/.test(local);
  const written = DOT_ATOM.test(local) ? local : `"${local}"`;
  return `${written}@${isAscii ? domainToASCII(domain) : domainToUnicode(domain)}`;
}

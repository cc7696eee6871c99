import { domainToASCII } from 'node:url';

/** In characters: RFC 5321, 4.5.3.1.3 leaves 254 octets to an address within the brackets of a path. */
export const MAX_EMAIL_ADDRESS = 254;

/**
 * An address as people write it: local@domain, no spaces or control characters. What else a local part may hold is
 * for its own domain to say (RFC 5321, 2.3.11); letters beyond ASCII are allowed (RFC 6531).
 */
export const EMAIL_ADDRESS = '^[^\\s\\p{Cc}@<>",;:\\\\()\\[\\]]+@[^\\s\\p{Cc}@<>",;:\\\\()\\[\\]]+$';

/** Whether this is a name of labels of letters, digits and hyphens (RFC 1123, 2.1); other scripts by their ASCII form. */
export function isHostName(name: string): boolean {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  return !name.includes('/') && new RegExp(`^${label}(\\.${label})*$`, 'i').test(domainToASCII(name));
}

import { domainToASCII } from 'node:url';

/** Whether this is a name of labels of letters, digits and hyphens (RFC 1123, 2.1); other scripts by their ASCII form. */
export function isHostName(name: string): boolean {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  return !name.includes('/') && new RegExp(`^${label}(\\.${label})*$`, 'i').test(domainToASCII(name));
}

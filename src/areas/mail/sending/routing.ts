import { domainToASCII } from 'node:url';
import { ApiError } from '../../../contract/errors.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import type { DirectoryService } from '../../directory/service.ts';
import type { Recipient } from '../arrival/delivering.ts';
import { domainOf } from './recipients.ts';

/** Where a message goes. */
export interface Routes {
  local: Recipient[];
  /** Addresses that only the relay can reach. */
  remote: string[];
}

/** What decides the way of an address. */
export interface Surroundings {
  directory: DirectoryService;
  /** Whoever is unknown here is unknown everywhere. */
  domain: string;
  hasRelay: boolean;
}

/**
 * Parts the addresses of the users of this server, of whichever workspace (the SMTP door would take mail for them as
 * well), from those elsewhere. Throws ApiError unknown_recipient or no_relay.
 */
export async function routesOf(
  tx: ReadTransaction,
  addresses: readonly string[],
  { directory, domain, hasRelay }: Surroundings,
): Promise<Routes> {
  const routes: Routes = { local: [], remote: [] };
  const unknown: string[] = [];
  for (const address of addresses) {
    const recipient = await directory.findRecipient(tx, address);
    if (recipient) routes.local.push({ ...recipient, address });
    else if (isOwn(address, domain) || (await directory.findUser(tx, address))) unknown.push(address);
    else routes.remote.push(address);
  }
  if (unknown.length > 0) throw unknownRecipient(unknown);
  if (routes.remote.length > 0 && !hasRelay) throw noRelay(routes.remote);
  return routes;
}

function isOwn(address: string, domain: string): boolean {
  return domainToASCII(domainOf(address)) === domainToASCII(domain);
}

function unknownRecipient(recipients: readonly string[]): ApiError {
  const message = `Nobody here has the address ${recipients.join(', ')}. Nothing was sent.`;
  return new ApiError('unknown_recipient', message, { recipients });
}

function noRelay(recipients: readonly string[]): ApiError {
  const message = `No relay is set for mail that leaves (ATRIUM_SMTP_RELAY), so ${recipients.join(', ')} cannot be reached. Nothing was sent.`;
  return new ApiError('no_relay', message, { recipients });
}

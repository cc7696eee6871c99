import { domainToASCII } from 'node:url';
import { ApiError } from '../../../contract/errors.ts';
import { hasMember } from '../../../contract/json.ts';
import type { Problem } from '../../../contract/operation.ts';
import { MailsOthers, type MayMail } from '../../../contract/outside-mail.ts';
import type { Address } from '../../../formats/messages/message.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { isHostName, MAX_EMAIL_ADDRESS } from '../../../text/email-address.ts';
import type { DirectoryService } from '../../directory/service.ts';
import type { Recipient } from '../arrival/delivering.ts';
import { MAX_RECIPIENTS, type NewMessage } from './schema.ts';

const KINDS = ['to', 'cc', 'bcc'] as const;

/** Checks of the recipients that the schema cannot express. `message` lacks the fields of `sent` that violate it. */
export function recipientProblems(message: Partial<NewMessage>, sent: unknown): Problem[] {
  const problems = namedProblems(message);
  const areKnown = KINDS.every((kind) => message[kind] !== undefined || !hasMember(sent, kind));
  if (message.to && areKnown && countOf(message) === 0) problems.push(tooFew());
  return problems;
}

/** The same checks for a message that need not have recipients yet. */
export function namedProblems(message: Partial<NewMessage>): Problem[] {
  const problems = KINDS.flatMap((kind) => wrongAddresses(kind, message[kind] ?? []));
  if (countOf(message) > MAX_RECIPIENTS) problems.push(tooMany());
  return problems;
}

/** How many recipients a message names. */
export function countOf(message: Partial<NewMessage>): number {
  return KINDS.reduce((sum, kind) => sum + (message[kind]?.length ?? 0), 0);
}

/** Parses "Name <address>" or a bare address. */
export function readAddress(written: string): Address {
  const [, name = '', inBrackets] = /^(.*)<([^<>]*)> *$/s.exec(written) ?? [];
  if (inBrackets === undefined) return { name: '', address: written.trim() };
  return { name: unquoted(name.trim()), address: inBrackets };
}

/** The addresses without duplicates, ignoring case; the first spelling wins. */
export function distinctAddresses(mailboxes: readonly Address[]): string[] {
  const firstOf = new Map<string, string>();
  for (const { address } of mailboxes) {
    if (!firstOf.has(address.toLowerCase())) firstOf.set(address.toLowerCase(), address);
  }
  return [...firstOf.values()];
}

/** The domain of an address, after its last "@". */
function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** RFC 5322, 3.2.4: in a quoted string a backslash escapes the next character. */
function unquoted(name: string): string {
  const inside = /^"((?:[^"\\]|\\.)*)"$/.exec(name)?.[1];
  return inside === undefined ? name : inside.replace(/\\(.)/g, '$1');
}

const NO_ADDRESS = `Is no address: Name <local@domain> or local@domain, the address of at most ${MAX_EMAIL_ADDRESS} characters.`;

/**
 * "A <a@b>, B <c@d>" outside quotation marks. As one recipient it would have the last address, and the message would pass
 * over the others without a word.
 */
const LIST = /^[^"]*<[^<>\s@]+@[^<>\s@]+>\s*[,;]/;

function wrongAddresses(kind: string, written: readonly string[]): Problem[] {
  return written.flatMap((text, index) => {
    const message = LIST.test(text) ? NO_ADDRESS : problemOf(readAddress(text).address);
    return message === undefined ? [] : [{ pointer: `/${kind}/${index}`, code: 'wrong_format', message }];
  });
}

/** local@domain without spaces and without the special characters of address lists. */
const LOCAL_PART = /^[^\s\p{Cc}@<>",;:\\()[\]]+$/u;
const DOMAIN = /^[^\s\p{Cc}@<>",;:\\()[\].]+(?:\.[^\s\p{Cc}@<>",;:\\()[\].]+)*$/u;

function problemOf(address: string): string | undefined {
  // An astral letter has two code units.
  const isShort = address.length <= 2 * MAX_EMAIL_ADDRESS && [...address].length <= MAX_EMAIL_ADDRESS;
  const at = address.indexOf('@');
  if (!isShort || !LOCAL_PART.test(address.slice(0, Math.max(at, 0))) || !DOMAIN.test(address.slice(at + 1)))
    return NO_ADDRESS;
  return isHostName(domainOf(address)) ? undefined : 'Has no domain that can exist.';
}

function tooFew(): Problem {
  return { pointer: '/to', code: 'too_few', message: 'Name at least one recipient in to, cc or bcc.' };
}

function tooMany(): Problem {
  const message = `At most ${MAX_RECIPIENTS} recipients in to, cc and bcc together.`;
  return { pointer: '/to', code: 'too_many', message };
}

/** The recipients of a message, by route. */
export interface Routes {
  local: Recipient[];
  /** Addresses that only the relay can reach. */
  remote: string[];
}

/** The dependencies of routing. */
interface RoutingContext {
  directory: DirectoryService;
  /** The own domain: its unknown addresses are refused, not relayed. */
  domain: string;
  hasRelay: boolean;
}

/**
 * Separates addresses of users of this server from remote ones. Users of all workspaces are local, because the SMTP
 * server accepts mail for all of them too. Throws ApiError unknown_recipient or no_relay.
 */
export async function routesOf(
  tx: ReadTransaction,
  addresses: readonly string[],
  { directory, domain, hasRelay }: RoutingContext,
): Promise<Routes> {
  const { unknown, ...routes } = await foundRoutes(tx, addresses, { directory, domain });
  if (unknown.length > 0) throw unknownRecipient(unknown);
  if (routes.remote.length > 0 && !hasRelay) throw noRelay(routes.remote);
  return routes;
}

/** Those of these addresses that are of this server and that no active user has. */
export async function unknownRecipients(
  tx: ReadTransaction,
  addresses: readonly string[],
  context: Omit<RoutingContext, 'hasRelay'>,
): Promise<string[]> {
  return (await foundRoutes(tx, addresses, context)).unknown;
}

async function foundRoutes(
  tx: ReadTransaction,
  addresses: readonly string[],
  { directory, domain }: Omit<RoutingContext, 'hasRelay'>,
): Promise<Routes & { unknown: string[] }> {
  const found: Routes & { unknown: string[] } = { local: [], remote: [], unknown: [] };
  for (const address of addresses) {
    const recipient = await directory.findRecipient(tx, address);
    if (recipient?.hasLeft) found.remote.push(address);
    else if (recipient)
      found.local.push({ workspaceId: recipient.workspaceId, userId: recipient.userId, address });
    else if (isOwn(address, domain) || (await directory.findUser(tx, address))) found.unknown.push(address);
    else found.remote.push(address);
  }
  return found;
}

/** The addresses of those of these recipients whom no active user of the workspace is. */
export async function outsidersAmong(
  tx: ReadTransaction,
  workspaceId: string,
  recipients: readonly string[],
  directory: DirectoryService,
): Promise<string[]> {
  const outsiders: string[] = [];
  for (const address of distinctAddresses(recipients.map(readAddress))) {
    const holder = await directory.findRecipient(tx, address);
    if (holder?.workspaceId !== workspaceId || holder.hasLeft) outsiders.push(address);
  }
  return outsiders;
}

/** Throws MailsOthers where these routes lead to an address outside the workspace that may not be mailed. */
export function refuseOthers(routes: readonly Routes[], workspaceId: string, mayMail: MayMail): void {
  if (mayMail === 'anybody') return;
  const allowed = new Set(mayMail.map((address) => address.toLowerCase()));
  const outside = routes.flatMap(({ local, remote }) => [
    ...remote,
    ...local.filter((one) => one.workspaceId !== workspaceId).map(({ address }) => address),
  ]);
  if (outside.some((address) => !allowed.has(address.toLowerCase()))) throw new MailsOthers();
}

function isOwn(address: string, domain: string): boolean {
  return domainToASCII(domainOf(address)) === domainToASCII(domain);
}

/** The refusal of recipients whom nothing can reach. */
export function unknownRecipient(recipients: readonly string[]): ApiError {
  const message = `Nobody here has the address ${recipients.join(', ')}. Nothing was sent.`;
  return new ApiError('unknown_recipient', message, { recipients });
}

function noRelay(recipients: readonly string[]): ApiError {
  const message = `No relay is set for mail that leaves (ATRIUM_SMTP_RELAY), so ${recipients.join(', ')} cannot be reached. Nothing was sent.`;
  return new ApiError('no_relay', message, { recipients });
}

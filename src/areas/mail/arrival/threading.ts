import { hash } from 'node:crypto';
import { newId } from '../../../platform/ids.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import type { MailboxOwner } from '../owner.ts';
import { countThreads, findThreads, insertLinks, insertNewLink, moveThreads } from './thread-store.ts';

/** What of a message decides its thread. */
export interface ThreadHeaders {
  messageId: string;
  inReplyTo: readonly string[];
  references: readonly string[];
}

/** Far more than any reply connects: whoever names thousands of messages would move them all while the mailbox waits. */
const MAX_UNITED = 100;

/** Ids that one transaction notes: each is a row of each mailbox that gets the message, while all other writes wait. */
const LINKS_A_TRANSACTION = 5_000;
/** More than people's messages name: so many are noted in each mailbox, however many get the message. */
const LEAST_OF_A_MAILBOX = 100;

/**
 * The thread that a message joins: that of any message which its In-Reply-To or References name, seen or not, and which
 * names it, and the thread `also`. Threads that it connects become one: of more than MAX_UNITED its own, and those of
 * In-Reply-To and of the last references. The mailbox lock is held. `copies`: mailboxes that get the message in this
 * transaction; of fifty or more, each follows the last hundred ids.
 */
export async function joinThread(
  tx: WriteTransaction,
  owner: MailboxOwner,
  headers: ThreadHeaders,
  also: string | null = null,
  copies = 1,
): Promise<string> {
  const most = Math.max(LEAST_OF_A_MAILBOX, Math.floor(LINKS_A_TRANSACTION / copies));
  const links = linksOf(headers, most);
  const [only] = links;
  if (only !== undefined && links.length === 1 && also === null) return joinByOne(tx, owner, only);
  const known = await findThreads(tx, owner, links);
  const threads = [also, ...links.map((link) => known.get(link))].filter((id) => typeof id === 'string');
  const threadId = await unite(tx, owner, [...new Set(threads)].slice(0, MAX_UNITED));
  await insertLinks(
    tx,
    owner,
    links.filter((link) => !known.has(link)),
    threadId,
  );
  return threadId;
}

/** Of what answers nothing the id is nearly always new. */
async function joinByOne(tx: WriteTransaction, owner: MailboxOwner, link: string): Promise<string> {
  const threadId = newId('thr');
  if (await insertNewLink(tx, owner, link, threadId)) return threadId;
  return (await findThreads(tx, owner, [link])).get(link) ?? threadId;
}

/** Makes one thread of several: the largest stays, so that little moves; of equals the oldest. */
async function unite(tx: WriteTransaction, owner: MailboxOwner, threadIds: string[]): Promise<string> {
  const [only] = threadIds;
  if (only === undefined) return newId('thr');
  if (threadIds.length === 1) return only;
  const counts = await countThreads(tx, owner, threadIds);
  const sized = threadIds.map((id) => ({ id, messages: counts.get(id) ?? 0 }));
  sized.sort((a, b) => b.messages - a.messages || (a.id < b.id ? -1 : 1));
  const [kept = only, ...others] = sized.map(({ id }) => id);
  await moveThreads(tx, owner, others, kept);
  return kept;
}

/**
 * The first `most` ids, the most important first: the last reference is the nearest (RFC 5322, 3.6.4). "Ids without "@" in
 * References or In-Reply-To join nothing": they are placeholders that many messages share.
 */
function linksOf({ messageId, inReplyTo, references }: ThreadHeaders, most: number): string[] {
  const ids = [messageId, ...inReplyTo, ...references.toReversed()].filter((id) => id.includes('@'));
  return [...new Set(ids)].slice(0, most).map(linkOf);
}

/** Message-IDs have any length; sixteen bytes of a digest are one in an index. */
function linkOf(messageId: string): string {
  return hash('sha256', messageId, 'base64url').slice(0, 22);
}

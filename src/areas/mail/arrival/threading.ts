import { hash } from 'node:crypto';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { emitMessages, type MailboxOwner } from '../owner.ts';
import { countThreads, findThreads, insertLinks, moveThreads } from './thread-store.ts';

/** The headers that decide the thread of a message. */
export interface ThreadHeaders {
  messageId: string;
  inReplyTo: readonly string[];
  references: readonly string[];
}

/** Far more than any real reply connects. Without a limit, a message that names thousands would block the mailbox. */
const MAX_UNITED = 100;

/** Ids that one transaction stores, over all mailboxes: each id is one row per mailbox, and other writes wait. */
const LINKS_A_TRANSACTION = 5_000;
/** Ids stored in each mailbox regardless of the number of recipients: more than real messages name. */
const LEAST_OF_A_MAILBOX = 100;

/** The links of a message, and the threads of those that the mailbox knows. */
export interface FoundLinks {
  links: readonly string[];
  known: ReadonlyMap<string, string>;
}

/**
 * Finds what a message is connected with. The caller holds the mailbox lock, and stores no other message in the mailbox
 * before this one has joined its thread. `copies`: mailboxes that get the message in this transaction; with fifty or more,
 * only the last hundred ids count.
 */
export async function findLinks(
  tx: ReadTransaction,
  owner: MailboxOwner,
  headers: ThreadHeaders,
  copies = 1,
): Promise<FoundLinks> {
  const most = Math.max(LEAST_OF_A_MAILBOX, Math.floor(LINKS_A_TRANSACTION / copies));
  const links = linksOf(headers, most);
  return { links, known: await findThreads(tx, owner, links) };
}

/**
 * The thread that a message joins: the thread of every message that its In-Reply-To or References name, stored yet or
 * not, of every message that names it, and the thread `also`. Threads connected this way are merged; beyond MAX_UNITED
 * only its own, that of In-Reply-To and those of the last references.
 */
export async function joinThread(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { links, known }: FoundLinks,
  also: string | null = null,
): Promise<string> {
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

/** Merges threads into the largest one, so that few rows change; among equals into the oldest. */
async function unite(tx: WriteTransaction, owner: MailboxOwner, threadIds: string[]): Promise<string> {
  const [only] = threadIds;
  if (only === undefined) return newId('thr');
  if (threadIds.length === 1) return only;
  const counts = await countThreads(tx, owner, threadIds);
  const sized = threadIds.map((id) => ({ id, messages: counts.get(id) ?? 0 }));
  sized.sort((a, b) => b.messages - a.messages || (a.id < b.id ? -1 : 1));
  const [largest = only, ...others] = sized.map(({ id }) => id);
  // The messages may be in any folders, so the change names none.
  emitMessages(tx, owner, 'message.changed', {}, await moveThreads(tx, owner, others, largest));
  return largest;
}

/**
 * The first `most` ids, the most important first: the last reference is the direct parent (RFC 5322, 3.6.4). "Ids
 * without "@" in References or In-Reply-To join nothing": they are placeholders that many messages share.
 */
function linksOf({ messageId, inReplyTo, references }: ThreadHeaders, most: number): string[] {
  const ids = [messageId, ...inReplyTo, ...references.toReversed()].filter((id) => id.includes('@'));
  return [...new Set(ids)].slice(0, most).map(linkOf);
}

/** A Message-ID has no length limit; the index holds sixteen bytes of its digest. */
function linkOf(messageId: string): string {
  return hash('sha256', messageId, 'base64url').slice(0, 22);
}

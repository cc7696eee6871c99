import type { ReadTransaction } from '../../../storage/database.ts';
import { MOST_LABELS } from '../changes/flags-and-labels-change.ts';
import type { MailboxOwner } from '../owner.ts';
import {
  endOfPage,
  type ListedMessage,
  listMessages,
  type MessagePosition,
  type Stream,
} from './listing-store.ts';

/** A page of messages that carry several labels. */
export interface LabelledPage {
  messages: readonly ListedMessage[];
  /** Where the search stopped although the page is not full and more may follow. */
  stoppedAt: MessagePosition | undefined;
}

/** What is looked for: messages of these streams that carry all of these labels, after a place. */
export interface LabelledSearch {
  streams: readonly Stream[];
  labels: readonly string[];
  after: MessagePosition | undefined;
  limit: number;
}

/** The most portions that one page reads. */
const PORTIONS_A_PAGE = 4;
const MESSAGES_A_PORTION = 500;
/** Of each message that is read, every other label is looked up: where many are wanted, portions are smaller. */
const LOOK_UPS_A_PORTION = 2_000;

/**
 * Finds the newest messages that carry several labels. The messages of the rarest label are read in order, in portions, and
 * the other labels are looked up for each. Of labels that are common but rarely meet, a full page could take a whole mailbox
 * to find. So a page ends after some portions, and the next one continues there.
 */
export async function findLabelled(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { streams, labels, after, limit }: LabelledSearch,
): Promise<LabelledPage> {
  if (streams.length === 0 || labels.length > MOST_LABELS) return { messages: [], stoppedAt: undefined };
  const messages: ListedMessage[] = [];
  let stoppedAt = after;
  for (let portion = 0; portion < PORTIONS_A_PAGE; portion++) {
    const search = { streams, after: stoppedAt, limit: limit - messages.length };
    const { labels: ordered, end } = await nextPortion(tx, owner, { ...search, labels });
    messages.push(...(await listMessages(tx, owner, { ...search, labels: ordered, through: end })));
    if (end === undefined || messages.length === limit) return { messages, stoppedAt: undefined };
    stoppedAt = end;
  }
  return { messages, stoppedAt };
}

/**
 * The labels, the rarest first, and the place where the next portion of its messages ends; undefined where fewer are left. The
 * rarest label is the one whose portion reaches furthest. Counting all messages of each label would cost more, and be wrong
 * where a label that is rare in the mailbox is common in these months.
 */
async function nextPortion(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { streams, labels, after }: LabelledSearch,
): Promise<{ labels: readonly string[]; end: MessagePosition | undefined }> {
  const limit = Math.min(MESSAGES_A_PORTION, Math.ceil(LOOK_UPS_A_PORTION / labels.length));
  const portions = await Promise.all(
    labels.map(async (label) => ({
      label,
      end: await endOfPage(tx, owner, { streams, labels: [label], after, limit }),
    })),
  );
  portions.sort((a, b) => compareEnds(a.end, b.end));
  return { labels: portions.map(({ label }) => label), end: portions[0]?.end };
}

/** What reaches further comes first. */
function compareEnds(a: MessagePosition | undefined, b: MessagePosition | undefined): number {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  return a.date - b.date || a.number - b.number;
}

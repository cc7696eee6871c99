import { type Page, type PageRequest, pageOf } from '../../../contract/answers.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import * as store from '../changes/label-count-store.ts';
import type { MailboxOwner } from '../owner.ts';

type LabelRecord = ReturnType<typeof labelRecord>;

/** The labels that messages of the mailbox carry, in order. */
export async function pageOfLabels(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { after, limit }: PageRequest,
): Promise<Page<LabelRecord>> {
  const rows = await store.listLabels(tx, owner, String(after?.[0] ?? ''), limit);
  return pageOf(rows, labelRecord, ({ label }) => [label]);
}

function labelRecord({ label, messages, unread }: store.LabelCount) {
  return { label, message_count: messages, unread_count: unread };
}

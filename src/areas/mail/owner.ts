import type { ChangeType } from '../../contract/change-types.ts';
import { emitBatch } from '../../storage/changes.ts';
import type { WorkspaceLock, WriteTransaction } from '../../storage/database.ts';

/** The owner of a mailbox: the scope of every statement of this area. A Principal is one. */
export interface MailboxOwner {
  workspaceId: string;
  userId: string;
}

/** The lock that every change of a mailbox takes, so that counts and threads stay exact. */
export function mailboxLock({ workspaceId, userId }: MailboxOwner): WorkspaceLock {
  return { workspaceId, scope: `mailbox ${userId}` };
}

/**
 * Locks several mailboxes, each once, in one global order, which prevents deadlocks. A transaction that writes into
 * more than one mailbox must call this for all of them before its first write.
 */
export async function lockMailboxes(tx: WriteTransaction, owners: readonly MailboxOwner[]): Promise<void> {
  const locks = [...new Map(owners.map((owner) => [owner.userId, mailboxLock(owner)]))];
  for (const [, lock] of locks.sort(([a], [b]) => Number(a > b) - Number(a < b))) await tx.lock(lock);
}

/** Reports to the owner of a mailbox what has happened to its folders and filters. */
export function emitToOwner(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  type: ChangeType & `${'folder' | 'filter'}.${string}`,
  ids: Readonly<Record<string, string>>,
): void {
  tx.emit({ workspaceId, type, viewers: [userId], ids });
}

/** Reports to the owner of a mailbox what has happened to messages; `ids` says in which folders they are. */
export function emitMessages(
  tx: WriteTransaction,
  { workspaceId, userId }: MailboxOwner,
  type: ChangeType & `message.${string}`,
  ids: Readonly<Record<string, string>>,
  messageIds: readonly string[],
): void {
  emitBatch(tx, { workspaceId, type, viewers: [userId], ids }, 'message_ids', messageIds);
}

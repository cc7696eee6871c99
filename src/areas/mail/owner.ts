/** Whose mailbox: the scope of every statement of this area. A Principal is one. */
export interface MailboxOwner {
  workspaceId: string;
  userId: string;
}

/** The lock under which everything that changes a mailbox runs, so that counts and threads stay exact. */
export function mailboxLock({ userId }: MailboxOwner): string {
  return `mailbox ${userId}`;
}

/** The owner of address books and contacts: the scope of every statement of this area. A Principal is one. */
export interface ContactsOwner {
  workspaceId: string;
  userId: string;
}

/** The lock that every change of contacts takes, so that counts stay exact and UIDs unique. */
export function contactsLock({ userId }: ContactsOwner): string {
  return `contacts ${userId}`;
}

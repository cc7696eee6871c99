import { mboxEntry } from '../../../formats/messages/mbox-write.ts';
import type { Database } from '../../../storage/database.ts';
import type { MessageStaging } from '../arrival/staging.ts';
import { getFolder } from '../folders/folders.ts';
import type { MessagePosition } from '../listing/listing-query.ts';
import type { MailboxOwner } from '../owner.ts';
import { listStoredMessages, type StoredMessage } from './export-store.ts';
import { notesOf } from './mbox-notes.ts';

/** What an export reads from. */
export interface ExportDependencies {
  database: Database;
  staging: MessageStaging;
}

/** Messages read at once; those that are kept in their rows are at most 100 KiB each. */
const PAGE_SIZE = 50;
const BEGINNING: MessagePosition = { date: Number.MIN_SAFE_INTEGER, number: 0 };

/**
 * The messages of a folder as entries of a mailbox file, oldest first. Memory is bounded by a page and the largest
 * message. Rejects with ApiError not_found for the folder, and when the storage fails.
 */
export async function* exportFolder(
  { database, staging }: ExportDependencies,
  owner: MailboxOwner,
  folderId: string,
): AsyncGenerator<Uint8Array[]> {
  await database.read((tx) => getFolder(tx, owner, folderId));
  let after = BEGINNING;
  for (;;) {
    const page = await database.read((tx) => listStoredMessages(tx, owner, folderId, after, PAGE_SIZE));
    for (const message of page) yield await entryOf(staging, message);
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    after = last;
  }
}

async function entryOf(staging: MessageStaging, message: StoredMessage): Promise<Uint8Array[]> {
  const content = await staging.open(message.location);
  const raw = content instanceof Uint8Array ? content : Buffer.concat(await content.toArray());
  const { date, flags } = message;
  const labels: string[] = JSON.parse(message.labels);
  return mboxEntry({ raw, receivedAt: date, notes: notesOf({ date, flags, labels }, raw.length) });
}

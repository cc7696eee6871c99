import type { WriteTransaction } from '../../../storage/database.ts';
import { openForMail, storeMessage } from '../arrival/appending.ts';
import type { StagedMessage } from '../arrival/staging.ts';
import type { FlagSet } from '../changes/flags.ts';
import { changeCounts } from '../folders/count-store.ts';
import { CountTally } from '../folders/count-tally.ts';
import type { MailboxOwner } from '../owner.ts';
import { countImported, noteImported } from './import-store.ts';

/** Where an import puts its messages. */
export interface ImportTarget {
  folderId: string;
  /** Whether they join conversations. */
  threading: boolean;
}

/** One message of an import. */
export interface ImportedMessage {
  staged: StagedMessage;
  flags: FlagSet;
  labels: readonly string[];
  /** Milliseconds since the epoch: when it came, for a message that does not say so itself. */
  deliveredAt: number;
  /** Whether that is when it came whatever the message says: an export has noted it. */
  isDelivery: boolean;
  /** The how-many-th of its kind it is in the source, from 1. */
  occurrence: number;
}

/**
 * Imports messages into a folder, except for those of which the import has brought as many copies already. So an import
 * that is run again adds nothing twice, whatever became of its messages, and a source that holds a message twice gives
 * it twice. Answers, for each, whether it was added. Throws ApiError not_found.
 */
export async function importMessages(
  tx: WriteTransaction,
  owner: MailboxOwner,
  target: ImportTarget,
  messages: readonly ImportedMessage[],
): Promise<boolean[]> {
  const { folderId } = target;
  await openForMail(tx, owner, folderId);
  const digests = new Set(messages.map(({ staged }) => staged.digest()));
  const copies = await countImported(tx, owner, folderId, [...digests]);
  const wanted = messages.map(({ staged, occurrence }) => occurrence > (copies.get(staged.digest()) ?? 0));
  const added = messages.filter((_, i) => wanted[i]);
  const tally = new CountTally();
  for (const { staged, flags, labels, deliveredAt, isDelivery } of added) {
    await storeMessage(tx, owner, { ...target, flags, labels, deliveredAt, isDelivery }, staged);
    tally.add({ folderId, flags });
  }
  await changeCounts(tx, owner, tally.changes());
  const copiesNow = added.map(({ staged, occurrence }) => [staged.digest(), occurrence] as const);
  await noteImported(tx, owner, folderId, new Map(copiesNow));
  return wanted;
}

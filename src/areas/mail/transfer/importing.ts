import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { openForMail, storeMessage } from '../arrival/appending.ts';
import type { StagedMessage } from '../arrival/staging.ts';
import type { FlagSet } from '../changes/flags.ts';
import { CountTally, changeCounts } from '../folders/count-store.ts';
import type { MailboxOwner } from '../owner.ts';

/** How many copies have been imported into a folder of the messages with these digests; of others nothing is told. */
async function countImported(
  tx: ReadTransaction,
  owner: MailboxOwner,
  folderId: string,
  digests: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('mail_imports')
    .select(['digest', 'copies'])
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('folder_id', '=', folderId)
    .where('digest', 'in', digests)
    .execute();
  return new Map(rows.map(({ digest, copies }) => [digest, copies]));
}

/** Notes how many copies of which messages have been imported into a folder by now. */
async function noteImported(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  copiesOf: ReadonlyMap<string, number>,
): Promise<void> {
  const scope = { workspace_id: owner.workspaceId, user_id: owner.userId, folder_id: folderId };
  const rows = [...copiesOf].map(([digest, copies]) => ({ ...scope, digest, copies }));
  if (rows.length === 0) return;
  await tx
    .insertInto('mail_imports')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'user_id', 'folder_id', 'digest'])
        .doUpdateSet(({ ref }) => ({ copies: ref('excluded.copies') })),
    )
    .execute();
}

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

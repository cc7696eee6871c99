import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { folderToChange, prepareToStore, storeMessage } from '../arrival/appending.ts';
import type { StagedMessage } from '../arrival/staging.ts';
import type { FlagSet } from '../changes/flags.ts';
import { CountTally, changeCounts } from '../folders/count-store.ts';
import { emitMessages, type MailboxOwner } from '../owner.ts';

/** By digest, how many copies of these messages have been imported into a folder. */
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

/** Stores how many copies of each message have been imported into a folder so far. */
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

/** The target of an import. */
export interface ImportTarget {
  folderId: string;
  /** Whether the messages join conversations. */
  threading: boolean;
}

/** One message of an import. */
export interface ImportedMessage {
  staged: StagedMessage;
  flags: FlagSet;
  labels: readonly string[];
  /** Milliseconds since the epoch: the date of a message whose headers state none. */
  deliveredAt: number;
  /** Whether `deliveredAt` overrides the headers: an export has stored it. */
  isDelivery: boolean;
  /** Its index among identical messages of the source, from 1. */
  occurrence: number;
}

/**
 * Imports messages into a folder, except for copies that an earlier run has imported already. So a repeated import adds
 * nothing twice, even if its messages were moved or expunged, and a source with two copies of a message yields two.
 * Returns, for each, whether it was added. Throws ApiError not_found.
 */
export async function importMessages(
  tx: WriteTransaction,
  owner: MailboxOwner,
  target: ImportTarget,
  messages: readonly ImportedMessage[],
): Promise<boolean[]> {
  const folder = await folderToChange(tx, owner, target.folderId);
  const folderId = folder.id;
  const digests = new Set(messages.map(({ staged }) => staged.digest()));
  const copies = await countImported(tx, owner, folderId, [...digests]);
  const wanted = messages.map(({ staged, occurrence }) => occurrence > (copies.get(staged.digest()) ?? 0));
  const added = messages.filter((_, i) => wanted[i]);
  const tally = new CountTally();
  const ids: string[] = [];
  for (const { staged, flags, labels, deliveredAt, isDelivery } of added) {
    const prepared = await prepareToStore(tx, owner, target, staged);
    const arrival = { folder, prepared, flags, labels, deliveredAt, isDelivery };
    const { id } = await storeMessage(tx, owner, arrival, staged);
    ids.push(id);
    tally.add({ folderId, flags });
  }
  await changeCounts(tx, owner, tally.changes());
  emitMessages(tx, owner, 'message.created', { folder_id: folderId }, ids);
  const copiesNow = added.map(({ staged, occurrence }) => [staged.digest(), occurrence] as const);
  await noteImported(tx, owner, folderId, new Map(copiesNow));
  return wanted;
}

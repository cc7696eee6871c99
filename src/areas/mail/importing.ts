import type { WriteTransaction } from '../../storage/database.ts';
import { type Arrival, appendMessage } from './appending.ts';
import { addImported, countImported } from './import-store.ts';
import { type MailboxOwner, mailboxLock } from './owner.ts';
import type { StagedMessage } from './staging.ts';

/**
 * Imports one message into a folder, unless the import has brought as many copies of it as this already: `occurrence`
 * tells the how-many-th of its kind it is in the source, from 1. So an import that is run again adds nothing twice,
 * whatever became of its messages, and a source that holds a message twice gives it twice.
 */
export async function importMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  arrival: Arrival,
  occurrence: number,
  staged: StagedMessage,
): Promise<'added' | 'present'> {
  await tx.lock(mailboxLock(owner));
  const imported = await countImported(tx, owner, arrival.folderId, staged.digest);
  if (imported >= occurrence) return 'present';
  await appendMessage(tx, owner, arrival, staged);
  await addImported(tx, owner, arrival.folderId, staged.digest);
  return 'added';
}

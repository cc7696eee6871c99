import { JsonText } from '../../api/answers.ts';
import { refuse } from '../../api/validation.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { openForMail } from './appending.ts';
import { batchIn } from './batch.ts';
import { type BatchMessage, storeFlags, storeLabels } from './batch-store.ts';
import { changeCounts } from './count-store.ts';
import { CountTally } from './count-tally.ts';
import { type FlagMasks, flagsJson } from './flags.ts';
import { changeFlagsOfLabels, insertLabels, removeLabels } from './label-store.ts';
import { flagMasks, type MarkChange, MOST_LABELS, marking } from './marks.ts';
import type { MailboxOwner } from './owner.ts';

interface Change {
  before: BatchMessage;
  after: BatchMessage;
}

/**
 * Changes flags and labels of messages of a folder; answers those of each message after the change, in the order asked.
 * Throws ApiError not_found, messages_not_in_folder, or validation_failed when a message would have too many labels.
 */
export async function changeMarks(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  messageIds: readonly string[],
  change: MarkChange,
): Promise<JsonText> {
  const folder = await openForMail(tx, owner, folderId);
  const mark = marking(change);
  const batch = await batchIn(tx, owner, folder, messageIds);
  const changes = batch.map((before) => ({ before, after: mark(before) }));
  refuseTooManyLabels(changes);
  await changeFlags(tx, owner, folderId, changes.filter(hasOtherFlags), flagMasks(change));
  await changeLabels(tx, owner, changes.filter(hasOtherLabels));
  return new JsonText(`[${changes.map(({ after }) => resultJson(after)).join(',')}]`);
}

function hasOtherFlags({ before, after }: Change): boolean {
  return before.flags !== after.flags;
}

function hasOtherLabels({ before, after }: Change): boolean {
  return before.labels !== after.labels;
}

function refuseTooManyLabels(changes: readonly Change[]): void {
  const isOver = ({ after }: Change) => JSON.parse(after.labels).length > MOST_LABELS;
  const over = changes.find((change) => hasOtherLabels(change) && isOver(change));
  if (!over) return;
  const message = `The message ${over.after.id} would have more than ${MOST_LABELS} labels.`;
  refuse([{ pointer: '/labels', code: 'too_many', message }]);
}

async function changeFlags(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  changes: readonly Change[],
  masks: FlagMasks,
): Promise<void> {
  if (changes.length === 0) return;
  const messages = changes.map(({ before }) => before);
  await storeFlags(tx, owner, messages, masks);
  await changeFlagsOfLabels(tx, owner, messages, masks);
  const tally = new CountTally();
  for (const { before, after } of changes)
    tally.move({ folderId, flags: before.flags }, { folderId, flags: after.flags });
  await changeCounts(tx, owner, tally.changes());
}

async function changeLabels(
  tx: WriteTransaction,
  owner: MailboxOwner,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const messages = changes.map(({ after }) => after);
  await storeLabels(tx, owner, messages);
  const labelled = changes.filter(({ before }) => before.labels !== '[]');
  await removeLabels(
    tx,
    owner,
    labelled.map(({ after }) => after),
  );
  await insertLabels(tx, owner, messages);
}

/** A flag change result of the interface. */
function resultJson({ id, flags, labels }: BatchMessage): string {
  return `{"id":"${id}","flags":${flagsJson(flags)},"labels":${labels}}`;
}

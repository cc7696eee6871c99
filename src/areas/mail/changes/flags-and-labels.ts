import { JsonText } from '../../../contract/answers.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { refuse } from '../../../contract/validation.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { folderToChange } from '../arrival/appending.ts';
import { type CountChange, CountTally, changeCounts } from '../folders/count-store.ts';
import { emitMessages, type MailboxOwner } from '../owner.ts';
import { getBatch, type NamedMessages } from './batch.ts';
import { storeFlags, storeFlagsAndLabels } from './batch-store.ts';
import {
  type BatchMessage,
  type ChangedMessage,
  changedMessages,
  type FlagsAndLabelsChange,
  flagMasks,
  flagsJson,
  MOST_LABEL_CHARACTERS,
  MOST_LABELS,
} from './flags.ts';
import { insertChangedLabels, removeChangedLabels, updateLabelFlags } from './label-store.ts';
import { FlagsAndLabelsChanges } from './schema.ts';

/**
 * Changes flags and labels of messages of a folder, all or none; returns the new flags and labels of each message in
 * the order of the request. Throws ApiError not_found, messages_not_in_folder, or validation_failed when a message
 * would have too many labels.
 */
export async function changeFlagsAndLabels(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { folderId, messageIds }: NamedMessages,
  change: FlagsAndLabelsChange,
): Promise<JsonText> {
  const { op, labels } = change;
  requireValues(FlagsAndLabelsChanges, { message_ids: messageIds, op, labels });
  const folder = await folderToChange(tx, owner, folderId);
  const messages = changedMessages(await getBatch(tx, owner, folder, messageIds), change);
  if (op !== 'remove') refuseTooManyLabels(messages);
  await storeChanges(tx, owner, folder.id, messages, change);
  return new JsonText(`[${messages.map(resultJson).join()}]`);
}

function hasOtherFlags({ flags, before }: ChangedMessage): boolean {
  return flags !== before.flags;
}

function hasOtherLabels({ labels, before }: ChangedMessage): boolean {
  return labels !== before.labels;
}

/** Refuses only messages whose labels change: a message that already has too many labels may keep them. */
export function refuseTooManyLabels(messages: readonly ChangedMessage[], pointer = '/labels'): void {
  const over = messages.find((message) => hasOtherLabels(message) && isOver(message));
  if (!over) return;
  const message = `The message ${over.id} would have more than ${MOST_LABELS} labels, or more than ${MOST_LABEL_CHARACTERS} characters of labels.`;
  refuse([{ pointer, code: 'too_many', message }]);
}

/** A label takes at least three characters of JSON, so short texts need not be parsed. */
function isOver({ labels }: ChangedMessage): boolean {
  if (labels.length > MOST_LABEL_CHARACTERS) return true;
  return labels.length > 3 * MOST_LABELS && JSON.parse(labels).length > MOST_LABELS;
}

async function storeChanges(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  messages: readonly ChangedMessage[],
  change: FlagsAndLabelsChange,
): Promise<void> {
  await storeRows(tx, owner, messages, change);
  await changeCounts(tx, owner, countChanges(folderId, messages.filter(hasOtherFlags)));
  const changed = messages.filter((message) => hasOtherLabels(message) || hasOtherFlags(message));
  emitMessages(
    tx,
    owner,
    'message.changed',
    { folder_id: folderId },
    changed.map(({ id }) => id),
  );
}

/** Stores changed flags and labels of messages of any folders; neither counts nor reports them. */
export async function storeRows(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messages: readonly ChangedMessage[],
  change: FlagsAndLabelsChange,
): Promise<void> {
  const masks = flagMasks(change);
  const relabelled = messages.filter(hasOtherLabels);
  const flagged = messages.filter(hasOtherFlags);
  await storeFlagsAndLabels(tx, owner, relabelled, masks);
  await storeFlags(tx, owner, relabelled.length === 0 ? flagged : flagged.filter(keepsLabels), masks);
  await removeChangedLabels(tx, owner, relabelled.map(before), change);
  // Rows of removed labels are gone, and rows of new labels are inserted with the new flags: only the others change.
  await updateLabelFlags(tx, owner, change.op === 'add' ? flagged.map(before) : flagged, masks);
  await insertChangedLabels(tx, owner, relabelled, change);
}

function keepsLabels(message: ChangedMessage): boolean {
  return !hasOtherLabels(message);
}

function before({ before }: ChangedMessage): BatchMessage {
  return before;
}

function countChanges(folderId: string, messages: readonly ChangedMessage[]): CountChange[] {
  const tally = new CountTally();
  for (const { before, flags } of messages)
    tally.move({ folderId, flags: before.flags }, { folderId, flags });
  return tally.changes();
}

/** The result for one message, as the interface defines it. */
function resultJson({ id, flags, labels }: BatchMessage): string {
  return `{"id":"${id}","flags":${flagsJson(flags)},"labels":${labels}}`;
}

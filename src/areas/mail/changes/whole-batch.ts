import { JsonText } from '../../../contract/answers.ts';
import { notFound } from '../../../contract/errors.ts';
import { requireValues } from '../../../contract/required-values.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { CountTally, changeCounts } from '../folders/count-store.ts';
import { type FoundFolder, findFolderIds } from '../folders/folder-store.ts';
import { getFolder } from '../folders/folders.ts';
import { emitMessages, type MailboxOwner, mailboxLock } from '../owner.ts';
import { type FiledMessage, findAnywhere, storeMoves } from './batch-store.ts';
import { type ChangedMessage, changedMessages, flagSet, flagsJson } from './flags.ts';
import { refuseTooManyLabels, storeRows } from './flags-and-labels.ts';
import { updateLabelFolder } from './label-store.ts';
import { MessageBatch } from './schema.ts';

/** A message before and after a batch. */
interface MessageChange {
  after: ChangedMessage;
  before: FiledMessage;
  fromId: string;
  toId: string;
}

/**
 * Changes flags and labels of messages of any folders, and moves them, all or none; returns each message in the order of
 * the request. Throws ApiError not_found for a message or the folder, or validation_failed when a message would have too
 * many labels.
 */
export async function changeWholeBatch(
  tx: WriteTransaction,
  owner: MailboxOwner,
  given: MessageBatch,
): Promise<JsonText> {
  requireValues(MessageBatch, given);
  await tx.lock(mailboxLock(owner));
  const to = given.move_to === undefined ? undefined : await getFolder(tx, owner, given.move_to);
  const batch = await getAnywhere(tx, owner, given.message_ids);
  const after = await storeFlagsAndLabels(tx, owner, batch, given);
  const folderIds = await findFolderIds(tx, owner, [
    ...new Set(batch.map(({ folderNumber }) => folderNumber)),
  ]);
  const changes = batch.map((before, i) => changeOf(before, after[i], to, folderIds));
  await storeFolders(tx, owner, changes, to);
  await storeCounts(tx, owner, changes);
  emitChanges(tx, owner, changes);
  return new JsonText(`[${changes.map(resultJson).join()}]`);
}

/** Throws ApiError not_found. */
async function getAnywhere(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageIds: readonly string[],
): Promise<FiledMessage[]> {
  const ids = [...new Set(messageIds)];
  const found = await findAnywhere(tx, owner, ids);
  return ids.map((id, i) => {
    const message = found[i];
    if (!message) throw notFound('message', id);
    return message;
  });
}

/** The messages as they are then; each still knows how it was before its last change only. */
async function storeFlagsAndLabels(
  tx: WriteTransaction,
  owner: MailboxOwner,
  batch: readonly FiledMessage[],
  { add_flags, remove_flags, add_labels = [], remove_labels = [] }: MessageBatch,
): Promise<ChangedMessage[]> {
  const removal = { op: 'remove', flags: flagSet(remove_flags ?? []), labels: remove_labels } as const;
  const addition = { op: 'add', flags: flagSet(add_flags ?? []), labels: add_labels } as const;
  const without = changedMessages(batch, removal);
  const after = changedMessages(without, addition);
  refuseTooManyLabels(after, '/add_labels');
  await storeRows(tx, owner, without, removal);
  await storeRows(tx, owner, after, addition);
  return after;
}

function changeOf(
  before: FiledMessage,
  changed: ChangedMessage | undefined,
  to: FoundFolder | undefined,
  folderIds: ReadonlyMap<number, string>,
): MessageChange {
  const fromId = folderIds.get(before.folderNumber) ?? '';
  const after = changed ?? { ...before, before };
  return { before, after, fromId, toId: to?.id ?? fromId };
}

async function storeFolders(
  tx: WriteTransaction,
  owner: MailboxOwner,
  changes: readonly MessageChange[],
  to: FoundFolder | undefined,
): Promise<void> {
  const moved = changes.filter(isMoved).map(({ after }) => after);
  if (!to || moved.length === 0) return;
  await storeMoves(tx, owner, moved, to.number);
  await updateLabelFolder(tx, owner, moved, to.number);
}

async function storeCounts(
  tx: WriteTransaction,
  owner: MailboxOwner,
  changes: readonly MessageChange[],
): Promise<void> {
  const tally = new CountTally();
  for (const { before, after, fromId, toId } of changes)
    tally.move({ folderId: fromId, flags: before.flags }, { folderId: toId, flags: after.flags });
  await changeCounts(tx, owner, tally.changes());
}

/** One change for each folder that messages were in: first what they carry, then where they are. */
function emitChanges(tx: WriteTransaction, owner: MailboxOwner, changes: readonly MessageChange[]): void {
  for (const [folderId, changed] of Map.groupBy(changes.filter(isChanged), ({ fromId }) => fromId))
    emitMessages(tx, owner, 'message.changed', { folder_id: folderId }, changed.map(idOf));
  for (const [folderId, moved] of Map.groupBy(changes.filter(isMoved), ({ fromId }) => fromId)) {
    const ids = { from_folder_id: folderId, folder_id: moved[0]?.toId ?? '' };
    emitMessages(tx, owner, 'message.moved', ids, moved.map(idOf));
  }
}

function isChanged({ before, after }: MessageChange): boolean {
  return before.flags !== after.flags || before.labels !== after.labels;
}

function isMoved({ fromId, toId }: MessageChange): boolean {
  return fromId !== toId;
}

function idOf({ before }: MessageChange): string {
  return before.id;
}

function resultJson({ after: { id, flags, labels }, toId }: MessageChange): string {
  return `{"id":"${id}","folder_id":"${toId}","flags":${flagsJson(flags)},"labels":${labels}}`;
}

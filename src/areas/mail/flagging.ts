import { JsonText } from '../../api/answers.ts';
import { type ApiError, notFound } from '../../api/errors.ts';
import { requireValues } from '../../api/required-values.ts';
import { invalid } from '../../api/validation.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { admitted, batchOf, findNamed, isAdmitted, type Outcome, runsOf } from './batch.ts';
import { type BatchMessage, storeFlags, storeMarks } from './batch-store.ts';
import { type CountChange, changeCounts } from './count-store.ts';
import { CountTally } from './count-tally.ts';
import { flagsJson } from './flags.ts';
import { findFolder } from './folder-store.ts';
import { changeFlagsOfLabels, putLabelsOn, takeLabelsOff } from './label-store.ts';
import { flagMasks, type MarkChange, type MarkedMessage, MOST_LABELS, marking } from './marks.ts';
import type { MailboxOwner } from './owner.ts';
import { MarkChanges } from './schema.ts';

/** A request to change flags and labels of messages of a folder. */
export interface MarkRequest {
  folderId: string;
  messageIds: readonly string[];
  change: MarkChange;
}

/**
 * Changes flags and labels of messages of a folder; answers those of each message after the change, in the order asked.
 * The mailbox lock is held. Throws ApiError not_found, messages_not_in_folder, or validation_failed when a message would
 * have too many labels.
 */
export async function changeMarks(
  tx: WriteTransaction,
  owner: MailboxOwner,
  request: MarkRequest,
): Promise<JsonText> {
  return admitted(await changeMarksOfEach(tx, owner, [request]));
}

/** Does what `changeMarks` does for each of several requests, one after the other; those that ask for the same at once. */
export async function changeMarksOfEach(
  tx: WriteTransaction,
  owner: MailboxOwner,
  requests: readonly MarkRequest[],
): Promise<Outcome<JsonText>[]> {
  const answers: Outcome<JsonText>[] = [];
  for (const run of runsOf(requests, ({ folderId, change }) => JSON.stringify([folderId, change]))) {
    for (const answer of await changeRun(tx, owner, run)) answers.push(answer);
  }
  return answers;
}

async function changeRun(
  tx: WriteTransaction,
  owner: MailboxOwner,
  run: readonly MarkRequest[],
): Promise<Outcome<JsonText>[]> {
  const [first] = run;
  if (!first) return [];
  const { folderId, change } = first;
  for (const { messageIds: message_ids } of run)
    requireValues(MarkChanges, { message_ids, op: change.op, labels: change.labels });
  const folder = await findFolder(tx, owner, folderId);
  if (!folder) return run.map(() => notFound('folder', folderId));
  const mark = marking(change);
  const named = await findNamed(tx, owner, folder, run);
  const outcomes = named.map((one) => marked(batchOf(one), mark));
  const changes = distinct(outcomes.filter(isAdmitted));
  await storeChanges(tx, owner, folderId, changes, change);
  return outcomes.map((outcome) => (isAdmitted(outcome) ? answerOf(outcome) : outcome));
}

function marked(
  batch: Outcome<BatchMessage[]>,
  mark: (message: BatchMessage) => MarkedMessage,
): Outcome<MarkedMessage[]> {
  if (!isAdmitted(batch)) return batch;
  const changes = batch.map(mark);
  return tooManyLabels(changes) ?? changes;
}

/** A message that several requests name changes once: that the same is asked for again makes no difference. */
function distinct(batches: readonly MarkedMessage[][]): readonly MarkedMessage[] {
  const [first = []] = batches;
  if (batches.length === 1) return first;
  const changes = new Map<number, MarkedMessage>();
  for (const batch of batches) for (const change of batch) changes.set(change.number, change);
  return [...changes.values()];
}

function answerOf(messages: readonly MarkedMessage[]): JsonText {
  return new JsonText(`[${messages.map(resultJson).join()}]`);
}

function hasOtherFlags({ flags, before }: MarkedMessage): boolean {
  return flags !== before.flags;
}

function hasOtherLabels({ labels, before }: MarkedMessage): boolean {
  return labels !== before.labels;
}

function tooManyLabels(changes: readonly MarkedMessage[]): ApiError | undefined {
  const over = changes.find((change) => hasOtherLabels(change) && isOver(change));
  if (!over) return undefined;
  const message = `The message ${over.id} would have more than ${MOST_LABELS} labels.`;
  return invalid([{ pointer: '/labels', code: 'too_many', message }]);
}

/** Each label takes three characters at least: short texts need not be read. */
function isOver({ labels }: MarkedMessage): boolean {
  return labels.length > 3 * MOST_LABELS && JSON.parse(labels).length > MOST_LABELS;
}

async function storeChanges(
  tx: WriteTransaction,
  owner: MailboxOwner,
  folderId: string,
  changes: readonly MarkedMessage[],
  change: MarkChange,
): Promise<void> {
  const masks = flagMasks(change);
  const relabelled = changes.filter(hasOtherLabels);
  const flagged = changes.filter(hasOtherFlags);
  await storeMarks(tx, owner, relabelled, masks);
  await storeFlags(tx, owner, relabelled.length === 0 ? flagged : flagged.filter(keepsLabels), masks);
  await takeLabelsOff(tx, owner, relabelled.map(before), change);
  // Labels that go and those that come are never told of the new flags: the ones are gone, the others know them.
  await changeFlagsOfLabels(tx, owner, change.op === 'add' ? flagged.map(before) : flagged, masks);
  await putLabelsOn(tx, owner, relabelled, change);
  await changeCounts(tx, owner, countChanges(folderId, flagged));
}

function keepsLabels(message: MarkedMessage): boolean {
  return !hasOtherLabels(message);
}

function before({ before }: MarkedMessage): BatchMessage {
  return before;
}

function countChanges(folderId: string, changes: readonly MarkedMessage[]): CountChange[] {
  const tally = new CountTally();
  for (const { before, flags } of changes) tally.move({ folderId, flags: before.flags }, { folderId, flags });
  return tally.changes();
}

/** A flag change result of the interface. */
function resultJson({ id, flags, labels }: BatchMessage): string {
  return `{"id":"${id}","flags":${flagsJson(flags)},"labels":${labels}}`;
}

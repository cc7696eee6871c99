import { notFound } from '../../api/errors.ts';
import type { WriteTransaction } from '../../storage/database.ts';
import { admitted, batchOf, findNamed, isAdmitted, type Named, type Outcome, runsOf } from './batch.ts';
import { type BatchMessage, storeFolder } from './batch-store.ts';
import { changeCounts } from './count-store.ts';
import { CountTally } from './count-tally.ts';
import { type FoundFolder, findFolder } from './folder-store.ts';
import { changeFolderOfLabels } from './label-store.ts';
import type { MailboxOwner } from './owner.ts';
import type { MoveResult } from './schema.ts';

/** A request to move messages of a folder to another. */
export interface MoveRequest {
  fromId: string;
  toId: string;
  messageIds: readonly string[];
}

/**
 * Moves messages of a folder to another. The mailbox lock is held. Throws ApiError not_found for either folder, or
 * messages_not_in_folder.
 */
export async function moveMessages(
  tx: WriteTransaction,
  owner: MailboxOwner,
  request: MoveRequest,
): Promise<MoveResult> {
  return admitted(await moveMessagesOfEach(tx, owner, [request]));
}

/** Does what `moveMessages` does for each of several requests, one after the other; those of one way at once. */
export async function moveMessagesOfEach(
  tx: WriteTransaction,
  owner: MailboxOwner,
  requests: readonly MoveRequest[],
): Promise<Outcome<MoveResult>[]> {
  const results: Outcome<MoveResult>[] = [];
  for (const run of runsOf(requests, ({ fromId, toId }) => JSON.stringify([fromId, toId]))) {
    for (const result of await moveRun(tx, owner, run)) results.push(result);
  }
  return results;
}

async function moveRun(
  tx: WriteTransaction,
  owner: MailboxOwner,
  run: readonly MoveRequest[],
): Promise<Outcome<MoveResult>[]> {
  const [first] = run;
  if (!first) return [];
  const { fromId, toId } = first;
  const from = await findFolder(tx, owner, fromId);
  if (!from) return run.map(() => notFound('folder', fromId));
  const to = await findFolder(tx, owner, toId);
  if (!to) return run.map(() => notFound('folder', toId));
  const named = await findNamed(tx, owner, from, run);
  // "moved counts messages whose folder changed."
  const batches = fromId === toId ? named.map(noneOf) : eachOnce(named);
  await storeMove(tx, owner, { from, to }, batches.filter(isAdmitted).flat());
  return batches.map((batch) => (isAdmitted(batch) ? { moved: batch.length, to_folder_id: toId } : batch));
}

/** Where all are there, that none of them moves. */
function noneOf(named: Named): Outcome<BatchMessage[]> {
  const batch = batchOf(named);
  return isAdmitted(batch) ? [] : batch;
}

/** What an earlier request has moved is not in the folder any more. */
function eachOnce(requests: readonly Named[]): Outcome<BatchMessage[]>[] {
  const moved = new Set<number>();
  return requests.map(({ ids, found }) => {
    const left = found.map((message) => (message && moved.has(message.number) ? undefined : message));
    const batch = batchOf({ ids, found: left });
    if (isAdmitted(batch)) for (const { number } of batch) moved.add(number);
    return batch;
  });
}

async function storeMove(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { from, to }: { from: FoundFolder; to: FoundFolder },
  messages: readonly BatchMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const tally = new CountTally();
  for (const { flags } of messages) tally.move({ folderId: from.id, flags }, { folderId: to.id, flags });
  await storeFolder(tx, owner, messages, to.number);
  await changeFolderOfLabels(tx, owner, messages, to.number);
  await changeCounts(tx, owner, tally.changes());
}

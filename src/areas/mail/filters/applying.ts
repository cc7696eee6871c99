import { notFound } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { openForMail } from '../arrival/appending.ts';
import { findBatch } from '../changes/batch-store.ts';
import { changeFlagsAndLabels } from '../changes/flags-and-labels.ts';
import { moveMessages } from '../changes/moving.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import { ensureFolder, getFolderByRole } from '../folders/folders.ts';
import type { MailboxOwner } from '../owner.ts';
import {
  changedFlags,
  type FilterOutcome,
  type FlagChange,
  outcomeOf,
  type RunningFilter,
} from './evaluation.ts';
import { getFilter } from './filters.ts';
import type { ScannedMessages } from './folder-scan.ts';
import type { Applied } from './schema.ts';

const MESSAGES_AT_ONCE = 1_000;

/** What is applied where. */
export interface FilterAndFolder {
  filterId: string;
  folderId: string;
}

/** The mail of a folder that a filter matches. */
export interface Matched {
  filter: RunningFilter;
  scanned: number;
  /** Of a folder of any size no more than this is kept in memory. */
  messageIds: readonly string[];
}

/** Looks at all messages of a scan. */
export async function match(
  filter: RunningFilter,
  portions: AsyncIterable<ScannedMessages>,
): Promise<Matched> {
  let scanned = 0;
  const messageIds: string[] = [];
  for await (const portion of portions) {
    scanned += portion.scanned;
    for (const { id } of portion.matching) messageIds.push(id);
  }
  return { filter, scanned, messageIds };
}

/**
 * Does what a filter says with the messages of a folder that it was found to match, as far as they are still there; all
 * or nothing. Throws ApiError not_found for the filter, also when it was not there to be matched, and for the folder.
 */
export async function applyFilter(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { filterId, folderId }: FilterAndFolder,
  matched: Matched | undefined,
): Promise<Applied> {
  await getFilter(tx, owner, filterId);
  if (!matched) throw notFound('mail_filter', filterId);
  const folder = await openForMail(tx, owner, folderId);
  const { filter, scanned, messageIds } = matched;
  const outcome = outcomeOf([filter]);
  const toId = messageIds.length > 0 ? await targetOf(tx, owner, outcome) : undefined;
  let changed = 0;
  for (let i = 0; i < messageIds.length; i += MESSAGES_AT_ONCE) {
    const some = messageIds.slice(i, i + MESSAGES_AT_ONCE);
    changed += await change(tx, owner, { folder, toId: toId ?? folderId, flags: outcome.flags }, some);
  }
  return { scanned, matched: messageIds.length, changed };
}

/** "apply treats discard as a move to the trash folder: mail already there is never dropped." */
async function targetOf(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { discarded, folder }: FilterOutcome,
): Promise<string | undefined> {
  if (discarded) return getFolderByRole(tx, owner, 'trash');
  return folder === undefined ? undefined : ensureFolder(tx, owner, folder);
}

/** Answers how many messages have another folder or other flags than before. */
async function change(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { folder, toId, flags }: { folder: FoundFolder; toId: string; flags: FlagChange },
  messageIds: readonly string[],
): Promise<number> {
  const found = await findBatch(tx, owner, folder.number, messageIds);
  const there = found.filter((message) => message !== undefined);
  const flagged = idsOf(there.filter((message) => changedFlags(message.flags, flags) !== message.flags));
  for (const op of ['add', 'remove'] as const) {
    if (flagged.length === 0 || flags[op] === 0) continue;
    const change = { op, flags: flags[op], labels: [] };
    await changeFlagsAndLabels(tx, owner, { folderId: folder.id, messageIds: flagged }, change);
  }
  if (toId === folder.id || there.length === 0) return flagged.length;
  await moveMessages(tx, owner, { folderId: folder.id, messageIds: idsOf(there) }, toId);
  return there.length;
}

function idsOf(messages: readonly { id: string }[]): string[] {
  return messages.map(({ id }) => id);
}

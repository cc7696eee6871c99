import { notFound } from '../../../contract/errors.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { folderToChange } from '../arrival/appending.ts';
import { findBatch } from '../changes/batch-store.ts';
import type { BatchMessage } from '../changes/flags.ts';
import { changeFlagsAndLabels } from '../changes/flags-and-labels.ts';
import { moveMessages } from '../changes/move-messages.ts';
import type { FoundFolder } from '../folders/folder-store.ts';
import { ensureFolder, getFolderByRole } from '../folders/folders.ts';
import type { MailboxOwner } from '../owner.ts';
import {
  changedFlags,
  combinedResult,
  type FilterResult,
  type FlagChange,
  type RunningFilter,
} from './evaluation.ts';
import { findFilter } from './filter-store.ts';
import { getFilter } from './filters.ts';
import { FolderScan, type ScanDependencies, type ScannedMessages } from './folder-scan.ts';
import type { Applied } from './schema.ts';

const MESSAGES_AT_ONCE = 1_000;

/** A filter and the folder that it is applied to. */
export interface FilterAndFolder {
  filterId: string;
  folderId: string;
}

/** The messages of a folder that a filter matches. */
export interface FilterMatches {
  filter: RunningFilter;
  scanned: number;
  /** Ids only: they are all that is held in memory, whatever the size of the folder. */
  messageIds: readonly string[];
}

/** Collects the matching messages of a complete scan. */
async function collectMatches(
  filter: RunningFilter,
  portions: AsyncIterable<ScannedMessages>,
): Promise<FilterMatches> {
  let scanned = 0;
  const messageIds: string[] = [];
  for await (const portion of portions) {
    scanned += portion.scanned;
    for (const { id } of portion.matching) messageIds.push(id);
  }
  return { filter, scanned, messageIds };
}

/**
 * Scans a folder for the messages that a filter matches, before the transaction that applies it; undefined for an
 * unknown filter.
 */
export async function findToApply(
  { database, staging }: ScanDependencies,
  owner: MailboxOwner,
  { filterId, folderId }: FilterAndFolder,
): Promise<FilterMatches | undefined> {
  const row = await database.read((tx) => findFilter(tx, owner, filterId));
  if (!row) return undefined;
  const filter = { id: row.id, name: row.name, rule: JSON.parse(row.rule) };
  return collectMatches(filter, new FolderScan(database, staging).scan(owner, [folderId], filter.rule));
}

/**
 * Applies the actions of a filter to the messages that it matched, as far as they are still in the folder; all or
 * nothing. Throws ApiError not_found for the folder, and for the filter if it did not exist at the scan or now.
 */
export async function applyFilter(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { filterId, folderId }: FilterAndFolder,
  matched: FilterMatches | undefined,
): Promise<Applied> {
  await getFilter(tx, owner, filterId);
  if (!matched) throw notFound('mail_filter', filterId);
  const folder = await folderToChange(tx, owner, folderId);
  const { filter, scanned, messageIds } = matched;
  const result = combinedResult([filter]);
  const toId = messageIds.length > 0 ? await targetOf(tx, owner, result) : undefined;
  let changed = 0;
  for (let i = 0; i < messageIds.length; i += MESSAGES_AT_ONCE) {
    const some = messageIds.slice(i, i + MESSAGES_AT_ONCE);
    changed += await change(
      tx,
      owner,
      { folder, toId: toId ?? folder.id, flags: result.flags, labels: result.labels },
      some,
    );
  }
  return { scanned, matched: messageIds.length, changed };
}

/** "apply treats discard as a move to the trash folder: mail already there is never dropped." */
async function targetOf(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { discarded, folder }: FilterResult,
): Promise<string | undefined> {
  if (discarded) return (await getFolderByRole(tx, owner, 'trash')).id;
  return folder === undefined ? undefined : (await ensureFolder(tx, owner, folder)).id;
}

/** What a filter does to the messages of a folder. */
interface Change {
  folder: FoundFolder;
  toId: string;
  flags: FlagChange;
  labels: readonly string[];
}

/** Returns how many messages changed their folder, flags or labels. */
async function change(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { folder, toId, flags, labels }: Change,
  messageIds: readonly string[],
): Promise<number> {
  const found = await findBatch(tx, owner, folder.number, messageIds);
  const there = found.filter((message) => message !== undefined);
  const flagged = idsOf(there.filter((message) => isMarked(message, flags, labels)));
  for (const op of ['add', 'remove'] as const) {
    const change = { op, flags: flags[op], labels: op === 'add' ? labels : [] };
    if (flagged.length === 0 || (change.flags === 0 && change.labels.length === 0)) continue;
    await changeFlagsAndLabels(tx, owner, { folderId: folder.id, messageIds: flagged }, change);
  }
  if (toId === folder.id || there.length === 0) return flagged.length;
  await moveMessages(tx, owner, { folderId: folder.id, messageIds: idsOf(there) }, toId);
  return there.length;
}

function isMarked(
  message: Pick<BatchMessage, 'flags' | 'labels'>,
  flags: FlagChange,
  labels: readonly string[],
): boolean {
  if (changedFlags(message.flags, flags) !== message.flags) return true;
  if (labels.length === 0) return false;
  const carried = new Set<string>(JSON.parse(message.labels));
  return labels.some((label) => !carried.has(label));
}

function idsOf(messages: readonly { id: string }[]): string[] {
  return messages.map(({ id }) => id);
}

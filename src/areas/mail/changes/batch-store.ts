import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { indexedTextsIn, integersIn, textMembersOf } from '../../../storage/query/json-parameters.ts';
import { inPortions } from '../../../storage/query/long-rows.ts';
import { isOfWorkspace } from '../../../storage/query/of-workspace.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { FolderNumber } from '../folders/folder-store.ts';
import type { MailboxOwner } from '../owner.ts';
import type { BatchMessage, FlagMasks } from './flags.ts';

/** Limits of one statement: the labels of a thousand messages can take two megabytes and would delay other requests. */
const MOST_LABELLED = { rows: 1_000, characters: 256 * 1024 };

interface Numbers {
  workspaceId: string;
  /** JSON array. */
  numbers: string;
}

/** Returns list positions instead of ids, and null for no labels: passing texts from the database is expensive. */
const selectBatch = statement((tx, p: { workspaceId: string; folderNumber: number; messageIds: string }) =>
  tx
    .selectFrom(indexedTextsIn(tx, p.messageIds, 'e'))
    .crossJoin('messages as t')
    .crossJoin('message_states as m')
    .select([
      'e.key as position',
      'm.number',
      'm.flags',
      sql<string | null>`nullif(m.labels, '[]')`.as('labels'),
    ])
    .whereRef('t.id', '=', 'e.value')
    .where(isOfWorkspace(tx, 't.workspace_id', p))
    .whereRef('m.number', '=', 't.number')
    .where('m.folder_number', '=', p.folderNumber)
    .where(isOfWorkspace(tx, 'm.workspace_id', p)),
);

/** The user is compared by the caller: a condition would tempt a planner to read all mail of the user. */
const selectAnywhere = statement((tx, p: { workspaceId: string; messageIds: string }) =>
  tx
    .selectFrom(indexedTextsIn(tx, p.messageIds, 'e'))
    .crossJoin('messages as t')
    .crossJoin('message_states as m')
    .select([
      'e.key as position',
      't.user_id as userId',
      'm.number',
      'm.flags',
      'm.folder_number as folderNumber',
      sql<string | null>`nullif(m.labels, '[]')`.as('labels'),
    ])
    .whereRef('t.id', '=', 'e.value')
    .where(isOfWorkspace(tx, 't.workspace_id', p))
    .whereRef('m.number', '=', 't.number')
    .where(isOfWorkspace(tx, 'm.workspace_id', p)),
);

const updateFlags = command((tx: WriteTransaction, p: Numbers & FlagMasks) =>
  tx
    .updateTable('message_states')
    .set({ flags: sql<number>`(flags & ${p.keep}) | ${p.add}` })
    .where(isOfWorkspace(tx, 'workspace_id', p))
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

const updateFlagsAndLabels = command(
  (tx: WriteTransaction, p: { workspaceId: string; labelsOf: string } & FlagMasks) =>
    tx
      .updateTable('message_states')
      .from(textMembersOf(tx, p.labelsOf, 'e'))
      .set({ flags: sql<number>`(flags & ${p.keep}) | ${p.add}`, labels: sql<string>`e.value` })
      .where(isOfWorkspace(tx, 'workspace_id', p))
      .where('number', '=', sql<number>`cast(e.key as bigint)`),
);

const updateFolder = command((tx: WriteTransaction, p: Numbers & { folderNumber: FolderNumber }) =>
  tx
    .updateTable('message_states')
    .set({ folder_number: p.folderNumber })
    .where(isOfWorkspace(tx, 'workspace_id', p))
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
);

/**
 * These messages in the order of the ids; undefined where a message is not in the folder. The folder belongs to one
 * user, so the query has no condition on the user: with one, SQLite would read the user's whole mailbox.
 */
export async function findBatch(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  folderNumber: FolderNumber,
  messageIds: readonly string[],
): Promise<(BatchMessage | undefined)[]> {
  const rows = await selectBatch(tx, { workspaceId, folderNumber, messageIds: JSON.stringify(messageIds) });
  const found = new Array<BatchMessage | undefined>(messageIds.length).fill(undefined);
  for (const { position, number, flags, labels } of rows)
    found[position] = { number, id: messageIds[position] ?? '', flags, labels: labels ?? '[]' };
  return found;
}

/** A message with the folder that it is in. */
export interface FiledMessage extends BatchMessage {
  folderNumber: FolderNumber;
}

/** These messages of any folders of the mailbox in the order of the ids; undefined where there is none. */
export async function findAnywhere(
  tx: ReadTransaction,
  { workspaceId, userId: ownerId }: MailboxOwner,
  messageIds: readonly string[],
): Promise<(FiledMessage | undefined)[]> {
  const rows = await selectAnywhere(tx, { workspaceId, messageIds: JSON.stringify(messageIds) });
  const found = new Array<FiledMessage | undefined>(messageIds.length).fill(undefined);
  for (const { position, userId, number, flags, labels, folderNumber } of rows) {
    if (userId !== ownerId) continue;
    found[position] = { number, id: messageIds[position] ?? '', flags, labels: labels ?? '[]', folderNumber };
  }
  return found;
}

/** Changes the flags of messages of this mailbox. */
export async function storeFlags(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly BatchMessage[],
  { keep, add }: FlagMasks,
): Promise<void> {
  if (messages.length === 0) return;
  await updateFlags(tx, { workspaceId, numbers: numbersOf(messages), keep, add });
}

/** Changes the flags of messages of this mailbox and replaces their labels by the given ones. */
export async function storeFlagsAndLabels(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly BatchMessage[],
  { keep, add }: FlagMasks,
): Promise<void> {
  for await (const portion of inPortions(messages, ({ labels }) => labels.length, MOST_LABELLED)) {
    const members = portion.map(({ number, labels }) => `"${number}":${JSON.stringify(labels)}`);
    await updateFlagsAndLabels(tx, { workspaceId, labelsOf: `{${members.join()}}`, keep, add });
  }
}

/** Moves messages of this mailbox to another of its folders. */
export async function storeMoves(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly BatchMessage[],
  folderNumber: FolderNumber,
): Promise<void> {
  await updateFolder(tx, { workspaceId, numbers: numbersOf(messages), folderNumber });
}

/** As a JSON array. */
function numbersOf(messages: readonly BatchMessage[]): string {
  return JSON.stringify(messages.map(({ number }) => number));
}

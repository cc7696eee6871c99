import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { integersIn } from '../../../storage/query/json-parameters.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import { type FoundFolder, folderNumber } from '../folders/folder-store.ts';
import { isInStream } from '../listing/listing-query.ts';
import type { MessagePosition } from '../listing/listing-store.ts';
import type { MessageRow } from '../messages/message-store.ts';
import type { MailboxOwner } from '../owner.ts';
import type { FlagSet } from './flags.ts';

/** Columns that an expunged message keeps. */
const MESSAGE_COLUMNS = ['workspace_id', 'user_id', 'number', 'id', 'thread_id', 'summary'] as const;
const STATE_COLUMNS = ['folder_number', 'date', 'flags', 'labels'] as const;

interface Values {
  workspaceId: string;
  /** JSON array. */
  numbers: string;
}

const selectPositions = statement(
  (tx, p: MailboxOwner & { folderId: string; flags: FlagSet; date: number; number: number; most: number }) =>
    tx
      .selectFrom('message_states as m')
      .select(['m.date', 'm.number'])
      .where('m.workspace_id', '=', p.workspaceId)
      .where(isInStream('m', folderNumber(tx, p, p.folderId), p.flags))
      .where(({ eb, refTuple, tuple }) => eb(refTuple('m.date', 'm.number'), '>', tuple(p.date, p.number)))
      .orderBy('m.date')
      .orderBy('m.number')
      .limit(p.most),
);

const copyRows = command((tx: WriteTransaction, p: Values) =>
  tx
    .insertInto('expunged_messages')
    .columns([...MESSAGE_COLUMNS, ...STATE_COLUMNS])
    .expression(
      tx
        .selectFrom('messages as t')
        .innerJoin('message_states as m', (join) =>
          join.onRef('m.workspace_id', '=', 't.workspace_id').onRef('m.number', '=', 't.number'),
        )
        .select(MESSAGE_COLUMNS.map((column) => `t.${column}` as const))
        .select(STATE_COLUMNS.map((column) => `m.${column}` as const))
        .where('t.workspace_id', '=', p.workspaceId)
        .where('t.number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
    ),
);

const deletion = (tx: WriteTransaction, table: 'messages' | 'message_states', p: Values) =>
  tx
    .deleteFrom(table)
    .where('workspace_id', '=', p.workspaceId)
    .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value'));

const deleteMessages = statement((tx: WriteTransaction, p: Values) =>
  deletion(tx, 'messages', p).returning('id'),
);
const deleteStates = command((tx: WriteTransaction, p: Values) => deletion(tx, 'message_states', p));

/**
 * The first messages of a folder with exactly these flags after a position, oldest first. The folder belongs to the
 * owner.
 */
export function listPositions(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  { folderId, flags }: { folderId: string; flags: FlagSet },
  after: MessagePosition,
  most: number,
): Promise<MessagePosition[]> {
  return selectPositions(tx, { ...after, workspaceId, userId, folderId, flags, most });
}

/** Moves messages of this mailbox to the expunged ones; their content stays. Returns their ids. */
export async function moveToExpunged(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly MessagePosition[],
): Promise<string[]> {
  const values = { workspaceId, numbers: JSON.stringify(messages.map(({ number }) => number)) };
  await copyRows(tx, values);
  const moved = await deleteMessages(tx, values);
  await deleteStates(tx, values);
  return moved.map(({ id }) => id);
}

/** An expunged message with the folder that it left. */
export interface ExpungedMessage extends Omit<MessageRow, 'folder_id'> {
  /** Its original number, so that it returns to its position among messages of the same date. */
  number: number;
  /** Undefined if it no longer exists. */
  folder: Pick<FoundFolder, 'id' | 'number'> | undefined;
}

/** Removes a message of this mailbox from the expunged ones and returns it; undefined when it is not expunged. */
export async function takeExpunged(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<ExpungedMessage | undefined> {
  const found = await tx
    .selectFrom('expunged_messages as e')
    .leftJoin('mail_folders as f', (join) =>
      join.onRef('f.workspace_id', '=', 'e.workspace_id').onRef('f.number', '=', 'e.folder_number'),
    )
    .select([
      'e.number',
      'e.id',
      'f.id as folderId',
      'f.number as folderNumber',
      'e.thread_id',
      'e.date',
      'e.flags',
      'e.labels',
      'e.summary',
    ])
    .where('e.workspace_id', '=', owner.workspaceId)
    .where('e.user_id', '=', owner.userId)
    .where('e.id', '=', messageId)
    .executeTakeFirst();
  if (!found) return undefined;
  await tx
    .deleteFrom('expunged_messages')
    .where('workspace_id', '=', owner.workspaceId)
    .where('id', '=', messageId)
    .execute();
  const { folderId, folderNumber, ...message } = found;
  const isLeft = folderId === null || folderNumber === null;
  return { ...message, folder: isLeft ? undefined : { id: folderId, number: folderNumber } };
}

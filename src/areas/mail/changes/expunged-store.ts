import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { integersIn } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { folderNumber } from '../folders/folder-store.ts';
import { isInStream } from '../listing/listing-query.ts';
import type { MessagePosition } from '../listing/listing-store.ts';
import type { MessageRow } from '../messages/message-store.ts';
import type { MailboxOwner } from '../owner.ts';
import type { FlagSet } from './flags.ts';

/** What of a message stays as it was. */
const KEPT = ['workspace_id', 'user_id', 'number', 'id', 'thread_id', 'summary'] as const;
const KEPT_OF_STATE = ['folder_number', 'date', 'flags', 'labels'] as const;

interface Values {
  workspaceId: string;
  /** JSON array. */
  numbers: string;
}

const selectPlaces = statement(
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

const copyRows = statement((tx: WriteTransaction, p: Values) =>
  tx
    .insertInto('expunged_messages')
    .columns([...KEPT, ...KEPT_OF_STATE])
    .expression(
      tx
        .selectFrom('messages as t')
        .innerJoin('message_states as m', (join) =>
          join.onRef('m.workspace_id', '=', 't.workspace_id').onRef('m.number', '=', 't.number'),
        )
        .select(KEPT.map((column) => `t.${column}` as const))
        .select(KEPT_OF_STATE.map((column) => `m.${column}` as const))
        .where('t.workspace_id', '=', p.workspaceId)
        .where('t.number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
    ),
);

const deletion = (table: 'messages' | 'message_states') =>
  statement((tx: WriteTransaction, p: Values) =>
    tx
      .deleteFrom(table)
      .where('workspace_id', '=', p.workspaceId)
      .where('number', 'in', tx.selectFrom(integersIn(tx, p.numbers, 'e')).select('e.value')),
  );

const deleteMessages = deletion('messages');
const deleteStates = deletion('message_states');

/**
 * The first messages of a folder with exactly these flags that come after a place, oldest first. The folder is the
 * owner's.
 */
export function listPlaces(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  { folderId, flags }: { folderId: string; flags: FlagSet },
  after: MessagePosition,
  most: number,
): Promise<MessagePosition[]> {
  return selectPlaces(tx, { ...after, workspaceId, userId, folderId, flags, most });
}

/** Puts messages of this mailbox apart; their content stays. */
export async function setApart(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  messages: readonly MessagePosition[],
): Promise<void> {
  const values = { workspaceId, numbers: JSON.stringify(messages.map(({ number }) => number)) };
  await copyRows(tx, values);
  await deleteMessages(tx, values);
  await deleteStates(tx, values);
}

/** A message that was set apart, with the folder that it left; null where that is gone. */
export interface ExpungedMessage extends Omit<MessageRow, 'folder_id'> {
  /** The one that it had: it takes its old place among messages of the same date. */
  number: number;
  folderId: string | null;
}

/** Takes a message of this mailbox from those that were set apart; undefined when it is not among them. */
export async function takeBack(
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
  return found;
}

import type { ReadTransaction, WriteTransaction } from '../../storage/database.ts';
import { textsIn } from '../../storage/elements.ts';
import { statement } from '../../storage/statement.ts';
import type { FlagSet } from './flags.ts';
import type { MessagePlace } from './listing-store.ts';
import type { MessageRow } from './message-store.ts';
import type { MailboxOwner } from './owner.ts';

const ROW = ['id', 'folder_id', 'thread_id', 'date', 'flags', 'labels', 'summary'] as const;
const SCOPED_ROW = ['workspace_id', 'user_id', ...ROW] as const;

interface Values {
  workspaceId: string;
  /** JSON array. */
  messageIds: string;
}

const selectPlaces = statement(
  (
    tx,
    p: { workspaceId: string; folderId: string; flags: FlagSet; date: number; id: string; most: number },
  ) =>
    tx
      .selectFrom('messages')
      .select(['date', 'id'])
      .where('workspace_id', '=', p.workspaceId)
      .where('folder_id', '=', p.folderId)
      .where('flags', '=', p.flags)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('date', 'id'), '>', tuple(p.date, p.id)))
      .orderBy('date')
      .orderBy('id')
      .limit(p.most),
);

const copyRows = statement((tx: WriteTransaction, p: Values) =>
  tx
    .insertInto('expunged_messages')
    .columns([...SCOPED_ROW])
    .expression(
      tx
        .selectFrom('messages')
        .select(SCOPED_ROW)
        .where('workspace_id', '=', p.workspaceId)
        .where('id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value')),
    ),
);

const deleteRows = statement((tx: WriteTransaction, p: Values) =>
  tx
    .deleteFrom('messages')
    .where('workspace_id', '=', p.workspaceId)
    .where('id', 'in', tx.selectFrom(textsIn(tx, p.messageIds, 'e')).select('e.value')),
);

/**
 * The first messages of a folder with exactly these flags that come after a place, oldest first. The folder is the
 * owner's.
 */
export function listPlaces(
  tx: ReadTransaction,
  { workspaceId }: MailboxOwner,
  stream: { folderId: string; flags: FlagSet },
  after: MessagePlace,
  most: number,
): Promise<MessagePlace[]> {
  return selectPlaces(tx, { workspaceId, ...stream, ...after, most });
}

/** Puts messages of this mailbox apart; their content stays. */
export async function setApart(
  tx: WriteTransaction,
  { workspaceId }: MailboxOwner,
  ids: readonly string[],
): Promise<void> {
  const values = { workspaceId, messageIds: JSON.stringify(ids) };
  await copyRows(tx, values);
  await deleteRows(tx, values);
}

/** Takes a message of this mailbox from those that were set apart; undefined when it is not among them. */
export async function takeBack(
  tx: WriteTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<MessageRow | undefined> {
  return tx
    .deleteFrom('expunged_messages')
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('id', '=', messageId)
    .returning(ROW)
    .executeTakeFirst();
}

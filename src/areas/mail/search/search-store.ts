import { sql } from 'kysely';
import type { ReadTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import { isAfterKey, orderOfKeys, type StoredKey } from '../../../storage/query/stored-keys.ts';
import { contents } from '../messages/content-store.ts';
import { messageRows } from '../messages/message-rows.ts';
import type { MailboxOwner } from '../owner.ts';

/** A message with its texts, of any mailbox of a workspace. */
export interface TextRow {
  id: string;
  user_id: string;
  date: number;
  /** Members of the summary, as JSON without braces. */
  summary: string;
  /** Members that the full record adds, as JSON without braces. */
  record: string;
}

const messagesWithTexts = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('messages as t')
    .innerJoin('message_states as m', (join) =>
      join.onRef('m.workspace_id', '=', 't.workspace_id').onRef('m.number', '=', 't.number'),
    )
    .innerJoin(contents(tx, p.workspaceId).as('c'), (join) =>
      join.onRef('c.workspace_id', '=', 't.workspace_id').onRef('c.number', '=', 't.number'),
    )
    .select(['t.id', 't.user_id', 'm.date', 't.summary', 'c.record'])
    .where('t.workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 't.id', p.ids)),
);

/** The messages with these ids, of whatever mailbox of the workspace, in any order. */
export function findTexts(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<TextRow[]> {
  return messagesWithTexts(tx, { workspaceId, ids: JSON.stringify(ids) });
}

/** A message as it stands in a list, with what a search asks of it. */
export interface FoundRow {
  id: string;
  summary: string;
  flags: number;
  /** JSON array. */
  labels: string;
  size: number;
  folder_id: string;
  folder_name: string;
  folder_role: string | null;
  /** 1 where the folder has that role or lies below the one that has it, else 0. */
  in_trash: number;
  in_junk: number;
}

/** The roles of the folders whose mail a search leaves out unless it names them. */
export const SET_ASIDE = ['trash', 'junk'] as const;

/**
 * Whether the folder of a row has the role or lies below the folder that has it. The subquery depends on no row, so those folders
 * are gathered once for a statement.
 */
function liesIn(role: (typeof SET_ASIDE)[number], { workspaceId, userId }: MailboxOwner) {
  return sql<number>`case when f.id in (
    with recursive down(id) as (
      select id from mail_folders
      where workspace_id = ${workspaceId} and user_id = ${userId} and role = ${sql.lit(role)}
      union
      select below.id from down join mail_folders as below on below.parent_id = down.id
      where below.workspace_id = ${workspaceId} and below.user_id = ${userId}
    ) select id from down
  ) then 1 else 0 end`;
}

const messagesOfOwner = statement((tx, p: MailboxOwner & { ids: string }) =>
  messageRows(tx)
    .select([
      't.id',
      't.summary',
      'm.flags',
      'm.labels',
      'c.size',
      'f.id as folder_id',
      'f.name as folder_name',
      'f.role as folder_role',
      liesIn('trash', p).as('in_trash'),
      liesIn('junk', p).as('in_junk'),
    ])
    .where('t.workspace_id', '=', p.workspaceId)
    .where('t.user_id', '=', p.userId)
    .where(isAmong(tx, 't.id', p.ids)),
);

/** The messages of a mailbox with these ids, in any order. */
export function findListed(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  ids: readonly string[],
): Promise<FoundRow[]> {
  return messagesOfOwner(tx, { workspaceId, userId, ids: JSON.stringify(ids) });
}

const messagesAfter = statement((tx, p: StoredKey & { limit: number }) =>
  tx
    .selectFrom('messages')
    .select(['workspace_id as workspaceId', 'id'])
    .where(isAfterKey(tx, p))
    .orderBy(orderOfKeys(tx))
    .limit(p.limit),
);

/** The messages of all workspaces after a key, for a build of the index. */
export function listKeysAfter(tx: ReadTransaction, after: StoredKey, limit: number): Promise<StoredKey[]> {
  return messagesAfter(tx, { ...after, limit });
}

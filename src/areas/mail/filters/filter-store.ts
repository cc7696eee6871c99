import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/statement.ts';
import type { MailFilters as FilterRow } from '../../../storage/tables.ts';
import type { MailboxOwner } from '../owner.ts';

export type { FilterRow };

/** A filter's place in the order in which filters run. */
export interface FilterPlace {
  priority: number;
  id: string;
}

const selectEnabled = statement((tx, p: MailboxOwner) =>
  tx
    .selectFrom('mail_filters')
    .select(['id', 'name', 'rule'])
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('enabled', '=', 1)
    .orderBy('priority')
    .orderBy('id'),
);

/** The filters of a mailbox that are enabled, in the order in which they run. */
export function listEnabledFilters(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
): Promise<Pick<FilterRow, 'id' | 'name' | 'rule'>[]> {
  return selectEnabled(tx, { workspaceId, userId });
}

/** The filters of a mailbox after a place, in the order in which they run. */
export async function listFilters(
  tx: ReadTransaction,
  owner: MailboxOwner,
  after: FilterPlace | undefined,
  limit: number,
): Promise<FilterRow[]> {
  let filters = tx
    .selectFrom('mail_filters')
    .selectAll()
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId);
  if (after) {
    filters = filters.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('priority', 'id'), '>', tuple(after.priority, after.id)),
    );
  }
  return filters.orderBy('priority').orderBy('id').limit(limit).execute();
}

export async function findFilter(
  tx: ReadTransaction,
  owner: MailboxOwner,
  id: string,
): Promise<FilterRow | undefined> {
  return tx
    .selectFrom('mail_filters')
    .selectAll()
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertFilter(tx: WriteTransaction, row: FilterRow): Promise<void> {
  await tx.insertInto('mail_filters').values(row).execute();
}

/** Replaces what can change of a filter. */
export async function updateFilter(tx: WriteTransaction, row: FilterRow): Promise<void> {
  const { name, priority, enabled, rule, updated_at } = row;
  await tx
    .updateTable('mail_filters')
    .set({ name, priority, enabled, rule, updated_at })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.id)
    .execute();
}

/** Answers whether there was one. */
export async function removeFilter(tx: WriteTransaction, owner: MailboxOwner, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('mail_filters')
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** How many filters a mailbox has, and the characters of their rules. */
export async function measureFilters(
  tx: ReadTransaction,
  owner: MailboxOwner,
): Promise<{ filters: number; characters: number }> {
  const row = await tx
    .selectFrom('mail_filters')
    .select(({ fn }) => fn.countAll<number>().as('filters'))
    .select(sql<number>`coalesce(sum(length(rule)), 0)`.as('characters'))
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .executeTakeFirstOrThrow();
  return { filters: Number(row.filters), characters: Number(row.characters) };
}

import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { MailFilters as FilterRow } from '../../../storage/schema/tables.ts';
import type { MailboxOwner } from '../owner.ts';

export type { FilterRow };

/** The columns of a filter that are needed to run it. */
export type EnabledFilter = Pick<FilterRow, 'id' | 'name' | 'rule'>;

/** The position of a filter in the order in which filters run. */
export interface FilterPosition {
  priority: number;
  id: string;
}

function ofMailbox(tx: ReadTransaction, p: MailboxOwner) {
  return tx
    .selectFrom('mail_filters')
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId);
}

function inOrder(tx: ReadTransaction, p: MailboxOwner) {
  return ofMailbox(tx, p).orderBy('priority').orderBy('id');
}

const selectEnabled = statement((tx, p: MailboxOwner) =>
  inOrder(tx, p).select(['id', 'name', 'rule']).where('enabled', '=', 1),
);

/** The enabled filters of a mailbox in the order in which they run. */
export function listEnabledFilters(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
): Promise<readonly EnabledFilter[]> {
  return selectEnabled(tx, { workspaceId, userId });
}

const selectFirst = statement((tx, p: MailboxOwner & { limit: number }) =>
  inOrder(tx, p).selectAll().limit(p.limit),
);
const selectAfter = statement((tx, p: MailboxOwner & FilterPosition & { limit: number }) =>
  inOrder(tx, p)
    .selectAll()
    .where(({ eb, refTuple, tuple }) => eb(refTuple('priority', 'id'), '>', tuple(p.priority, p.id)))
    .limit(p.limit),
);

/** The filters of a mailbox after a position, in the order in which they run. */
export function listFilters(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
  after: FilterPosition | undefined,
  limit: number,
): Promise<FilterRow[]> {
  return after
    ? selectAfter(tx, { ...after, workspaceId, userId, limit })
    : selectFirst(tx, { workspaceId, userId, limit });
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

/** Replaces the changeable columns of a filter. */
export async function updateFilter(tx: WriteTransaction, row: FilterRow): Promise<void> {
  const { name, priority, enabled, rule, updated_at } = row;
  await tx
    .updateTable('mail_filters')
    .set({ name, priority, enabled, rule, updated_at })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.id)
    .execute();
}

/** Returns whether the filter existed. */
export async function removeFilter(tx: WriteTransaction, owner: MailboxOwner, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('mail_filters')
    .where('workspace_id', '=', owner.workspaceId)
    .where('user_id', '=', owner.userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

const measure = statement((tx, p: MailboxOwner) =>
  ofMailbox(tx, p)
    .select(({ fn }) => fn.countAll<number>().as('filters'))
    .select(sql<number>`coalesce(sum(length(rule)), 0)`.as('characters')),
);

/** How many filters a mailbox has, and the characters of their rules. */
export async function measureFilters(
  tx: ReadTransaction,
  { workspaceId, userId }: MailboxOwner,
): Promise<{ filters: number; characters: number }> {
  const [row] = await measure(tx, { workspaceId, userId });
  return { filters: Number(row?.filters ?? 0), characters: Number(row?.characters ?? 0) };
}

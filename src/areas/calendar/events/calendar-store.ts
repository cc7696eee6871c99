import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { ROWS_A_PORTION, readInPortions } from '../../../storage/query/json-parameters.ts';
import { statement } from '../../../storage/query/statement.ts';
import type { Calendars as CalendarRow } from '../../../storage/schema/tables.ts';
import type { CalendarOwner } from '../owner.ts';

export type { CalendarRow };

const COLUMNS = [
  'workspace_id',
  'user_id',
  'id',
  'name',
  'color',
  'time_zone',
  'created_at',
  'updated_at',
] as const;

const ownAfter = statement((tx, p: CalendarOwner & { after: string }) =>
  tx
    .selectFrom('calendars')
    .select(COLUMNS)
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(sql.lit(ROWS_A_PORTION)),
);

const findOwn = statement((tx, p: CalendarOwner & { id: string }) =>
  tx
    .selectFrom('calendars')
    .select(COLUMNS)
    .where('workspace_id', '=', p.workspaceId)
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id),
);

/** All calendars of a user in order of creation, in portions. */
export function listCalendars(
  tx: ReadTransaction,
  { workspaceId, userId }: CalendarOwner,
): AsyncGenerator<readonly CalendarRow[]> {
  return readInPortions((last) => ownAfter(tx, { workspaceId, userId, after: last?.id ?? '' }));
}

/** A calendar of this user. */
export async function findCalendar(
  tx: ReadTransaction,
  { workspaceId, userId }: CalendarOwner,
  id: string,
): Promise<CalendarRow | undefined> {
  const [row] = await findOwn(tx, { workspaceId, userId, id });
  return row;
}

export async function insertCalendar(tx: WriteTransaction, calendar: CalendarRow): Promise<void> {
  await tx.insertInto('calendars').values(calendar).execute();
}

export async function updateCalendar(tx: WriteTransaction, calendar: CalendarRow): Promise<void> {
  const { workspace_id, user_id, id, name, color, time_zone, updated_at } = calendar;
  await tx
    .updateTable('calendars')
    .set({ name, color, time_zone, updated_at })
    .where('workspace_id', '=', workspace_id)
    .where('user_id', '=', user_id)
    .where('id', '=', id)
    .execute();
}

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { inPortions, listedText } from '../../../storage/query/long-rows.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { Calendars, CalendarEvents as EventRow } from '../../../storage/schema/tables.ts';
import type { CalendarOwner } from '../owner.ts';

/** A statement accepts a limited number of parameters; a version takes three. */
const VERSIONS_A_STATEMENT = 5_000;

const findVersions = statement((tx, p: { workspaceId: string; holders: string }) =>
  tx
    .selectFrom('calendar_versions')
    .select(['holder', 'version'])
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'holder', p.holders)),
);

/** The same for at most two holders, the usual case of one person with one address: twice as fast. */
const findVersionsOfTwo = statement((tx, p: { workspaceId: string; first: string; second: string }) =>
  tx
    .selectFrom('calendar_versions')
    .select(['holder', 'version'])
    .where('workspace_id', '=', p.workspaceId)
    .where('holder', 'in', [p.first, p.second]),
);

/** The versions of those holders whose busy times have ever changed. */
export async function listVersions(
  tx: ReadTransaction,
  workspaceId: string,
  holders: readonly string[],
): Promise<Map<string, string>> {
  const rows = await versionRows(tx, workspaceId, holders);
  return new Map(rows.map(({ holder, version }) => [holder, version]));
}

function versionRows(tx: ReadTransaction, workspaceId: string, holders: readonly string[]) {
  const [first, second = first] = holders;
  if (holders.length <= 2 && first !== undefined && second !== undefined)
    return findVersionsOfTwo(tx, { workspaceId, first, second });
  return findVersions(tx, { workspaceId, holders: JSON.stringify(holders) });
}

/**
 * Sets a new version for holders, in the transaction that changes their busy times. Random, because a counter could
 * repeat a number after a crash.
 */
export async function renewVersions(
  tx: WriteTransaction,
  workspaceId: string,
  holders: Iterable<string>,
): Promise<void> {
  const version = randomUUID();
  // Sorted, so that transactions lock the same rows in the same order and cannot deadlock.
  const rows = [...new Set(holders)].sort().map((holder) => ({ workspace_id: workspaceId, holder, version }));
  for (let i = 0; i < rows.length; i += VERSIONS_A_STATEMENT) {
    await tx
      .insertInto('calendar_versions')
      .values(rows.slice(i, i + VERSIONS_A_STATEMENT))
      .onConflict((conflict) => conflict.columns(['workspace_id', 'holder']).doUpdateSet({ version }))
      .execute();
  }
}

export type { EventRow };

/**
 * A statement accepts a limited number of parameters (32,766 in SQLite, 65,535 in PostgreSQL); an event takes eleven.
 * Between statements other users can run: some events are thousands of times as long as most.
 */
const A_STATEMENT = { rows: 1_000, characters: 1024 * 1024 };

const COLUMNS = [
  'workspace_id',
  'user_id',
  'id',
  'calendar_id',
  'uid',
  'time_zone',
  'definition',
  'resources',
  'sequence',
  'created_at',
  'updated_at',
] as const;

/** The columns of a list of events. A long definition is "" and is read separately. */
const LISTED_COLUMNS = [
  ...COLUMNS.filter((column) => column !== 'definition'),
  listedText('definition').as('definition'),
] as const;

const findById = statement((tx, p: { workspaceId: string; id: string }) =>
  tx
    .selectFrom('calendar_events')
    .select(COLUMNS)
    .where('workspace_id', '=', p.workspaceId)
    .where('id', '=', p.id),
);

/** An event of the workspace, of any owner. */
export async function findEvent(
  tx: ReadTransaction,
  { workspaceId }: Pick<CalendarOwner, 'workspaceId'>,
  id: string,
): Promise<EventRow | undefined> {
  const [row] = await findById(tx, { workspaceId, id });
  return row;
}

const findByIds = statement((tx, p: { workspaceId: string; ids: string }) =>
  tx
    .selectFrom('calendar_events')
    .select(LISTED_COLUMNS)
    .where('workspace_id', '=', p.workspaceId)
    .where(isAmong(tx, 'id', p.ids)),
);

/** Reads long definitions one by one: few are in memory, and other users can run between the statements. */
async function* eachWhole(tx: ReadTransaction, rows: readonly EventRow[]): AsyncGenerator<EventRow> {
  for (const row of rows) {
    const found =
      row.definition === '' ? await findEvent(tx, { workspaceId: row.workspace_id }, row.id) : row;
    if (found) yield found;
  }
}

/** Limits how many short definitions are in memory. */
const LISTED_AT_ONCE = 500;

/** The events of the workspace with these ids. */
export async function* findEvents(
  tx: ReadTransaction,
  workspaceId: string,
  ids: readonly string[],
): AsyncGenerator<EventRow> {
  for (let i = 0; i < ids.length; i += LISTED_AT_ONCE) {
    const some = JSON.stringify(ids.slice(i, i + LISTED_AT_ONCE));
    yield* eachWhole(tx, await findByIds(tx, { workspaceId, ids: some }));
  }
}

type CalendarKey = Pick<Calendars, 'workspace_id' | 'id'>;

interface OfCalendar {
  workspaceId: string;
  calendarId: string;
}

const findByUid = statement((tx, p: OfCalendar & { uids: string }) =>
  tx
    .selectFrom('calendar_events')
    .select(LISTED_COLUMNS)
    .where('workspace_id', '=', p.workspaceId)
    .where('calendar_id', '=', p.calendarId)
    .where(isAmong(tx, 'uid', p.uids)),
);

/** The events of a calendar with these UIDs. */
export async function* findEventsByUid(
  tx: ReadTransaction,
  { workspace_id: workspaceId, id: calendarId }: CalendarKey,
  uids: readonly string[],
): AsyncGenerator<EventRow> {
  for (let i = 0; i < uids.length; i += LISTED_AT_ONCE) {
    const some = JSON.stringify(uids.slice(i, i + LISTED_AT_ONCE));
    yield* eachWhole(tx, await findByUid(tx, { workspaceId, calendarId, uids: some }));
  }
}

const withResources = (tx: ReadTransaction, p: OfCalendar) =>
  tx
    .selectFrom('calendar_events')
    .select('resources')
    .distinct()
    .where('workspace_id', '=', p.workspaceId)
    .where('calendar_id', '=', p.calendarId)
    .where('resources', '!=', sql.lit('[]'));

const resourcesOfAll = statement((tx, p: OfCalendar) => withResources(tx, p));

const resourcesByUid = statement((tx, p: OfCalendar & { uids: string }) =>
  withResources(tx, p).where(isAmong(tx, 'uid', p.uids)),
);

const UIDS_A_STATEMENT = 5_000;

/** The resources of the events of a calendar. */
export async function listResources(
  tx: ReadTransaction,
  { workspace_id: workspaceId, id: calendarId }: CalendarKey,
): Promise<string[]> {
  return idsIn(await resourcesOfAll(tx, { workspaceId, calendarId }));
}

/** The resources of those events of a calendar that have one of these UIDs. */
export async function listResourcesByUid(
  tx: ReadTransaction,
  { workspace_id: workspaceId, id: calendarId }: CalendarKey,
  uids: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < uids.length; i += UIDS_A_STATEMENT) {
    const some = JSON.stringify(uids.slice(i, i + UIDS_A_STATEMENT));
    for (const id of idsIn(await resourcesByUid(tx, { workspaceId, calendarId, uids: some }))) found.push(id);
  }
  return found;
}

function idsIn(rows: readonly Pick<EventRow, 'resources'>[]): string[] {
  return rows.flatMap(({ resources }): string[] => JSON.parse(resources));
}

const listAfterUid = statement((tx, p: OfCalendar & { after: string; limit: number }) =>
  tx
    .selectFrom('calendar_events')
    .select(LISTED_COLUMNS)
    .where('workspace_id', '=', p.workspaceId)
    .where('calendar_id', '=', p.calendarId)
    .where('uid', '>', p.after)
    .orderBy('uid')
    .limit(p.limit),
);

/** The events of a calendar after a UID, in order of UID, which never changes. */
export async function listEvents(
  tx: ReadTransaction,
  { workspace_id: workspaceId, id: calendarId }: CalendarKey,
  after: string,
  limit: number,
): Promise<EventRow[]> {
  return Array.fromAsync(eachWhole(tx, await listAfterUid(tx, { workspaceId, calendarId, after, limit })));
}

/** All events of a calendar in order of UID. */
export async function* eachEvent(
  tx: ReadTransaction,
  { workspace_id: workspaceId, id: calendarId }: CalendarKey,
): AsyncGenerator<EventRow> {
  for (let after = ''; ; ) {
    const rows = await listAfterUid(tx, { workspaceId, calendarId, after, limit: LISTED_AT_ONCE });
    yield* eachWhole(tx, rows);
    const last = rows.at(-1);
    if (!last) return;
    after = last.uid;
  }
}

const sizesAfterUid = statement((tx, p: OfCalendar & { after: string; limit: number }) =>
  tx
    .selectFrom('calendar_events')
    .select(sql<number>`octet_length(definition)`.as('size'))
    .where('workspace_id', '=', p.workspaceId)
    .where('calendar_id', '=', p.calendarId)
    .where('uid', '>', p.after)
    .orderBy('uid')
    .limit(p.limit),
);

/** The approximate sizes, in bytes, of the events that listEvents returns. */
export function listEventSizes(
  tx: ReadTransaction,
  { workspace_id: workspaceId, id: calendarId }: CalendarKey,
  after: string,
  limit: number,
): Promise<{ size: number }[]> {
  return sizesAfterUid(tx, { workspaceId, calendarId, after, limit });
}

const setZone = command((tx: WriteTransaction, p: OfCalendar & { timeZone: string }) =>
  tx
    .updateTable('calendar_events')
    .set({ time_zone: p.timeZone })
    .where('workspace_id', '=', p.workspaceId)
    .where('calendar_id', '=', p.calendarId)
    .where('time_zone', '!=', p.timeZone),
);

/** Updates the copy of the calendar's zone in all of its events. */
export async function setTimeZone(
  tx: WriteTransaction,
  { workspace_id: workspaceId, id: calendarId }: CalendarKey,
  timeZone: string,
): Promise<void> {
  await setZone(tx, { workspaceId, calendarId, timeZone });
}

/** Inserts events, or replaces those with the same id. */
export async function putEvents(tx: WriteTransaction, events: readonly EventRow[]): Promise<void> {
  for await (const portion of inPortions(events, ({ definition }) => definition.length, A_STATEMENT)) {
    await tx
      .insertInto('calendar_events')
      .values(portion)
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'id']).doUpdateSet((row) => ({
          time_zone: row.ref('excluded.time_zone'),
          definition: row.ref('excluded.definition'),
          resources: row.ref('excluded.resources'),
          sequence: row.ref('excluded.sequence'),
          updated_at: row.ref('excluded.updated_at'),
        })),
      )
      .execute();
  }
}

export async function deleteEvent(tx: WriteTransaction, { workspace_id, id }: EventRow): Promise<void> {
  await tx
    .deleteFrom('calendar_events')
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute();
}

import { sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { isOfWorkspace } from '../../../storage/query/of-workspace.ts';
import { command, type Statement, statement } from '../../../storage/query/statement.ts';
import type { CalendarInvitations as InvitationRow } from '../../../storage/schema/tables.ts';
import type { Interval } from '../recurrence/intervals.ts';
import { CLASS_LENGTHS, DAY_MS, ENDLESS_CLASS } from '../recurrence/spans.ts';
import type { Person } from './holders.ts';

export type { InvitationRow };

/** Where an invited event is in the list: the start of its first meeting, then its id. */
export interface InvitedEvent {
  startsAt: number;
  eventId: string;
}

/** Which invited events to list: those that may have an instance in a window, after a position, in order. */
interface InvitationQuery {
  workspaceId: string;
  person: Person;
  window: Interval;
  after: InvitedEvent;
  limit: number;
}

interface Values extends InvitedEvent {
  workspaceId: string;
  userId: string;
  from: number;
  to: number;
  limit: number;
  /** The limit for all streams together: each event may come once by each address. */
  rows: number;
  [address: `address${number}`]: string;
  [least: `least${number}`]: number;
}

/** SQLite combines at most 500 selections; each address takes one for each class. */
const ADDRESSES_A_STATEMENT = 10;
const CLASSES = Array.from({ length: ENDLESS_CLASS + 1 }, (_, spanClass) => spanClass);

/** By the number of addresses. */
const statements = new Map<number, Statement<ReadTransaction, Values, InvitedEvent>>();

/**
 * The next events of others that list a person and whose span may overlap a window, each once. Costs what is listed, and
 * the person's own events in the window that list the person too.
 */
export async function listInvitedEvents(
  tx: ReadTransaction,
  { workspaceId, person: { userId, addresses }, window, after, limit }: InvitationQuery,
): Promise<InvitedEvent[]> {
  const found = new Map<string, InvitedEvent>();
  const from = window.start;
  // A clock that is set since the event was stored moves an instance by less.
  const to = window.end + DAY_MS;
  for (let i = 0; i < addresses.length; i += ADDRESSES_A_STATEMENT) {
    const some = addresses.slice(i, i + ADDRESSES_A_STATEMENT);
    const { startsAt, eventId } = after;
    const rows = limit * some.length;
    const values: Values = { workspaceId, userId, startsAt, eventId, from, to, limit, rows };
    for (const [k, address] of some.entries()) values[`address${k}`] = address;
    for (const spanClass of CLASSES) values[`least${spanClass}`] = leastStart(spanClass, window, after);
    for (const event of await statementFor(some.length)(tx, values)) found.set(event.eventId, event);
  }
  return [...found.values()].sort(inOrder).slice(0, limit);
}

/** The earliest start that an event of a class can have in the window and after a position. */
function leastStart(spanClass: number, { start }: Interval, { startsAt }: InvitedEvent): number {
  const length = CLASS_LENGTHS[spanClass];
  return length === undefined ? startsAt : Math.max(startsAt, Math.floor(start - length));
}

export function inOrder(a: InvitedEvent, b: InvitedEvent): number {
  if (a.startsAt !== b.startsAt) return a.startsAt - b.startsAt;
  if (a.eventId === b.eventId) return 0;
  return a.eventId < b.eventId ? -1 : 1;
}

function statementFor(count: number): Statement<ReadTransaction, Values, InvitedEvent> {
  let found = statements.get(count);
  if (!found) {
    found = statement((tx, p: Values) => mergedStreams(tx, p, count));
    statements.set(count, found);
  }
  return found;
}

/**
 * Each address and class is one range of the primary key, in order: at most a page is read of each. One event may come by
 * several addresses.
 */
function mergedStreams(tx: ReadTransaction, p: Values, count: number) {
  const all = Array.from({ length: count }, (_, k) =>
    CLASSES.map((spanClass) =>
      tx
        .selectFrom(stream(tx, p, p[`address${k}`] ?? '', spanClass).as('stream'))
        .select(['startsAt', 'eventId']),
    ),
  ).flat();
  const [first, ...others] = all;
  if (!first) throw new TypeError('a person without an address');
  return others
    .reduce((merged, one) => merged.unionAll(one), first)
    .orderBy('startsAt')
    .orderBy('eventId')
    .limit(p.rows);
}

function stream(tx: ReadTransaction, p: Values, address: string, spanClass: number) {
  return tx
    .selectFrom('calendar_invitations')
    .select(['starts_at as startsAt', 'event_id as eventId'])
    .where('workspace_id', '=', p.workspaceId)
    .where('address', '=', address)
    .where('span_class', '=', sql.lit(spanClass))
    .where('starts_at', '>=', p[`least${spanClass}`] ?? 0)
    .where('starts_at', '<', p.to)
    .where('ends_at', '>', p.from)
    .where('owner_id', '!=', p.userId)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('starts_at', 'event_id'), '>', tuple(p.startsAt, p.eventId)),
    )
    .orderBy('starts_at')
    .orderBy('event_id')
    .limit(p.limit);
}

/** A statement accepts a limited number of parameters; an invitation takes seven. */
const ROWS_A_STATEMENT = 2_000;

export async function insertInvitations(tx: WriteTransaction, rows: readonly InvitationRow[]): Promise<void> {
  for (let i = 0; i < rows.length; i += ROWS_A_STATEMENT) {
    await tx
      .insertInto('calendar_invitations')
      .values(rows.slice(i, i + ROWS_A_STATEMENT))
      .execute();
  }
}

const deleteOfEvents = command((tx: WriteTransaction, p: { workspaceId: string; events: string }) =>
  tx
    .deleteFrom('calendar_invitations')
    .where(isOfWorkspace(tx, 'workspace_id', p))
    .where(isAmong(tx, 'event_id', p.events)),
);

export async function deleteInvitations(
  tx: WriteTransaction,
  workspaceId: string,
  eventIds: readonly string[],
): Promise<void> {
  await deleteOfEvents(tx, { workspaceId, events: JSON.stringify(eventIds) });
}

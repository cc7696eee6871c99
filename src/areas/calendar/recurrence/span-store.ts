import { type RawBuilder, sql } from 'kysely';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { isAmong } from '../../../storage/query/json-parameters.ts';
import { integerMember, jsonRows, textMember } from '../../../storage/query/json-rows.ts';
import { listedText } from '../../../storage/query/long-rows.ts';
import { isOfWorkspace } from '../../../storage/query/of-workspace.ts';
import { command, statement } from '../../../storage/query/statement.ts';
import type { CalendarSpans as SpanRow } from '../../../storage/schema/tables.ts';
import { findEvent } from '../events/event-store.ts';
import type { Interval } from './intervals.ts';
import { CLASS_LENGTHS, ENDLESS_CLASS } from './spans.ts';

export type { SpanRow };

/** An event that may overlap a window, with one of its holders. */
export interface HeldEvent {
  holder: string;
  id: string;
  userId: string;
  timeZone: string;
  definition: string;
}

/** A statement accepts a limited number of parameters; a span takes seven. */
const SPANS_A_STATEMENT = 2_000;
const BEFORE_ALL = -(2 ** 53);

interface Probes {
  workspaceId: string;
  from: number;
  to: number;
  /** JSON: the holder, the class, and the start that spans of the class must exceed. */
  probes: string;
}

/** Condition that a span lies in the range of its probe and may overlap the window. */
function isProbed(span: 's' | 'k', p: Probes) {
  const column = (name: string) => sql.ref(`${span}.${name}`);
  return sql<boolean>`${column('workspace_id')} = ${p.workspaceId} and ${column('holder')} = ${textMember(0)}
    and ${column('span_class')} = ${integerMember(1)} and ${column('starts_at')} > ${integerMember(2)}
    and ${column('starts_at')} < ${p.to} and ${column('ends_at')} > ${p.from}`;
}

/**
 * Each probe is one range of the primary key. In a plain join, PostgreSQL without statistics may scan the whole table
 * for each probe; the limit, which never takes effect, keeps the subquery separate.
 */
const findHeld = statement((tx, p: Probes) => {
  const definition = listedText('v.definition').as('definition');
  const selected = ['s.holder', 'v.id', 'v.user_id', 'v.time_zone', definition] as const;
  if (tx.engine === 'sqlite')
    return tx
      .selectFrom(jsonRows(tx, p.probes))
      .crossJoin('calendar_spans as s')
      .crossJoin('calendar_events as v')
      .select(selected)
      .where(isProbed('s', p))
      .where('v.workspace_id', '=', p.workspaceId)
      .whereRef('v.id', '=', 's.event_id');
  const spans = tx
    .selectFrom('calendar_spans as k')
    .select(['k.holder', 'k.event_id'])
    .where(isProbed('k', p))
    .limit(sql.lit(2 ** 40));
  const event = tx
    .selectFrom('calendar_events as w')
    .select(['w.id', 'w.user_id', 'w.time_zone', 'w.definition'])
    .where('w.workspace_id', '=', p.workspaceId)
    .where('w.id', '=', sql.ref<string>('s.event_id'))
    .limit(sql.lit(1));
  return tx
    .selectFrom(jsonRows(tx, p.probes))
    .innerJoinLateral(spans.as('s'), (join) => join.onTrue())
    .innerJoinLateral(event.as('v'), (join) => join.onTrue())
    .select(selected);
});

/**
 * The events of the holders that may overlap a window, once for each holder. Long definitions are read one by one.
 * `leftOut`: ids of events to skip; the caller may add ids during the iteration.
 */
export async function* listHeldEvents(
  tx: ReadTransaction,
  workspaceId: string,
  holders: readonly string[],
  { start, end }: Interval,
  leftOut: ReadonlySet<string> = new Set(),
): AsyncGenerator<HeldEvent> {
  const probes = JSON.stringify(holders.flatMap((holder) => probesOf(holder, start)));
  const rows = await findHeld(tx, { workspaceId, from: start, to: end, probes });
  for (const { holder, id, user_id, time_zone, definition: listed } of rows) {
    if (leftOut.has(id)) continue;
    const definition = listed || (await findEvent(tx, { workspaceId }, id))?.definition;
    if (definition !== undefined) yield { holder, id, userId: user_id, timeZone: time_zone, definition };
  }
}

const findPatterns = statement((tx, p: Probes) => patternsOfProbes(tx, p));

const findPatternsWithout = statement((tx, p: Probes & { eventId: string }) =>
  patternsOfProbes(tx, p, sql<boolean>`s.event_id <> ${p.eventId}`),
);

function patternsOfProbes(tx: ReadTransaction, p: Probes, condition?: RawBuilder<boolean>) {
  return tx.selectFrom(jsonRows(tx, p.probes)).select((from) => {
    const spans = from
      .selectFrom('calendar_spans as s')
      .select(sql<string | null>`string_agg(s.busy, ',')`.as('patterns'))
      .where(isProbed('s', p));
    return [textMember(0).as('holder'), (condition ? spans.where(condition) : spans).as('patterns')];
  });
}

/**
 * The patterns of the busy times of the events that may overlap a window, by holder: elements of JSON arrays. The
 * database joins the patterns of a holder, because returning a row costs more than its content.
 */
export async function listBusyPatterns(
  tx: ReadTransaction,
  workspaceId: string,
  holders: readonly string[],
  window: Interval,
): Promise<Map<string, string[]>> {
  return byHolder(holders, await findPatterns(tx, probed(workspaceId, holders, window)));
}

/** The same, without those of one event. */
export async function listBusyPatternsWithout(
  tx: ReadTransaction,
  workspaceId: string,
  holders: readonly string[],
  window: Interval,
  eventId: string,
): Promise<Map<string, string[]>> {
  const probes = { ...probed(workspaceId, holders, window), eventId };
  return byHolder(holders, await findPatternsWithout(tx, probes));
}

function probed(workspaceId: string, holders: readonly string[], { start, end }: Interval): Probes {
  const probes = JSON.stringify(holders.flatMap((holder) => probesOf(holder, start)));
  return { workspaceId, from: start, to: end, probes };
}

function byHolder(
  holders: readonly string[],
  rows: readonly { holder: string; patterns: string | null }[],
): Map<string, string[]> {
  const found = new Map<string, string[]>(holders.map((holder) => [holder, []]));
  for (const { holder, patterns } of rows) if (patterns !== null) found.get(holder)?.push(patterns);
  return found;
}

/** The probes of a holder: a span of a class that overlaps the window starts at most the length of the class before it. */
function probesOf(holder: string, start: number): [string, number, number][] {
  const classes = CLASS_LENGTHS.map((length, spanClass): [string, number, number] => [
    holder,
    spanClass,
    Math.max(BEFORE_ALL, Math.floor(start - length)) - 1,
  ]);
  return [...classes, [holder, ENDLESS_CLASS, BEFORE_ALL]];
}

export async function insertSpans(tx: WriteTransaction, spans: readonly SpanRow[]): Promise<void> {
  for (let i = 0; i < spans.length; i += SPANS_A_STATEMENT) {
    await tx
      .insertInto('calendar_spans')
      .values(spans.slice(i, i + SPANS_A_STATEMENT))
      .execute();
  }
}

const deleteOfEvents = command((tx: WriteTransaction, p: { workspaceId: string; events: string }) =>
  tx
    .deleteFrom('calendar_spans')
    .where(isOfWorkspace(tx, 'workspace_id', p))
    .where(isAmong(tx, 'event_id', p.events)),
);

export async function deleteSpans(
  tx: WriteTransaction,
  workspaceId: string,
  eventIds: readonly string[],
): Promise<void> {
  await deleteOfEvents(tx, { workspaceId, events: JSON.stringify(eventIds) });
}

import {
  ANY_TIME,
  COUNT,
  columnsHold,
  type IntegrityRule,
  memberOf,
  TIME,
} from '../../storage/schema/integrity-rule.ts';

/** Invariants of the tables of calendars. */
export const CALENDAR_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each event is in a calendar of its user',
    broken: () => `
      select e.id from calendar_events as e
      left join calendars as c on c.workspace_id = e.workspace_id and c.id = e.calendar_id and c.user_id = e.user_id
      where c.id is null`,
  },
  {
    says: 'Each event is found in its calendar',
    broken: () => `
      select e.id from calendar_events as e
      left join calendar_spans as s
        on s.workspace_id = e.workspace_id and s.event_id = e.id and s.holder = e.calendar_id
      where s.event_id is null`,
  },
  {
    says: 'Each span is of an event',
    broken: () => `
      select s.event_id as id from calendar_spans as s
      left join calendar_events as e on e.workspace_id = s.workspace_id and e.id = s.event_id
      where e.id is null`,
  },
  {
    says: 'Each event invites whom it lists',
    broken: (engine) => `
      select e.id from calendar_events as e
      where ${memberOf(engine, 'e.definition', 'series', 'attendees')} <> '[]' and not exists (
        select 1 from calendar_invitations as i
        where i.workspace_id = e.workspace_id and i.event_id = e.id and i.owner_id = e.user_id)`,
  },
  {
    says: 'Each invitation is to an event',
    broken: () => `
      select i.event_id as id from calendar_invitations as i
      left join calendar_events as e on e.workspace_id = i.workspace_id and e.id = i.event_id
      where e.id is null`,
  },
  columnsHold('calendars', { created_at: TIME, updated_at: TIME }),
  columnsHold('calendar_events', { sequence: COUNT, created_at: TIME, updated_at: TIME }),
  columnsHold('calendar_spans', { span_class: COUNT, starts_at: ANY_TIME, ends_at: ANY_TIME }, 'event_id'),
  columnsHold(
    'calendar_invitations',
    { span_class: COUNT, starts_at: ANY_TIME, ends_at: ANY_TIME },
    'event_id',
  ),
  {
    says: 'Each event has a status and keeps busy or not',
    broken: (engine) => `
      select id from calendar_events
      where ${memberOf(engine, 'definition', 'series', 'status')} not in ('confirmed', 'tentative', 'cancelled')
        or ${memberOf(engine, 'definition', 'series', 'transparency')} not in ('busy', 'free')`,
  },
];

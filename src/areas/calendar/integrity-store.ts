import type { IntegrityRule } from '../../storage/integrity-rule.ts';

/** What holds in every calendar. */
export const CALENDAR_INTEGRITY: readonly IntegrityRule[] = [
  {
    says: 'Each event is in a calendar of its user',
    broken: () => `
      select e.id from calendar_events as e
      left join calendars as c on c.workspace_id = e.workspace_id and c.id = e.calendar_id and c.user_id = e.user_id
      where c.id is null`,
  },
  {
    says: 'Each span is of an event',
    broken: () => `
      select s.event_id as id from calendar_spans as s
      left join calendar_events as e on e.workspace_id = s.workspace_id and e.id = s.event_id
      where e.id is null`,
  },
];

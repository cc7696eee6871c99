/** Calendars that were made to cost more than their size, imported. */
import type { HostileInput } from './hostile-input.ts';
import {
  ALL_ORDINALS,
  calendar,
  event,
  events,
  inZone,
  NEVER,
  OFTEN,
  observance,
  repeated,
  zone,
} from './icalendar.ts';
import { testTurns } from './test-turns.ts';

const calendars: Record<string, () => string> = {
  'a time zone of 8,000 rules that never match': () =>
    calendar(zone([observance(repeated(`RRULE:${NEVER}`, 8_000).join('\r\n'))]), inZone),
  'a time zone of 5,000 observances with a rule each': () =>
    calendar(zone(repeated(observance(`RRULE:${NEVER}`), 3_500)), inZone),
  'a time zone of observances that recur each second': () =>
    calendar(zone(repeated(observance('RRULE:FREQ=SECONDLY'), 5_000)), inZone),
  'a time zone of 50,000 dates': () =>
    calendar(zone([observance(`RDATE:${repeated('20260304T090000', 50_000).join(',')}`)]), inZone),
  'a time zone of days by each number': () =>
    calendar(
      zone([observance(repeated(`RRULE:FREQ=MONTHLY;BYDAY=${ALL_ORDINALS}`, 2).join('\r\n'))]),
      inZone,
    ),
  'an event of five rules that never match': () => calendar(event(...repeated(`RRULE:${NEVER}`, 5))),
  'an event of five rules that match each second': () => calendar(event(...repeated(`RRULE:${OFTEN}`, 5))),
  '400 events whose rules never match': () => events(400, () => `RRULE:${NEVER}`),
  '500 events with days of many kinds': () =>
    events(500, () => 'RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=2;COUNT=100000'),
  'an event with 50,000 exceptions': () =>
    calendar(
      event('RRULE:FREQ=MINUTELY;COUNT=50000', `EXDATE:${repeated('20260304T090000Z', 50_000).join(',')}`),
    ),
  'an event with 50,000 dates': () =>
    calendar(
      event(
        `RDATE:${Array.from({ length: 50_000 }, (_, i) => `20260305T${String(i % 24).padStart(2, '0')}0000Z`).join(',')}`,
      ),
    ),
  'an event with 20,000 attendees': () =>
    calendar(event(...Array.from({ length: 20_000 }, (_, i) => `ATTENDEE:mailto:a${i}@b.example`))),
  'a rule of 500,000 parts': () => calendar(event(`RRULE:FREQ=DAILY${';BYDAY=MO'.repeat(100_000)}`)),
  'a rule of many numbers': () =>
    calendar(event(`RRULE:FREQ=YEARLY;BYYEARDAY=${repeated('366', 200_000).join(',')}`)),
  'a duration of many digits': () => calendar(event(`DURATION:P${'9'.repeat(900_000)}D`)),
  'a million digits for a count': () => calendar(event(`RRULE:FREQ=DAILY;COUNT=${'9'.repeat(900_000)}`)),
  'components in components': () =>
    `BEGIN:VCALENDAR\r\n${'BEGIN:VEVENT\r\n'.repeat(60_000)}END:VCALENDAR\r\n`,
  'a line of parameters': () => calendar(event(`X-A${';A=b'.repeat(200_000)}:c`)),
  'a line of quotes': () => calendar(event(`X-A;A=${'"'.repeat(800_000)}:c`)),
  'a line of folds': () => calendar(event(`X-A:${'\r\n '.repeat(300_000)}c`)),
  'a line of colons': () => calendar(event(`X-A${':'.repeat(900_000)}`)),
  'a line of backslashes': () => calendar(event(`SUMMARY:${'\\'.repeat(900_000)}`)),
  'empty lines only': () => '\r\n'.repeat(500_000),
  'many parts of one event': () =>
    calendar(
      event('RRULE:FREQ=DAILY'),
      ...Array.from({ length: 5_000 }, (_, i) =>
        event(`RECURRENCE-ID:202${i % 10}0304T090000Z`, `SEQUENCE:${i}`),
      ),
    ),
};

const imported = ([name, make]: [string, () => string]): HostileInput => ({
  name: `${name}, imported`,
  send: async ({ request, calendarId }) => {
    await request('POST', `/v1/calendars/${calendarId}/import`, {
      body: make(),
      mediaType: 'text/calendar',
    });
  },
});

testTurns('calendar files', Object.entries(calendars).map(imported));

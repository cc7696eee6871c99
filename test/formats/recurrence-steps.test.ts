import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventProblems } from '../../src/areas/calendar/events/event-fields.ts';
import { definedZone } from '../../src/formats/icalendar/time-zone.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i).join(',');

const HEAVY = {
  'that looks for the end of its count':
    'FREQ=SECONDLY;INTERVAL=7;BYHOUR=3;BYMINUTE=7;BYSECOND=11;BYMONTH=2;BYMONTHDAY=29;COUNT=9000',
  'that names nothing': 'FREQ=YEARLY;BYMONTHDAY=31;BYYEARDAY=1;COUNT=9000',
  'that names every second': `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)};BYSECOND=${numbers(60)}`,
  'that asks for a second of each second': 'FREQ=SECONDLY;BYSETPOS=2',
};

/** The best of some tries, in milliseconds of processor time. */
function timeOf(work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const began = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1_000;
    }),
  );
}

for (const [name, rule] of Object.entries(HEAVY)) {
  test(`a hundred rules of an event ${name} take a tenth of a second at most`, () => {
    const event = {
      starts_at: '2026-03-01T09:00:00',
      ends_at: '2026-03-01T10:00:00',
      recurrence: Array<string>(100).fill(`RRULE:${rule}`),
    };
    assert.ok(eventProblems(event).length > 0);
    const taken = timeOf(() => eventProblems(event));
    assert.ok(taken <= 100, `${taken} ms`);
  });

  test(`a thousand rules of a clock ${name} take a tenth of a second at most`, () => {
    const property = (key: string, value: string) => ({ group: '', name: key, value, parameters: [] });
    const observance = [
      property('DTSTART', '19700101T000000'),
      property('TZOFFSETFROM', '+0000'),
      property('TZOFFSETTO', '+0100'),
      ...Array.from({ length: 10 }, () => property('RRULE', rule)),
    ];
    const zone = { observances: Array.from({ length: 100 }, () => observance) };
    assert.equal(definedZone(zone)?.initial, 0);
    const taken = timeOf(() => definedZone(zone));
    assert.ok(taken <= 100, `${taken} ms`);
  });
}

test('a line break in a rule is refused', () => {
  const recurrence = ['RRULE:FREQ=DAILY\r\n;COUNT=3'];
  const event = { starts_at: '2026-03-01', ends_at: '2026-03-02', all_day: true, recurrence };
  assert.deepEqual(
    eventProblems(event).map((problem) => 'pointer' in problem && problem.pointer),
    ['/recurrence/0'],
  );
});

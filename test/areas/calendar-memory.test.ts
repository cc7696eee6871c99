/** Events of some megabytes are in memory a few at a time, however many are read; the engine makes no difference. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { liveBytes } from '../live-bytes.ts';
import { data } from './accounts.ts';
import { busyOf, makePerson, type Person } from './calendar-world.ts';

const EVENTS = 6;
const INSTANCES = 320;
/** More than twice what one event takes with what is made of it; all of them take 40 million. */
const MOST_BYTES = 25_000_000;

const ATTENDEES = Array.from({ length: 200 }, (_, i) => `ATTENDEE:mailto:a${i}@b.example\r\n`).join('');

/** An event at floating times, whose definition has about three million characters. */
function longEvent(uid: number): string {
  const part = (line: string) =>
    `BEGIN:VEVENT\r\nUID:${uid}\r\n${line}DTSTART:20260302T090000\r\nDURATION:PT1H\r\n${ATTENDEES}END:VEVENT\r\n`;
  const changed = Array.from({ length: INSTANCES }, (_, i) => {
    const of = new Date(Date.UTC(2026, 2, 2 + i, 9)).toISOString().slice(0, 19);
    return part(`RECURRENCE-ID:${of.replace(/[-:]/g, '')}\r\n`);
  });
  return `BEGIN:VCALENDAR\r\n${part('RRULE:FREQ=DAILY;COUNT=400\r\n')}${changed.join('')}END:VCALENDAR\r\n`;
}

/** How much more is referred to at most while something is done. */
async function mostBytes(work: () => Promise<unknown>): Promise<number> {
  const began = liveBytes();
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, liveBytes() - began);
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most;
}

describe('long events', () => {
  let app: TestApp;
  let one: Person;
  before(async () => {
    app = await startApp('sqlite');
    one = await makePerson(app, { time_zone: 'UTC' });
    for (let uid = 0; uid < EVENTS; uid++) {
      const headers = { 'content-type': 'text/calendar' };
      const path = `/v1/calendars/${one.calendar}/import`;
      const report = data(await app.post(path, longEvent(uid), { key: one.key, headers }));
      assert.deepEqual(report, { created: 1, updated: 0, skipped: [] });
    }
  });
  after(() => app.stop());

  test('are few at a time when somebody asks for busy times', async () => {
    const most = await mostBytes(() => busyOf(app, one));
    assert.ok(most < MOST_BYTES, `${most} bytes`);
  });

  test('are few at a time when their calendar comes to another time zone', async () => {
    const path = `/v1/calendars/${one.calendar}`;
    const most = await mostBytes(async () =>
      data(await app.put(path, { time_zone: 'Europe/Berlin' }, { key: one.key })),
    );
    assert.ok(most < MOST_BYTES, `${most} bytes`);
  });
});

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { atriumJson, runAtrium } from '../command-line.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { askFreeBusy, makeEvent, makePerson, type Person } from './calendar-world.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/ics');

const HOME = [
  'BEGIN:VTIMEZONE',
  'TZID:Home',
  'BEGIN:STANDARD',
  'DTSTART:19701101T020000',
  'TZOFFSETFROM:-0130',
  'TZOFFSETTO:-0230',
  'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:19700301T020000',
  'TZOFFSETFROM:-0230',
  'TZOFFSETTO:-013015',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=3SU',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];

/** Each a component's lines: whatever an event may say of its times. */
const EVENTS: string[][] = [
  ['UID:a', 'DTSTART;VALUE=DATE:20260302', 'DTEND;VALUE=DATE:20260304', 'RRULE:FREQ=MONTHLY;UNTIL=20260701'],
  ['UID:b', 'DTSTART:20260305T090000', 'DURATION:PT1H30M', 'RRULE:FREQ=DAILY;COUNT=3'],
  ['UID:c', 'DTSTART;TZID=Home:20260301T070000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY'],
  ['UID:c', 'RECURRENCE-ID;TZID=Home:20260308T070000', 'DTSTART;TZID=Home:20260308T120000', 'DURATION:PT2H'],
  [
    'UID:c',
    'RECURRENCE-ID;RANGE=THISANDFUTURE:20260405T083000Z',
    'DTSTART:20260405T130000Z',
    'DURATION:PT3H',
  ],
  [
    'UID:d',
    'DTSTART;TZID=Europe/Berlin:20260328T120000',
    'DURATION:P1DT1H',
    'RDATE;TZID=Europe/Berlin:20260401T120000',
  ],
  [
    'UID:d2',
    'DTSTART:20260410T090000Z',
    'DURATION:PT1H',
    'RDATE;VALUE=PERIOD:20260411T090000Z/PT2H,20260412T090000Z/20260412T093000Z',
  ],
  [
    'UID:e',
    'DTSTART;TZID=Europe/Berlin:20260413T080000',
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY;COUNT=5',
    'EXDATE;VALUE=DATE:20260414',
    'EXDATE:20260415T060000Z',
    'EXDATE;TZID=Europe/Berlin:20260416T080000',
  ],
  [
    'UID:e2',
    'DTSTART;TZID=Europe/Berlin:20260501T080000',
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY;UNTIL=20280101T000000Z',
    'EXRULE:FREQ=MONTHLY;BYDAY=MO,-1FR',
  ],
  ['UID:f', 'DTSTART:20260420T090000Z', 'DURATION:PT1H', 'TRANSP:TRANSPARENT'],
  ['UID:g', 'DTSTART:20260421T090000Z', 'DURATION:PT1H', 'STATUS:TENTATIVE'],
  ['UID:h', 'DTSTART:20260422T090000Z', 'DURATION:PT1H', 'STATUS:CANCELLED'],
  ['UID:i', 'RECURRENCE-ID:20260423T090000Z', 'DTSTART:20260424T090000Z', 'DURATION:PT1H'],
];

function ics(): string {
  const events = EVENTS.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'SUMMARY:secret', 'END:VEVENT']);
  return ['BEGIN:VCALENDAR', ...HOME, ...events, 'END:VCALENDAR', ''].join('\r\n');
}

forEachEngine((engine) => {
  describe('calendars that are exported', () => {
    let app: TestApp;
    let directory: string;

    before(async () => {
      app = await startApp(engine);
      directory = await mkdtemp(join(tmpdir(), 'atrium-calendar-'));
    });
    after(async () => {
      await app.stop();
      await rm(directory, { recursive: true });
    });

    async function busy(one: Person, start: string, end: string) {
      const asked = { attendees: [one.email], start, end };
      return (await askFreeBusy(app, asked, { key: one.key })).attendees[0].busy;
    }

    async function assertEqualElsewhere(one: Person, years: readonly number[]): Promise<string> {
      const other = await makePerson(app, { time_zone: 'Europe/Berlin' });
      const output = join(directory, `${one.id}.ics`);
      await atriumJson(app, 'export', 'calendar', one.email, '--output', output);
      const report = await atriumJson(app, 'import', 'calendar', other.email, output);
      assert.deepEqual(report.skipped, []);
      for (const year of years) {
        const window = [`${year}-01-01T00:00:00Z`, `${year + 1}-01-01T00:00:00Z`] as const;
        assert.deepEqual(await busy(other, ...window), await busy(one, ...window), `${year}`);
      }
      return readFile(output, 'utf8');
    }

    it('keep somebody else as busy when they are imported', async () => {
      const one = await makePerson(app, { time_zone: 'Europe/Berlin' });
      const file = join(directory, 'given.ics');
      await writeFile(file, ics());
      await atriumJson(app, 'import', 'calendar', one.email, file);
      // The clock shows half past two twice in that night; the second is meant.
      const twice = { starts_at: '2026-10-25T01:30:00Z', ends_at: '2026-10-25T02:00:00Z' };
      await makeEvent(app, one, { ...twice, time_zone: 'Europe/Berlin' });
      const series = { time_zone: 'Europe/Berlin', recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] };
      const weekly = { starts_at: '2027-10-31T01:30:00Z', ends_at: '2027-10-31T02:00:00Z', ...series };
      await makeEvent(app, one, weekly);
      assert.ok((await busy(one, '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')).length > 50);
      const text = await assertEqualElsewhere(one, [2026, 2027, 2040]);
      assert.doesNotMatch(text, /SUMMARY|secret/);
    });

    it('do not show as busy what their owner has declined', async () => {
      const one = await makePerson(app, { time_zone: 'Europe/Berlin' });
      const { id } = await makeEvent(app, one, { attendees: [one.email] });
      assert.equal((await busy(one, '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')).length, 1);
      await app.post(`/v1/events/${id}/response`, { response: 'declined' }, { key: one.key });
      assert.doesNotMatch(await assertEqualElsewhere(one, [2026]), /TRANSP:OPAQUE|ATTENDEE/);
    });

    it('go to standard output, by name', async () => {
      const one = await makePerson(app);
      await app.post('/v1/calendars', { name: 'Club' }, { key: one.key });
      const { code, stdout } = await runAtrium(app, ['export', 'calendar', one.email, '--calendar', 'Club']);
      assert.equal(code, 0);
      assert.match(
        stdout,
        /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:.*\r\nX-WR-TIMEZONE:UTC\r\nEND:VCALENDAR\r\n$/,
      );
      const refused = await runAtrium(app, ['export', 'calendar', one.email, '--calendar', 'None']);
      assert.match(refused.stderr, /no calendar None/);
      assert.equal(refused.code, 1);
    });

    const files = globSync('**/*.ics', { cwd: CORPUS })
      .sort()
      .filter((_, i) => i % 4 === 0);
    it('of real files are equal', { skip: files.length === 0 && 'there is no corpus' }, async () => {
      const one = await makePerson(app, { time_zone: 'Europe/Berlin' });
      for (const path of files) {
        const body = readFileSync(join(CORPUS, path));
        const headers = { 'content-type': 'text/calendar' };
        await app.post(`/v1/calendars/${one.calendar}/import`, body, { key: one.key, headers });
      }
      await assertEqualElsewhere(one, [2008, 2015, 2020, 2024, 2026, 2030]);
    });
  });
});

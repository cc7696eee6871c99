import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { collectedLog } from '../collected-log.ts';
import { forEachEngine } from '../engines.ts';
import { type Answer, startApp, type TestApp } from '../harness.ts';
import { storedState } from '../refusals/world.ts';
import { askFreeBusy, instancesOf, makeEvent, makePerson, type Person } from './calendar-world.ts';

const SECRET = 'PLANTED';
const WINDOW = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' };
const HOUR = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z' };

/** What RFC 5545, its extensions (RFC 7986, 9073, 9253) and other programs have to say what an event is about. */
const CONTENT = [
  'SUMMARY',
  'DESCRIPTION',
  'LOCATION',
  'COMMENT',
  'CATEGORIES',
  'CONTACT',
  'URL',
  'X-ABOUT',
  'X-ALT-DESC',
  'ATTACH',
  'GEO',
  'RESOURCES',
  'CONFERENCE',
  'IMAGE',
  'STRUCTURED-DATA',
  'ORGANIZER',
  'CLASS',
  'RELATED-TO',
  'REQUEST-STATUS',
  'PRIORITY',
  'SEQUENCE',
  'NAME',
  'COLOR',
  'SOURCE',
  'STYLED-DESCRIPTION',
  'CONCEPT',
  'LINK',
  'REFID',
  'X-APPLE-STRUCTURED-LOCATION',
  'X-APPLE-TRAVEL-ADVISORY-BEHAVIOR',
  'X-GOOGLE-CONFERENCE',
  'X-MICROSOFT-CDO-BUSYSTATUS',
  'X-MICROSOFT-SKYPETEAMSMEETINGURL',
  'X-MOZ-LASTACK',
  'X-ZIMBRA-DESC',
];

/** What an event may hold within it: alarms, and the places and people of RFC 9073. */
const PARTS = ['VALARM', 'VLOCATION', 'PARTICIPANT', 'VRESOURCE', 'X-PART', 'PLANTED'];

/** Components beside events, of which each is skipped. */
const OTHERS = ['VTODO', 'VJOURNAL', 'VFREEBUSY', 'VAVAILABILITY', 'X-PLANTED'];

const CLOCK = [
  'BEGIN:VTIMEZONE',
  'TZID:PLANTED Home',
  'TZURL:PLANTED',
  'X-LIC-LOCATION:PLANTED',
  'BEGIN:STANDARD',
  'TZNAME:PLANTED',
  'COMMENT:PLANTED',
  'DTSTART:19701101T020000',
  'TZOFFSETFROM:-0130',
  'TZOFFSETTO:-0230',
  'END:STANDARD',
  'END:VTIMEZONE',
];

/** An event that is taken, with something planted wherever there is room. */
const TAKEN = [
  'UID:PLANTED-uid',
  'DTSTART;X-ABOUT=PLANTED;TZID=PLANTED Home:20260302T090000',
  'DURATION;X-ABOUT="PLANTED":PT1H',
  'RRULE;X-ABOUT=PLANTED:FREQ=DAILY;X-SECRET=PLANTED;COUNT=3',
  'EXRULE;X-ABOUT=PLANTED:FREQ=DAILY;X-SECRET=PLANTED;COUNT=1',
  'EXDATE;X-ABOUT=PLANTED;TZID=PLANTED Home:20260303T090000',
  'STATUS:PLANTED',
  'TRANSP:PLANTED',
  ...CONTENT.flatMap((name) => [
    `${name}:${SECRET} ${name}`,
    `${name};LANGUAGE=en;ALTREP="PLANTED":folded ${SECRET.slice(0, 3)}`,
    ` ${SECRET.slice(3)}`,
  ]),
  ...PARTS.flatMap((name) => [
    `BEGIN:${name}`,
    ...['UID', 'DTSTART', 'RRULE', 'ATTENDEE', 'ACTION', 'TRIGGER', ...CONTENT].map(
      (property) => `${property};X-ABOUT=PLANTED:${SECRET}`,
    ),
    `END:${name}`,
  ]),
];

/** Events that are skipped, each for a value that says something. */
const SKIPPED = [
  ['DTSTART:PLANTED'],
  ['DTSTART;TZID=PLANTED:20260302T090000'],
  ...[
    'DTEND:PLANTED',
    'DURATION:PLANTED',
    'RECURRENCE-ID:PLANTED',
    'RRULE:PLANTED',
    'RRULE:FREQ=PLANTED',
    'RRULE:FREQ=DAILY;PLANTED=1',
    'RRULE:FREQ=DAILY;BYDAY=PLANTED',
    'RRULE:FREQ=DAILY;UNTIL=PLANTED',
    'RDATE:PLANTED',
    'RDATE;VALUE=PERIOD:20260302T090000Z/PLANTED',
    'EXDATE:20260303T090000Z,PLANTED',
    'EXDATE;TZID=PLANTED:20260303T090000',
  ].map((line) => ['DTSTART:20260302T090000Z', line]),
];

/** Fields that clients of other services would send, and values that do not fit. */
const FIELDS = Object.fromEntries(
  ['title', 'summary', 'subject', 'name', 'description', 'notes', 'location', 'place', 'url', 'body'].map(
    (name) => [name, `${SECRET} ${name}`],
  ),
);
const MISFITS = [
  { starts_at: SECRET },
  { ends_at: SECRET },
  { time_zone: SECRET },
  { status: SECRET },
  { transparency: SECRET },
  { attendees: [{ email: 'a@example.org', name: SECRET }] },
  { attendees: [`${SECRET} <a@example.org>`] },
  {
    recurrence: [
      'SUMMARY:PLANTED',
      'RRULE:FREQ=DAILY;PLANTED=1',
      'RDATE:PLANTED',
      'EXDATE;PLANTED=1:PLANTED',
    ],
  },
];

forEachEngine((engine) => {
  describe('what a meeting is about', () => {
    let app: TestApp;
    const logged = collectedLog();
    before(async () => {
      app = await startApp(engine, {}, logged.log);
    });
    after(() => app.stop());

    test('the subject of a meeting is in no answer, no log, no metric, and stored nowhere (CAL-1, CAL-2, CAL-39)', async () => {
      const one = await makePerson(app);
      const answers = [...(await imports(app, one)), ...(await requests(app, one))];
      answers.push(await app.get('/metrics'), await app.get(`/v1/users/${one.id}`));
      for (const { text } of answers) assert.doesNotMatch(text, /PLANTED/i);
      assert.doesNotMatch(JSON.stringify(await askFreeBusy(app, { attendees: [one.email] })), /PLANTED/i);
      assert.doesNotMatch(logged.text(), /PLANTED/i);
      assert.doesNotMatch(await storedState(app.services.database), /PLANTED/i);
      assert.doesNotMatch(await keptAnswers(app), /PLANTED/i);
      await assertNotOnDisk(app);
    });
  });
});

async function imports(app: TestApp, one: Person): Promise<Answer[]> {
  const send = (events: string[][], name = 'VEVENT') => {
    const marked = events.flatMap((lines) => [`BEGIN:${name}`, ...lines, `END:${name}`]);
    const attendee = `ATTENDEE;CN=PLANTED;X-ABOUT=PLANTED:mailto:${one.email}`;
    const about = ['PRODID', 'METHOD', 'X-WR-CALNAME', 'X-WR-CALDESC', ...CONTENT].map(
      (it) => `${it}:PLANTED`,
    );
    const body = ['BEGIN:VCALENDAR', ...about, ...CLOCK, ...marked, 'END:VCALENDAR', ''];
    return app.post(
      `/v1/calendars/${one.calendar}/import`,
      body.join('\r\n').replaceAll('END:VEVENT', `${attendee}\r\nEND:VEVENT`),
      { key: one.key, headers: { 'content-type': 'text/calendar' } },
    );
  };
  const taken = await send([TAKEN]);
  assert.deepEqual(taken.json.data, { created: 1, updated: 0, skipped: [] });
  const skipped = await send(SKIPPED);
  assert.equal(skipped.json.data.skipped.length, SKIPPED.length);
  const others: Answer[] = [];
  for (const name of OTHERS) others.push(await send([TAKEN], name));
  for (const { json } of others) assert.equal(json.data.skipped.length, 1);
  return [taken, skipped, ...others];
}

async function requests(app: TestApp, one: Person): Promise<Answer[]> {
  const { key } = one;
  const [instance] = await instancesOf(app, one);
  const events = `/v1/calendars/${one.calendar}/events`;
  const answers = [
    await app.put(`${events}/${instance.id}`, { transparency: 'busy' }, { key }),
    await app.put(`${events}/${instance.id}`, { ends_at: '2026-03-02T14:00:00Z' }, { key }),
  ];
  for (const { status, text } of answers) assert.equal(status, 200, text);
  const { id } = await makeEvent(app, one, { attendees: [one.email] });
  for (const fields of [FIELDS, ...MISFITS]) {
    const refused = [
      await app.post(events, { ...HOUR, ...fields }, { key }),
      await app.put(`${events}/${id}`, fields, { key }),
      await app.post(`/v1/events/${id}/response`, { response: 'accepted', ...fields }, { key }),
      await app.post('/v1/freebusy', { ...WINDOW, attendees: [one.email], ...fields, ...FIELDS }, { key }),
      await app.post('/v1/freebusy/find', { ...WINDOW, ...fields, ...FIELDS }, { key }),
    ];
    for (const { status, text } of refused) assert.equal(status, 400, text);
    answers.push(...refused);
  }
  return answers;
}

async function keptAnswers({ services }: TestApp): Promise<string> {
  const { rows } = await services.database.read((tx) => sql`select * from idempotency_records`.execute(tx));
  return JSON.stringify(rows, (_, value) =>
    value instanceof Uint8Array ? String(Buffer.from(value)) : value,
  );
}

/** Also in pages of the database that are free again, in its log, and among the blobs. */
async function assertNotOnDisk({ config, services }: TestApp): Promise<void> {
  await services.database.read((tx) => sql`select 1`.execute(tx));
  for (const file of globSync(join(config.dataDir, '**/*'))) {
    if (!statSync(file).isFile()) continue;
    assert.ok(!readFileSync(file).includes(SECRET), `${file} holds it`);
  }
}

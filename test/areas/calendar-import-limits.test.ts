import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data } from './accounts.ts';
import { busyOf, instancesOf, makePerson, type Person, withoutLines } from './calendar-world.ts';

runWorksTwice();

const HOUR = ['DTSTART:20260302T090000Z', 'DTEND:20260302T100000Z'];

/** A calendar of these events, each as its lines. */
function ics(...events: string[][]): string {
  const marked = events.map((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n'));
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...marked, 'END:VCALENDAR', ''].join('\r\n');
}

const attendees = (count: number) =>
  Array.from({ length: count }, (_, i) => `ATTENDEE:mailto:a${i}@b.example`);

forEachEngine((engine) => {
  describe('what an import of a calendar leaves out', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const importInto = async (one: Person, body: string) =>
      withoutLines(
        data(
          await app.post(`/v1/calendars/${one.calendar}/import`, body, {
            key: one.key,
            headers: { 'content-type': 'text/calendar' },
          }),
        ),
        body,
      );
    const onlyEventOf = async (one: Person) => {
      const [{ id }] = await instancesOf(app, one);
      const path = `/v1/calendars/${one.calendar}/events/${id}`;
      return data(await app.put(path, { status: 'confirmed' }, { key: one.key }));
    };

    test('of more attendees than an event may list 200 are kept, and the answer tells so (CAL-32)', async () => {
      const one = await makePerson(app);
      const report = await importInto(
        one,
        ics(['UID:few', ...HOUR], ['UID:many', ...HOUR, ...attendees(250)]),
      );
      assert.deepEqual(report, {
        created: 2,
        updated: 0,
        skipped: [{ index: 1, reason: 'It is taken with 200 of its 250 attendees.' }],
      });
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00']);
    });

    test('the first attendees are kept in their order (CAL-32)', async () => {
      const one = await makePerson(app);
      await importInto(one, ics(['UID:many', ...HOUR, ...attendees(250)]));
      const event = await onlyEventOf(one);
      assert.equal(event.attendees.length, 200);
      assert.deepEqual([event.attendees[0], event.attendees[199]], ['a0@b.example', 'a199@b.example']);
    });

    test('the attendee whose calendar it is stays with the answer, by address or alias, wherever listed (CAL-32, CAL-44)', async () => {
      const alias = `Alias-${crypto.randomUUID()}@example.org`;
      const one = await makePerson(app, { aliases: [alias] });
      for (const address of [one.email.toUpperCase(), alias.toLowerCase()]) {
        const own = `ATTENDEE;PARTSTAT=DECLINED:mailto:${address}`;
        const report = await importInto(one, ics(['UID:many', ...HOUR, ...attendees(250), own]));
        assert.equal(report.skipped[0]?.reason, 'It is taken with 200 of its 251 attendees.');
        assert.deepEqual(await busyOf(app, one), []);
        assert.deepEqual((await onlyEventOf(one)).responses[0], { email: address, response: 'declined' });
      }
    });

    test('the attendee who organizes an event stays, wherever listed (CAL-32)', async () => {
      const [one, organizer] = [await makePerson(app), await makePerson(app)];
      const listed = [`ORGANIZER:MAILTO:${organizer.email.toUpperCase()}`, ...attendees(250)];
      await importInto(one, ics(['UID:many', ...HOUR, ...listed, `ATTENDEE:mailto:${organizer.email}`]));
      assert.deepEqual(await busyOf(app, organizer), ['03-02 09:00–10:00']);
    });

    test('an organizer who is not listed is not kept busy', async () => {
      const [one, organizer] = [await makePerson(app), await makePerson(app)];
      const organized = ['UID:few', ...HOUR, `ORGANIZER:mailto:${organizer.email}`];
      assert.deepEqual((await importInto(one, ics(organized))).skipped, []);
      assert.deepEqual(await busyOf(app, organizer), []);
    });

    test('what is outdated is told of once', async () => {
      const one = await makePerson(app);
      await importInto(one, ics(['UID:many', ...HOUR, 'SEQUENCE:2']));
      const { skipped } = await importInto(one, ics(['UID:many', ...HOUR, ...attendees(250)]));
      assert.deepEqual(skipped.length, 1);
      assert.match(skipped[0].reason, /later version/);
    });

    const DAILY = ['UID:large', ...HOUR, 'RRULE:FREQ=DAILY;COUNT=4'];
    /** Instances of a series at other times, each with more lines. */
    const changed = (count: number, lines: string[]) =>
      Array.from({ length: count }, (_, i) => {
        const time = new Date(Date.UTC(2026, 2, 2, 9, 0, i)).toISOString();
        const of = `RECURRENCE-ID:${time.slice(0, 19).replace(/[-:]/g, '')}Z`;
        return ['UID:large', of, ...HOUR, ...lines];
      });
    const tooLarge: [what: string, reason: string, events: string[][]][] = [
      [
        'than four megabytes',
        'The event and its instances list too many people and times.',
        changed(400, attendees(200)),
      ],
      ['instances', 'The event has over 10000 instances that differ from its series.', changed(10_001, [])],
    ];
    for (const [what, reason, instances] of tooLarge) {
      test(`an event of more ${what} is skipped, and the others are taken`, async () => {
        const one = await makePerson(app);
        const other = ['UID:other', 'DTSTART:20260309T090000Z', 'DURATION:PT1H'];
        const report = await importInto(one, ics(DAILY, ...instances, other));
        const { created, updated, skipped } = report;
        assert.deepEqual({ created, updated }, { created: 1, updated: 0 });
        assert.deepEqual(
          skipped,
          [DAILY, ...instances].map((_, index) => ({ index, reason })),
        );
        assert.deepEqual(await busyOf(app, one), ['03-09 09:00–10:00']);
      });
    }

    test('an event that an import would make too large stays as it is', async () => {
      const one = await makePerson(app);
      await importInto(one, ics(DAILY));
      const report = await importInto(one, ics(...changed(400, attendees(200))));
      assert.deepEqual([report.created, report.updated, report.skipped.length], [0, 0, 400]);
      assert.equal((await busyOf(app, one)).length, 4);
    });
  });
});

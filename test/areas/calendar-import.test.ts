import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { runWorksTwice } from '../repeated-works.ts';
import { data } from './accounts.ts';
import {
  busyOf,
  instancesOf,
  makeEvent,
  makePerson,
  makeRoom,
  type Person,
  shortTimes,
  withoutLines,
} from './calendar-world.ts';

runWorksTwice();

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/ics');

/** A calendar of these lines, each event between its own marks. */
function ics(...events: string[][]): string {
  const marked = events.map((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n'));
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...marked, 'END:VCALENDAR', ''].join('\r\n');
}

/** An event on a clock that is set forth and back at the hours of a day, from its first on. */
function inZoneSet(hours: number, event: string[]): string {
  const offsets = ['+0000', '+0100'];
  const observances = Array.from({ length: hours }, (_, hour) => [
    'BEGIN:STANDARD',
    `DTSTART:20260302T${String(hour).padStart(2, '0')}3000`,
    `TZOFFSETFROM:${offsets[hour % 2]}`,
    `TZOFFSETTO:${offsets[(hour + 1) % 2]}`,
    'END:STANDARD',
  ]);
  const zone = ['BEGIN:VTIMEZONE', 'TZID:Restless', ...observances.flat(), 'END:VTIMEZONE'].join('\r\n');
  return ics(event).replace('BEGIN:VEVENT', `${zone}\r\nBEGIN:VEVENT`);
}

const HOUR = ['DTSTART:20260302T090000Z', 'DTEND:20260302T100000Z'];

forEachEngine((engine) => {
  describe('imports of calendars', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    const send = (one: Person, body: string | Uint8Array) =>
      app.post(`/v1/calendars/${one.calendar}/import`, body, {
        key: one.key,
        headers: { 'content-type': 'text/calendar' },
      });
    const importInto = async (one: Person, body: string | Uint8Array) =>
      withoutLines(data(await send(one, body)), body);
    const imported = async (body: string, zone = 'UTC') => {
      const one = await makePerson(app, { time_zone: zone });
      const report = await importInto(one, body);
      assert.deepEqual(report.skipped, []);
      return one;
    };

    test('an event whose UID the calendar has is updated, one without a UID is new each time (CAL-27, CAL-28, CAL-29)', async () => {
      const one = await makePerson(app);
      const body = ics(['UID:a', ...HOUR], ['DTSTART:20260303T090000Z', 'DURATION:PT30M']);
      assert.deepEqual(await importInto(one, body), { created: 2, updated: 0, skipped: [] });
      assert.deepEqual(await importInto(one, body), { created: 1, updated: 1, skipped: [] });
      await importInto(one, ics(['UID:a', 'DTSTART:20260304T090000Z', 'DTEND:20260304T100000Z']));
      assert.deepEqual(await busyOf(app, one), ['03-03 09:00–09:30', '03-04 09:00–10:00']);
      assert.equal((await instancesOf(app, one)).length, 3);
    });

    const times: [string, string[], string[]][] = [
      ['a date', ['DTSTART;VALUE=DATE:20260302', 'DTEND;VALUE=DATE:20260304'], ['03-01 23:00–03-03 23:00']],
      ['a date without an end', ['DTSTART;VALUE=DATE:20260302'], ['03-01 23:00–03-02 23:00']],
      ['a floating time', ['DTSTART:20260302T090000', 'DURATION:PT1H30M'], ['03-02 08:00–09:30']],
      ['a time without an end', ['DTSTART:20260302T090000Z'], []],
      [
        'a zone',
        ['DTSTART;TZID=America/New_York:20260302T090000', 'DTEND;TZID=Europe/London:20260302T150000'],
        ['03-02 14:00–15:00'],
      ],
      [
        'an end without the zone of its start',
        ['DTSTART;TZID=Asia/Tokyo:20260302T090000', 'DTEND:20260302T100000'],
        ['03-02 00:00–01:00'],
      ],
      [
        'a Windows zone',
        ['DTSTART;TZID=Tokyo Standard Time:20260302T090000', 'DURATION:PT1H'],
        ['03-02 00:00–01:00'],
      ],
      [
        'a zone with a path',
        ['DTSTART;TZID=/mozilla.org/20050126_1/Asia/Tokyo:20260302T090000', 'DURATION:PT1H'],
        ['03-02 00:00–01:00'],
      ],
      [
        'nominal days',
        ['DTSTART;TZID=Europe/Berlin:20260328T120000', 'DURATION:P1D'],
        ['03-28 11:00–03-29 10:00'],
      ],
      [
        'exact hours',
        ['DTSTART;TZID=Europe/Berlin:20260328T120000', 'DURATION:PT24H'],
        ['03-28 11:00–03-29 11:00'],
      ],
      [
        'a time in the gap',
        ['DTSTART;TZID=Europe/Berlin:20260329T023000', 'DURATION:PT1H'],
        ['03-29 01:30–02:30'],
      ],
      ['what is transparent', [...HOUR, 'TRANSP:TRANSPARENT'], []],
      ['what is cancelled', [...HOUR, 'STATUS:CANCELLED'], []],
      [
        'periods',
        [...HOUR, 'RDATE;VALUE=PERIOD:20260305T090000Z/20260305T093000Z,20260306T090000Z/PT2H'],
        ['03-02 09:00–10:00', '03-05 09:00–09:30', '03-06 09:00–11:00'],
      ],
      [
        'excluded dates',
        [...HOUR, 'RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20260303T090000Z', 'EXDATE;VALUE=DATE:20260304'],
        ['03-02 09:00–10:00', '03-05 09:00–10:00'],
      ],
    ];
    for (const [what, lines, busy] of times) {
      test(`an import reads ${what}`, async () => {
        const one = await imported(ics(['UID:t', ...lines]), 'Europe/Berlin');
        assert.deepEqual(await busyOf(app, one), busy);
      });
    }

    test('follows clocks that are set in the south, which is ahead in its summer', async () => {
      const daily = (day: string) => [
        `UID:${day}`,
        `DTSTART;TZID=Australia/Sydney:${day}T023000`,
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=3',
      ];
      const one = await imported(ics(daily('20260404'), daily('20261003')));
      const window = { start: '2026-04-01T00:00:00Z', end: '2026-11-01T00:00:00Z' };
      assert.deepEqual(await busyOf(app, one, window), [
        // Twice on the 5th of April: the first; not at all on the 4th of October: by the offset before.
        '04-03 15:30–16:30',
        '04-04 15:30–16:30',
        '04-05 16:30–17:30',
        '10-02 16:30–17:30',
        '10-03 16:30–17:30',
        '10-04 15:30–16:30',
      ]);
    });

    const ZONE = [
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
      'TZOFFSETTO:-0130',
      'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=3SU',
      'END:DAYLIGHT',
      'END:VTIMEZONE',
      '',
    ].join('\r\n');

    test('a zone that the file defines is understood, also after its events (CAL-31)', async () => {
      const series = [
        'UID:z',
        'DTSTART;TZID=Home:20260314T090000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=3',
      ];
      const busy = ['03-14 11:30–12:30', '03-15 10:30–11:30', '03-16 10:30–11:30'];
      const plain = ics(series);
      for (const body of [
        plain.replace('BEGIN:VEVENT', `${ZONE}BEGIN:VEVENT`),
        plain.replace('END:VCALENDAR', `${ZONE}END:VCALENDAR`),
      ])
        assert.deepEqual(await busyOf(app, await imported(body)), busy);
      const one = await makePerson(app);
      const { skipped } = await importInto(one, plain);
      assert.deepEqual(skipped, [
        { index: 0, reason: 'Its time zone is neither known nor defined in the file.' },
      ]);
    });

    const DAILY = ['UID:s', ...HOUR, 'RRULE:FREQ=DAILY;COUNT=4'];

    test('an instance that differs from its series is where it says, or is not (CAL-30)', async () => {
      const moved = ['UID:s', 'RECURRENCE-ID:20260303T090000Z', 'DTSTART:20260303T140000Z', 'DURATION:PT2H'];
      const gone = [
        'UID:s',
        'RECURRENCE-ID;TZID=Asia/Tokyo:20260304T180000',
        'DTSTART:20260304T090000Z',
        'DURATION:PT1H',
        'STATUS:CANCELLED',
      ];
      for (const order of [
        [DAILY, moved, gone],
        [gone, moved, DAILY],
      ]) {
        const one = await imported(ics(...order));
        assert.deepEqual(await busyOf(app, one), [
          '03-02 09:00–10:00',
          '03-03 14:00–16:00',
          '03-05 09:00–10:00',
        ]);
        assert.equal((await instancesOf(app, one)).length, 3);
      }
    });

    test('a change may hold for the instances after it too', async () => {
      const later = [
        'UID:s',
        'RECURRENCE-ID;RANGE=THISANDFUTURE:20260304T090000Z',
        'DTSTART:20260304T110000Z',
        'DURATION:PT30M',
      ];
      assert.deepEqual(await busyOf(app, await imported(ics(DAILY, later))), [
        '03-02 09:00–10:00',
        '03-03 09:00–10:00',
        '03-04 11:00–11:30',
        '03-05 11:00–11:30',
      ]);
    });

    const excluding: [what: string, lines: string[], busy: string[]][] = [
      ['each second day, the start too', ['EXRULE:FREQ=DAILY;INTERVAL=2;COUNT=2'], ['03-03', '03-05']],
      ['a day of the week', ['EXRULE:FREQ=WEEKLY;BYDAY=WE'], ['03-02', '03-03', '03-05']],
      ['days until one', ['EXRULE:FREQ=DAILY;UNTIL=20260303T090000Z'], ['03-04', '03-05']],
      [
        'what two rules and a date name',
        ['EXRULE:FREQ=WEEKLY;BYDAY=TU', 'EXRULE:FREQ=WEEKLY;BYDAY=WE', 'EXDATE:20260305T090000Z'],
        ['03-02'],
      ],
      [
        'what an RDATE adds too',
        ['RDATE:20260310T090000Z', 'EXRULE:FREQ=WEEKLY;BYDAY=TU'],
        ['03-02', '03-04', '03-05'],
      ],
      ['nothing beside the instances', ['EXRULE:FREQ=DAILY;BYHOUR=10'], ['03-02', '03-03', '03-04', '03-05']],
      [
        'nothing where it names nothing',
        ['EXRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
        ['03-02', '03-03', '03-04', '03-05'],
      ],
    ];
    for (const [what, lines, busy] of excluding) {
      test(`an EXRULE leaves out ${what} (CAL-66)`, async () => {
        const one = await imported(ics([...DAILY, ...lines]));
        const times = busy.map((day) => `${day} 09:00–10:00`);
        assert.deepEqual(await busyOf(app, one), times);
        assert.deepEqual(shortTimes(await instancesOf(app, one)), times);
      });
    }

    test('an EXRULE goes by the clock of its event, and leaves what was changed by itself (CAL-15, CAL-66)', async () => {
      const series = [
        'UID:s',
        'DTSTART;TZID=Europe/Berlin:20260327T090000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=6',
        'EXRULE:FREQ=WEEKLY;BYDAY=SU,MO',
      ];
      const moved = ['UID:s', 'RECURRENCE-ID:20260330T070000Z', 'DTSTART:20260330T120000Z', 'DURATION:PT1H'];
      assert.deepEqual(await busyOf(app, await imported(ics(series, moved))), [
        '03-27 08:00–09:00',
        '03-28 08:00–09:00',
        '03-30 12:00–13:00',
        '03-31 07:00–08:00',
      ]);
    });

    test('an EXRULE that comes with a file of a higher SEQUENCE asks everybody again (CAL-24, CAL-66)', async () => {
      const one = await makePerson(app);
      const listed = `ATTENDEE;PARTSTAT=DECLINED:mailto:${one.email}`;
      await importInto(one, ics([...DAILY, listed]));
      assert.deepEqual(await busyOf(app, one), []);
      const asked = `ATTENDEE:mailto:${one.email}`;
      await importInto(one, ics([...DAILY, asked, 'SEQUENCE:1', 'EXRULE:FREQ=DAILY;INTERVAL=2']));
      assert.deepEqual(await busyOf(app, one), ['03-03 09:00–10:00', '03-05 09:00–10:00']);
    });

    test('an instance without its series stands alone, until the series comes (CAL-30)', async () => {
      const moved = ['UID:s', 'RECURRENCE-ID:20260303T090000Z', 'DTSTART:20260303T140000Z', 'DURATION:PT2H'];
      const one = await makePerson(app);
      assert.deepEqual(await importInto(one, ics(moved)), { created: 1, updated: 0, skipped: [] });
      assert.deepEqual(await busyOf(app, one), ['03-03 14:00–16:00']);
      assert.deepEqual(await importInto(one, ics(DAILY)), { created: 0, updated: 1, skipped: [] });
      assert.deepEqual(await busyOf(app, one), [
        '03-02 09:00–10:00',
        '03-03 14:00–16:00',
        '03-04 09:00–10:00',
        '03-05 09:00–10:00',
      ]);
      await importInto(one, ics(DAILY));
      assert.equal((await busyOf(app, one))[1], '03-03 09:00–10:00');
    });

    test('lists the attendees of the workspace, instance by instance', async () => {
      const guest = await makePerson(app);
      const listed = (answer: string) =>
        `ATTENDEE;CN="Someone";PARTSTAT=${answer}:MAILTO:${guest.email.toUpperCase()}`;
      const away = [
        'UID:s',
        'RECURRENCE-ID:20260303T090000Z',
        'DTSTART:20260303T090000Z',
        'DURATION:PT1H',
        listed('DECLINED'),
      ];
      await imported(ics([...DAILY, listed('ACCEPTED')], away));
      assert.deepEqual(await busyOf(app, guest), [
        '03-02 09:00–10:00',
        '03-04 09:00–10:00',
        '03-05 09:00–10:00',
      ]);
    });

    const at = (day: number, ...lines: string[]) => [
      'UID:v',
      `DTSTART:202603${String(day).padStart(2, '0')}T090000Z`,
      'DURATION:PT1H',
      ...lines,
    ];
    const OUTDATED = 'A later version of it is there already, by its SEQUENCE or DTSTAMP.';
    const versions: [what: string, older: string[], later: string[]][] = [
      ['a lower SEQUENCE', ['SEQUENCE:1'], ['SEQUENCE:5']],
      ['no SEQUENCE, which is 0', [], ['SEQUENCE:1']],
      [
        'a lower SEQUENCE with a later DTSTAMP',
        ['SEQUENCE:9', 'DTSTAMP:20260102T000000Z'],
        ['SEQUENCE:10', 'DTSTAMP:20260101T000000Z'],
      ],
      [
        'the same SEQUENCE with an earlier DTSTAMP',
        ['SEQUENCE:2', 'DTSTAMP:20260101T000000Z'],
        ['SEQUENCE:2', 'DTSTAMP:20260101T000001Z'],
      ],
      [
        'no SEQUENCE with an earlier DTSTAMP',
        ['DTSTAMP:20251231T235959Z'],
        ['SEQUENCE:0', 'DTSTAMP:20260101T000000Z'],
      ],
    ];
    for (const [what, older, later] of versions) {
      test(`an event of ${what} takes no later change back (CAL-29)`, async () => {
        const one = await makePerson(app);
        assert.equal((await importInto(one, ics(at(2, ...older)))).created, 1);
        assert.equal((await importInto(one, ics(at(3, ...later)))).updated, 1);
        const skipped = [{ index: 0, reason: OUTDATED }];
        const again = ics(at(4, ...older));
        assert.deepEqual(await importInto(one, again), { created: 0, updated: 0, skipped });
        assert.equal((await importInto(one, ics(at(3, ...later)))).updated, 1, 'the same version again');
        assert.deepEqual(await busyOf(app, one), ['03-03 09:00–10:00']);
        for (const [first, second] of [
          [at(2, ...older), at(3, ...later)],
          [at(3, ...later), at(2, ...older)],
        ] as const) {
          const both = await makePerson(app);
          const report = await importInto(both, ics(first, second, ['UID:other', ...HOUR]));
          const index = first.includes('DTSTART:20260302T090000Z') ? 0 : 1;
          assert.deepEqual(report, { created: 2, updated: 0, skipped: [{ index, reason: OUTDATED }] });
          assert.deepEqual(await busyOf(app, both), ['03-02 09:00–10:00', '03-03 09:00–10:00']);
        }
      });
    }

    test('an instance has a version of its own, and goes with an older series that knows it alone', async () => {
      const series = (sequence: number) => [...DAILY, `SEQUENCE:${sequence}`];
      const instance = (day: number, sequence: number, hour: number) => [
        'UID:s',
        `RECURRENCE-ID:2026030${day}T090000Z`,
        `DTSTART:2026030${day}T${hour}0000Z`,
        'DURATION:PT1H',
        `SEQUENCE:${sequence}`,
      ];
      const one = await makePerson(app);
      await importInto(one, ics(series(5), instance(3, 2, 12)));
      const outdated = (...indexes: number[]) => indexes.map((index) => ({ index, reason: OUTDATED }));
      const old = await importInto(one, ics(series(1), instance(3, 1, 13), instance(4, 1, 14)));
      assert.deepEqual(old, { created: 0, updated: 0, skipped: outdated(0, 1, 2) });
      const mixed = await importInto(one, ics(series(4), instance(3, 3, 15)));
      assert.deepEqual(mixed, { created: 0, updated: 1, skipped: outdated(0) });
      const alone = await importInto(one, ics(instance(5, 1, 16)));
      assert.deepEqual(alone, { created: 0, updated: 1, skipped: [] });
      assert.deepEqual(await busyOf(app, one), [
        '03-02 09:00–10:00',
        '03-03 15:00–16:00',
        '03-04 09:00–10:00',
        '03-05 16:00–17:00',
      ]);
    });

    test('a version outlives changes that are made here, and says nothing to anybody (CAL-29)', async () => {
      const one = await makePerson(app);
      await importInto(one, ics(at(2, 'SEQUENCE:3')));
      const [{ id }] = await instancesOf(app, one);
      const path = `/v1/calendars/${one.calendar}/events/${id}`;
      const times = { starts_at: '2026-03-05T09:00:00Z', ends_at: '2026-03-05T10:00:00Z' };
      const changed = data(await app.put(path, times, { key: one.key }));
      assert.ok(!/version|sequence|stamp/i.test(JSON.stringify(changed)));
      // The change moved the event to SEQUENCE 4: the file that it came from is an earlier version, too.
      for (const sequence of [2, 3]) {
        const report = await importInto(one, ics(at(2, `SEQUENCE:${sequence}`)));
        assert.deepEqual(report, { created: 0, updated: 0, skipped: [{ index: 0, reason: OUTDATED }] });
      }
      assert.deepEqual(await busyOf(app, one), ['03-05 09:00–10:00']);
      for (const _ of [1, 2]) assert.equal((await importInto(one, ics(at(6, 'SEQUENCE:4')))).updated, 1);
      assert.deepEqual(await busyOf(app, one), ['03-06 09:00–10:00']);
    });

    test('a change that moves nothing leaves the file the same version (CAL-29, CAL-75)', async () => {
      const one = await makePerson(app);
      await importInto(one, ics(at(2, 'SEQUENCE:3')));
      const [{ id }] = await instancesOf(app, one);
      const path = `/v1/calendars/${one.calendar}/events/${id}`;
      data(await app.put(path, { transparency: 'free' }, { key: one.key }));
      assert.equal((await importInto(one, ics(at(3, 'SEQUENCE:3')))).updated, 1);
      assert.deepEqual(await busyOf(app, one), ['03-03 09:00–10:00']);
    });

    test('a series that was changed here skips its former file with all instances (CAL-29)', async () => {
      const one = await makePerson(app);
      const former = ics(
        [...DAILY, 'SEQUENCE:1'],
        [
          'UID:s',
          'RECURRENCE-ID:20260303T090000Z',
          'DTSTART:20260303T120000Z',
          'DURATION:PT1H',
          'SEQUENCE:1',
        ],
      );
      assert.equal((await importInto(one, former)).created, 1);
      const [{ id }] = await instancesOf(app, one);
      const path = `/v1/calendars/${one.calendar}/events/${id}`;
      data(await app.put(path, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }, { key: one.key }));
      const now = await busyOf(app, one);
      const skipped = [0, 1].map((index) => ({ index, reason: OUTDATED }));
      assert.deepEqual(await importInto(one, former), { created: 0, updated: 0, skipped });
      assert.deepEqual(await busyOf(app, one), now);
    });

    test('answers hold on until the file has others, other times or another SEQUENCE', async () => {
      const guest = await makePerson(app);
      const one = await makePerson(app);
      const listed = `ATTENDEE:mailto:${guest.email}`;
      const answer = async () => {
        const [{ id }] = await instancesOf(app, one);
        const path = `/v1/calendars/${one.calendar}/events/${id}`;
        return data(await app.put(path, { resources: [] }, { key: one.key })).responses[0].response;
      };
      const declined = async () => {
        const [{ id }] = await instancesOf(app, one);
        data(await app.post(`/v1/events/${id}/response`, { response: 'declined' }, { key: guest.key }));
        assert.deepEqual(await busyOf(app, guest), []);
      };
      await importInto(one, ics(at(2, listed)));
      await declined();
      await importInto(one, ics(at(2, listed)));
      assert.equal(await answer(), 'declined');
      await importInto(one, ics(at(9, listed)));
      assert.equal(await answer(), 'needs_action', 'moved');
      assert.deepEqual(await busyOf(app, guest), ['03-09 09:00–10:00']);
      await declined();
      await importInto(one, ics(at(9, listed, 'SEQUENCE:1')));
      assert.equal(await answer(), 'needs_action', 'another sequence');
      await declined();
      await importInto(one, ics(at(9, listed.replace(':', ';PARTSTAT=TENTATIVE:'), 'SEQUENCE:1')));
      assert.equal(await answer(), 'tentative', 'an answer of the file');
    });

    const skipped: [string, string, number, RegExp][] = [
      ['a task', 'BEGIN:VCALENDAR\nBEGIN:VTODO\nDUE:20260101\nEND:VTODO\nEND:VCALENDAR', 0, /VTODO/],
      ['no calendar', 'hello', 0, /no iCalendar/],
      ['an event without a start', ics(['UID:a', ...HOUR], ['UID:b']), 1, /DTSTART/],
      ['a start that is none', ics(['DTSTART:soon']), 0, /DTSTART/],
      [
        'an end before the start',
        ics(['DTSTART:20260302T090000Z', 'DTEND:20260302T080000Z']),
        0,
        /ends before/,
      ],
      [
        'a rule that leaves out nothing that exists',
        ics([...HOUR, 'RRULE:FREQ=DAILY;COUNT=4', 'EXRULE:FREQ=NEVER']),
        0,
        /^EXRULE: FREQ/,
      ],
      [
        'six rules of both kinds',
        ics([
          ...HOUR,
          ...Array(3).fill('RRULE:FREQ=DAILY;COUNT=4'),
          ...Array(3).fill('EXRULE:FREQ=DAILY;COUNT=1'),
        ]),
        0,
        /more than 5 rules/,
      ],
      ['a rule that is none', ics([...HOUR, 'RRULE:FREQ=NEVER']), 0, /FREQ/],
      [
        'an instance of more than a year',
        ics(['DTSTART:20260302T090000Z', 'RECURRENCE-ID:20260302T090000Z', 'DURATION:P367D']),
        0,
        /366 days/,
      ],
      [
        'a period of more than a year',
        ics([...HOUR, 'RDATE;VALUE=PERIOD:20260302T090000Z/P367D']),
        0,
        /366 days/,
      ],
      [
        'a meeting on a clock that is set each hour',
        inZoneSet(24, ['DTSTART;TZID=Restless:20260302T120000', 'DURATION:PT1H']),
        0,
        /more often than any place/,
      ],
      ['a rule that is too dense', ics([...HOUR, 'RRULE:FREQ=MINUTELY']), 0, /10000/],
      [
        'a rule that is dense once in many years',
        ics([...HOUR, 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=29']),
        0,
        /10000/,
      ],
      [
        'an event that does not end',
        'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260302T090000Z',
        0,
        /END:VEVENT/,
      ],
    ];
    for (const [what, body, index, reason] of skipped) {
      test(`an import skips ${what} and says why (CAL-28, CAL-32)`, async () => {
        const report = await importInto(await makePerson(app), body);
        assert.equal(report.skipped.length, 1);
        assert.equal(report.skipped[0].index, index);
        assert.match(report.skipped[0].reason, reason);
      });
    }

    test('a meeting of many years is on the clock of its file at its start and at its end', async () => {
      const lines = ['DTSTART;TZID=Restless:20260301T120000', 'DTEND;TZID=Restless:20260304T120000'];
      const one = await imported(inZoneSet(3, lines));
      assert.deepEqual(await busyOf(app, one), ['03-01 12:00–03-04 11:00']);
    });

    test('an import of an event to a time at which its room is taken is refused, and changes nothing (CAL-27, CAL-33)', async () => {
      const [one, other] = [await makePerson(app), await makePerson(app)];
      const room = await makeRoom(app);
      await importInto(one, ics(['UID:r', ...HOUR]));
      const [{ id }] = await instancesOf(app, one);
      data(
        await app.put(`/v1/calendars/${one.calendar}/events/${id}`, { resources: [room] }, { key: one.key }),
      );
      const later = { starts_at: '2026-03-02T11:00:00Z', ends_at: '2026-03-02T12:00:00Z' };
      await makeEvent(app, other, { ...later, resources: [room] });
      const moved = ics(['UID:r', 'DTSTART:20260302T113000Z', 'DURATION:PT1H'], ['UID:s', ...HOUR]);
      const { status, json } = await send(one, moved);
      assert.deepEqual([status, json.error.code], [409, 'resource_busy']);
      assert.deepEqual(await busyOf(app, one), ['03-02 09:00–10:00']);
      assert.equal((await importInto(one, moved.replace('T113000Z', 'T120000Z'))).updated, 1);
    });

    test('events that hand a room on are moved, however many others are between them', async () => {
      const person = await makePerson(app);
      const room = await makeRoom(app);
      const at = (uid: string, hour: number) => [
        `UID:${uid}`,
        `DTSTART:20260302T${hour}0000Z`,
        'DURATION:PT1H',
      ];
      await importInto(person, ics(at('one', 10), at('other', 11)));
      for (const { id } of await instancesOf(app, person)) {
        const path = `/v1/calendars/${person.calendar}/events/${id}`;
        data(await app.put(path, { resources: [room] }, { key: person.key }));
      }
      const between = Array.from({ length: 1_000 }, (_, i) => at(`between ${i}`, 20));
      const { updated } = await importInto(person, ics(at('one', 11), ...between, at('other', 12)));
      assert.equal(updated, 2);
    });

    // Components and bytes are counted before a database is asked: one engine will do.
    test('an import takes 100,000 components and 64 MiB, and no more (CAL-27)', {
      skip: engine !== 'sqlite',
    }, async () => {
      const one = await makePerson(app);
      const fullSize = 64 * 1024 * 1024;
      const full = ics(['UID:large', ...HOUR, 'DESCRIPTION:@']);
      const large = full.replace('@', 'x'.repeat(fullSize - full.length + 1));
      assert.equal(large.length, fullSize);
      assert.deepEqual(await importInto(one, large), { created: 1, updated: 0, skipped: [] });
      const tasks = 'BEGIN:VTODO\r\nEND:VTODO\r\n'.repeat(99_999);
      const most = ics(['UID:many', ...HOUR]).replace('END:VCALENDAR', `${tasks}END:VCALENDAR`);
      const { created, skipped } = await importInto(one, most);
      assert.deepEqual([created, skipped.length], [1, 99_999]);
      const more = ics(['UID:more', ...HOUR], ['UID:other', ...HOUR]);
      for (const body of [`${large}\n`, more.replace('END:VCALENDAR', `${tasks}END:VCALENDAR`)]) {
        const { status, json } = await send(one, body);
        assert.deepEqual([status, json.error.code], [413, 'payload_too_large']);
      }
      assert.equal((await instancesOf(app, one)).length, 2);
    });

    test('a component of whatever name is not told of by its name', async () => {
      const body = 'BEGIN:VCALENDAR\nBEGIN:PLANTED\nUID:x\nEND:VCALENDAR\n';
      const { skipped } = await importInto(await makePerson(app), body);
      assert.deepEqual(skipped, [{ index: 0, reason: 'It is not an event.' }]);
    });

    test('the corpus is read or skipped with a reason, and asked about', {
      skip: !existsSync(CORPUS) && 'no corpus here',
    }, async () => {
      const one = await makePerson(app, { time_zone: 'Europe/Berlin' });
      for (const file of globSync('*.ics', { cwd: CORPUS }).sort()) {
        const { status, json, text } = await send(one, readFileSync(join(CORPUS, file)));
        assert.equal(status, 200, `${file}: ${text}`);
        const { created, updated, skipped } = json.data;
        assert.ok(created + updated + skipped.length > 0, `${file}: ${text}`);
        for (const { reason } of skipped) assert.match(reason, /\.$/, file);
      }
      for (const year of [1997, 2005, 2016, 2026]) {
        const window = { start: `${year}-01-01T00:00:00Z`, end: `${year + 1}-01-01T00:00:00Z` };
        await busyOf(app, one, window);
        await instancesOf(app, one, window);
      }
    });
  });
});

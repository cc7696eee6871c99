/** What attendees are told of events by mail, and the answers that come back, through real SMTP clients and a relay. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { data, makeKey } from './accounts.ts';
import {
  busyOf,
  instancesOf,
  makeEvent,
  makePerson,
  makeRoom,
  type Person,
  replyLines,
  shortTimes,
} from './calendar-world.ts';
import { changesOf } from './changes-feed.ts';
import { folderOf } from './mail-world.ts';

interface Mailed {
  id: string;
  subject: string;
  text: string;
  /** The text of the calendar part, unfolded. */
  calendar: string;
}

interface Correspondent extends Person {
  mailKey: string;
}

const OUTSIDE = () => `zoe-${randomUUID().slice(0, 8)}@elsewhere.example`;

forEachEngine((engine) => {
  let app: TestApp;
  let relay: TestRelay;
  before(async () => {
    relay = await startRelay();
    app = await startApp(engine, { ATRIUM_DOMAIN: 'home.example', ATRIUM_SMTP_RELAY: relay.url });
  });
  after(async () => {
    await app.stop();
    await relay.stop();
  });

  async function correspondent(fields: Record<string, unknown> = {}): Promise<Correspondent> {
    const person = await makePerson(app, fields);
    const { key } = await makeKey(app, ['mail.messages.read'], { user_id: person.id });
    return { ...person, mailKey: key };
  }

  async function mailOf({ mailKey: key }: Correspondent, role = 'inbox'): Promise<Mailed[]> {
    const folder = await folderOf(app, role, key);
    const listed = data(await app.get(`/v1/messages?folder_id=${folder}&limit=200`, { key }));
    const mailed: Mailed[] = [];
    for (const { id } of listed) {
      const { subject, text, attachments } = data(await app.get(`/v1/messages/${id}`, { key }));
      const [part] = attachments;
      const calendar =
        part &&
        (await app.get(`/v1/messages/${id}/attachments/${part.id}`, { key })).text.replaceAll('\r\n ', '');
      mailed.push({ id, subject, text, calendar: calendar ?? '' });
    }
    return mailed;
  }

  async function lastMail(one: Correspondent, count: number): Promise<Mailed> {
    const all = await mailOf(one);
    assert.equal(all.length, count);
    const [last] = all;
    assert.ok(last);
    return last;
  }

  const eventPath = (owner: Person, id: string) => `/v1/calendars/${owner.calendar}/events/${id}`;
  const change = async (owner: Person, id: string, body: object) =>
    data(await app.put(eventPath(owner, id), { ...body, notify: 'all' }, { key: owner.key }));
  const responsesOf = async (owner: Person, id: string) => {
    const { attendees } = data(await app.get(eventPath(owner, id), { key: owner.key }));
    return attendees.map(({ response }: { response: string }) => response);
  };

  interface Sent {
    to: string;
    from: string;
    envelope?: string;
    sender?: string;
    calendar: string[];
    headers?: string[];
  }

  /** Sends a message with a calendar part as another mail server does. */
  async function mail({ to, from, envelope = from, sender, calendar, headers = [] }: Sent): Promise<void> {
    const transport = createTransport({ ...app.smtp, ignoreTLS: true });
    const raw = [
      `From: ${from}`,
      ...(sender === undefined ? [] : [`Sender: ${sender}`]),
      ...headers,
      `To: ${to}`,
      'Subject: Accepted: Meeting',
      `Message-ID: <${randomUUID()}@elsewhere.example>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Gladly.',
      '--b',
      'Content-Type: text/calendar; charset=utf-8; method=REPLY',
      '',
      ...calendar,
      '--b--',
      '',
    ].join('\r\n');
    await transport.sendMail({ envelope: { from: envelope.replace(/^.*<|>$/g, ''), to: [to] }, raw });
    transport.close();
  }

  const uidOf = ({ calendar }: Mailed) => /^UID:(.*)\r$/m.exec(calendar)?.[1] ?? '';

  describe('what attendees are told', () => {
    test('nobody is told of an event by default, nor with notify "none" (CAL-72)', async () => {
      const [owner, guest] = [await correspondent(), await correspondent()];
      const arrived = relay.arrived.length;
      const attendees = [guest.email, OUTSIDE()];
      for (const fields of [{}, { notify: 'none' }]) {
        const { id } = await makeEvent(app, owner, { ...fields, attendees });
        data(
          await app.put(
            eventPath(owner, id),
            { ...fields, ends_at: '2026-03-02T12:00:00Z' },
            { key: owner.key },
          ),
        );
        const path = `${eventPath(owner, id)}${'notify' in fields ? '?notify=none' : ''}`;
        assert.equal((await app.delete(path, { key: owner.key })).status, 204);
      }
      assert.deepEqual(await mailOf(guest), []);
      assert.deepEqual(await mailOf(owner, 'sent'), []);
      assert.equal(relay.arrived.length, arrived);
    });

    test('a new event invites attendees here and outside with its times, its people and where to answer (CAL-72, CAL-73, CAL-74)', async () => {
      const owner = await correspondent({ name: 'Ada "Countess" Lovelace' });
      const [guest, zoe] = [await correspondent(), OUTSIDE()];
      const arrived = relay.arrived.length;
      const room = await makeRoom(app);
      const fields = { attendees: [owner.email, guest.email, zoe], resources: [room], notify: 'all' };
      const event = await makeEvent(app, owner, fields);
      assert.deepEqual(event.external, [zoe]);
      assert.equal(event.notify, undefined);
      const invitation = await lastMail(guest, 1);
      const lines = invitation.calendar.split('\r\n').filter((line) => !/^(DTSTAMP|PRODID)/.test(line));
      assert.deepEqual(lines, [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'METHOD:REQUEST',
        'BEGIN:VEVENT',
        `UID:${event.id}`,
        'DTSTART:20260302T090000Z',
        'DURATION:PT3600S',
        'STATUS:CONFIRMED',
        'TRANSP:OPAQUE',
        'SEQUENCE:0',
        'SUMMARY:Meeting',
        `ORGANIZER;CN="Ada 'Countess' Lovelace":mailto:${owner.email}`,
        ...[owner.email, guest.email, zoe].map(
          (email) => `ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${email}`,
        ),
        'END:VEVENT',
        'END:VCALENDAR',
        '',
      ]);
      assert.match(invitation.text, /2026-03-02 09:00 to 10:00 \(UTC\)/);
      assert.equal(invitation.subject, 'Invitation to a meeting on 2026-03-02');
      await relay.waitFor(arrived + 1);
      const left = relay.arrived.at(-1);
      assert.deepEqual([left?.from, left?.to], [owner.email, [zoe]]);
      assert.match(left?.raw ?? '', /Content-Type: text\/calendar; charset=utf-8; method=REQUEST/i);
      assert.deepEqual(await mailOf(owner), [], 'who invites is not told');
      assert.equal((await mailOf(owner, 'sent')).length, 1);
      assert.deepEqual(await busyOf(app, guest), ['03-02 09:00–10:00'], 'busy once');
    });

    test('a changed event invites again by a higher SEQUENCE, and who is no longer listed gets a cancellation (CAL-75, CAL-76)', async () => {
      const [owner, guest, other] = [await correspondent(), await correspondent(), await correspondent()];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email, other.email], notify: 'all' });
      await change(owner, id, { ends_at: '2026-03-02T11:00:00Z' });
      const moved = await lastMail(guest, 2);
      assert.match(moved.calendar, /METHOD:REQUEST\r[\s\S]*DURATION:PT7200S\r[\s\S]*SEQUENCE:1\r/);
      assert.equal(moved.subject, 'Changed: a meeting on 2026-03-02');
      await change(owner, id, { attendees: [guest.email] });
      assert.match((await lastMail(guest, 3)).calendar, /METHOD:REQUEST\r[\s\S]*SEQUENCE:1\r/);
      const cancelled = await lastMail(other, 3);
      assert.match(cancelled.calendar, /METHOD:CANCEL\r[\s\S]*STATUS:CANCELLED\r/);
      assert.equal(cancelled.subject, 'Cancelled: a meeting on 2026-03-02');
      assert.doesNotMatch(cancelled.calendar, new RegExp(guest.email), 'who stays is not told to who goes');
      assert.match(cancelled.calendar, new RegExp(`ATTENDEE;ROLE=REQ-PARTICIPANT:mailto:${other.email}\r`));
    });

    test('notify alone tells of an event as it stands (CAL-75)', async () => {
      const [owner, guest] = [await correspondent(), await correspondent()];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email] });
      await change(owner, id, {});
      assert.match((await lastMail(guest, 1)).calendar, /METHOD:REQUEST\r[\s\S]*SEQUENCE:0\r/);
    });

    test('an event that is cancelled or deleted is cancelled with its attendees, once (CAL-76)', async () => {
      const [owner, guest] = [await correspondent(), await correspondent()];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email], notify: 'all' });
      await change(owner, id, { status: 'cancelled' });
      assert.match((await lastMail(guest, 2)).calendar, /METHOD:CANCEL\r[\s\S]*SEQUENCE:1\r/);
      await change(owner, id, { status: 'confirmed' });
      assert.match((await lastMail(guest, 3)).calendar, /METHOD:REQUEST\r[\s\S]*SEQUENCE:2\r/);
      const idempotencyKey = randomUUID();
      const remove = () =>
        app.request('DELETE', `${eventPath(owner, id)}?notify=all`, { key: owner.key, idempotencyKey });
      assert.equal((await remove()).status, 204);
      assert.equal((await remove()).headers.get('idempotency-replayed'), 'true');
      const removed = await lastMail(guest, 4);
      assert.match(removed.calendar, /METHOD:CANCEL\r[\s\S]*STATUS:CANCELLED\r[\s\S]*SEQUENCE:3\r/);
      const gone = await makeEvent(app, owner, {
        attendees: [guest.email],
        status: 'cancelled',
        notify: 'all',
      });
      assert.equal(
        (await app.delete(`${eventPath(owner, gone.id)}?notify=all`, { key: owner.key })).status,
        204,
      );
      await lastMail(guest, 4);
    });

    const times: [what: string, fields: Record<string, unknown>][] = [
      [
        'a series across a change of the clock',
        { time_zone: 'Europe/Berlin', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=6'] },
      ],
      [
        'a series with exceptions that has no end',
        {
          time_zone: 'America/New_York',
          recurrence: [
            'RRULE:FREQ=DAILY',
            'EXDATE:20260304T090000Z',
            'RDATE:20260303T200000Z',
            'EXRULE:FREQ=WEEKLY;BYDAY=FR',
          ],
        },
      ],
      ['whole days', { all_day: true, starts_at: '2026-03-02', ends_at: '2026-03-04' }],
      ['floating times', { starts_at: '2026-03-29T01:30:00', ends_at: '2026-03-29T04:00:00' }],
      [
        'floating times that recur',
        {
          starts_at: '2026-03-27T01:30:00',
          ends_at: '2026-03-27T04:00:00',
          recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
        },
      ],
    ];
    for (const [what, fields] of times) {
      test(`an invitation has the times of ${what} for any other calendar (CAL-74)`, async () => {
        const owner = await correspondent({ time_zone: 'Europe/Berlin' });
        const guest = await correspondent({ time_zone: fields.all_day ? 'Europe/Berlin' : 'Asia/Tokyo' });
        await makeEvent(app, owner, { ...fields, attendees: [guest.email], notify: 'all' });
        const { calendar, text } = await lastMail(guest, 1);
        const other = await makePerson(app, { time_zone: fields.all_day ? 'Europe/Berlin' : 'Asia/Tokyo' });
        const headers = { 'content-type': 'text/calendar' };
        const path = `/v1/calendars/${other.calendar}/import`;
        const report = data(await app.post(path, calendar, { key: other.key, headers }));
        assert.deepEqual([report.created, report.skipped], [1, []]);
        for (const window of [
          {} as Record<string, string>,
          { start: '2026-03-20T00:00:00Z', end: '2026-05-01T00:00:00Z' },
        ])
          assert.deepEqual(
            shortTimes(await instancesOf(app, other, window)),
            shortTimes(await instancesOf(app, owner, window)),
          );
        assert.match(text, /When: 2026-03-\d\d/);
        for (const [, name] of calendar.matchAll(/TZID=([^:;]+):/g))
          assert.match(calendar, new RegExp(`TZID:${name}\r`), 'the zone is defined');
      });
    }
  });

  describe('what cannot be told', () => {
    test('an event with an attendee whom nobody here has is refused, and nothing is stored or sent (CAL-77)', async () => {
      const [owner, guest] = [await correspondent(), await correspondent()];
      const times = { starts_at: '2026-03-02T09:00:00Z', ends_at: '2026-03-02T10:00:00Z' };
      const path = `/v1/calendars/${owner.calendar}/events`;
      const body = { ...times, attendees: [guest.email, 'typo@home.example'], notify: 'all' };
      const { status, json } = await app.post(path, body, { key: owner.key });
      assert.deepEqual([status, json.error.code], [422, 'unknown_recipient']);
      assert.deepEqual(json.error.details.recipients, ['typo@home.example']);
      assert.deepEqual(await instancesOf(app, owner), []);
      assert.deepEqual(await mailOf(guest), []);
    });

    test('an attendee who has left keeps an event neither from its move nor from its end (CAL-77)', async () => {
      const [owner, guest, leaver] = [await correspondent(), await correspondent(), await correspondent()];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email, leaver.email], notify: 'all' });
      data(await app.put(`/v1/users/${leaver.id}`, { state: 'suspended' }));
      await change(owner, id, { ends_at: '2026-03-02T11:00:00Z' });
      await lastMail(guest, 2);
      await change(owner, id, { attendees: [guest.email] });
      assert.equal((await app.delete(`${eventPath(owner, id)}?notify=all`, { key: owner.key })).status, 204);
      await lastMail(guest, 4);
    });

    test('an event of somebody outside is refused without a relay, and stays as it was (CAL-77)', async (t) => {
      const alone = await startApp(engine);
      t.after(() => alone.stop());
      const owner = await makePerson(alone);
      const { id } = await makeEvent(alone, owner, { attendees: [OUTSIDE()] });
      const before = data(await alone.get(eventPath(owner, id), { key: owner.key }));
      for (const answer of [
        await alone.put(eventPath(owner, id), { status: 'tentative', notify: 'all' }, { key: owner.key }),
        await alone.delete(`${eventPath(owner, id)}?notify=all`, { key: owner.key }),
      ])
        assert.deepEqual([answer.status, answer.json.error.code], [422, 'no_relay']);
      assert.deepEqual(data(await alone.get(eventPath(owner, id), { key: owner.key })), before);
    });

    for (const notify of ['some', '', true, null]) {
      test(`notify is refused where it is ${JSON.stringify(notify)} (CAL-72)`, async () => {
        const owner = await makePerson(app);
        const { id } = await makeEvent(app, owner);
        const { key } = owner;
        const changed = await app.put(eventPath(owner, id), { status: 'tentative', notify }, { key });
        assert.equal(changed.status, 400);
        assert.equal(changed.json.error.details.errors[0].pointer, '/notify');
        assert.equal((await app.delete(`${eventPath(owner, id)}?notify=${notify}`, { key })).status, 400);
      });
    }

    test('changes of an event that come at once are all told (CAL-75)', async () => {
      const [owner, guest] = [await correspondent(), await correspondent()];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email], notify: 'all' });
      await Promise.all(
        [11, 12, 13, 14].map((hour) => change(owner, id, { ends_at: `2026-03-02T${hour}:00:00Z` })),
      );
      const all = await mailOf(guest);
      const numbers = all.map(({ calendar }) => Number(/SEQUENCE:(\d+)/.exec(calendar)?.[1]));
      assert.deepEqual(numbers.sort(), [0, 1, 2, 3, 4]);
    });
  });

  describe('answers that come by mail', () => {
    test('the answer of an attendee here and of one outside is set by a REPLY from the own address (CAL-78)', async () => {
      const [owner, guest, zoe] = [await correspondent(), await correspondent(), OUTSIDE()];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email, zoe], notify: 'all' });
      const uid = uidOf(await lastMail(guest, 1));
      await mail({ to: owner.email, from: guest.email, calendar: replyLines(uid, guest.email, 'DECLINED') });
      assert.deepEqual(await responsesOf(owner, id), ['declined', 'needs_action']);
      assert.deepEqual(await busyOf(app, guest), []);
      const from = `"Zoe, of elsewhere" <${zoe.toUpperCase()}>`;
      await mail({ to: owner.email, from, calendar: replyLines(uid, zoe, 'tentative', 'SEQUENCE:0') });
      assert.deepEqual(await responsesOf(owner, id), ['declined', 'tentative']);
      await mail({ to: owner.email, from: zoe, sender: zoe, calendar: replyLines(uid, zoe, 'ACCEPTED') });
      assert.deepEqual(await responsesOf(owner, id), ['declined', 'accepted']);
      assert.equal((await mailOf(owner)).length, 3, 'the messages arrive as any do');
      const again = await change(owner, id, { starts_at: '2026-03-02T08:00:00Z' });
      assert.deepEqual(
        again.responses.map(({ response }: { response: string }) => response),
        ['needs_action', 'needs_action'],
      );
    });

    test('an answer by mail is an event.responded of nobody here (CAL-78, CHANGE-44)', async () => {
      const [owner, zoe] = [await correspondent(), OUTSIDE()];
      const { id } = await makeEvent(app, owner, { attendees: [zoe] });
      const found = await changesOf(app, owner.key, () =>
        mail({ to: owner.email, from: zoe, calendar: replyLines(id, zoe, 'ACCEPTED') }),
      );
      assert.deepEqual(
        found
          .filter(({ type }) => type.startsWith('event'))
          .map(({ type, ids, actor }) => [type, ids, actor]),
        [['event.responded', { event_id: id }, null]],
      );
    });

    const other = 'mallory@evil.example';
    type Forged = (known: { to: string; zoe: string; uid: string }) => Sent;
    const forged: [what: string, sent: Forged][] = [
      [
        'with another envelope',
        ({ to, zoe, uid }) => ({
          to,
          from: zoe,
          envelope: other,
          calendar: replyLines(uid, zoe, 'ACCEPTED'),
        }),
      ],
      [
        'with another From',
        ({ to, zoe, uid }) => ({
          to,
          from: other,
          envelope: zoe,
          calendar: replyLines(uid, zoe, 'ACCEPTED'),
        }),
      ],
      [
        'with an address in the name of another',
        ({ to, zoe, uid }) => ({
          to,
          from: `"${zoe}" <${other}>`,
          envelope: zoe,
          calendar: replyLines(uid, zoe, 'ACCEPTED'),
        }),
      ],
      [
        'for somebody else',
        ({ to, zoe, uid }) => ({ to, from: other, calendar: replyLines(uid, zoe, 'ACCEPTED') }),
      ],
      [
        'from who is not listed',
        ({ to, uid }) => ({ to, from: other, calendar: replyLines(uid, other, 'ACCEPTED') }),
      ],
      [
        'with two From',
        ({ to, zoe, uid }) => ({
          to,
          from: zoe,
          headers: [`From: ${other}`],
          calendar: replyLines(uid, zoe, 'ACCEPTED'),
        }),
      ],
      [
        'with two in From',
        ({ to, zoe, uid }) => ({
          to,
          from: `${zoe}, ${other}`,
          envelope: zoe,
          calendar: replyLines(uid, zoe, 'ACCEPTED'),
        }),
      ],
      [
        'with another Sender',
        ({ to, zoe, uid }) => ({ to, from: zoe, sender: other, calendar: replyLines(uid, zoe, 'ACCEPTED') }),
      ],
      [
        'of a bounce',
        ({ to, zoe, uid }) => ({ to, from: zoe, envelope: '<>', calendar: replyLines(uid, zoe, 'ACCEPTED') }),
      ],
      [
        'with two attendees',
        ({ to, zoe, uid }) => ({
          to,
          from: zoe,
          calendar: replyLines(uid, zoe, 'ACCEPTED', `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${other}`),
        }),
      ],
      [
        'to a single instance',
        ({ to, zoe, uid }) => ({
          to,
          from: zoe,
          calendar: replyLines(uid, zoe, 'ACCEPTED', 'RECURRENCE-ID:20260302T090000Z'),
        }),
      ],
      [
        'that is none',
        ({ to, zoe, uid }) => ({ to, from: zoe, calendar: replyLines(uid, zoe, 'DELEGATED') }),
      ],
      [
        'of another method',
        ({ to, zoe, uid }) => ({
          to,
          from: zoe,
          calendar: replyLines(uid, zoe, 'ACCEPTED').map((line) =>
            line.replace('METHOD:REPLY', 'METHOD:REQUEST'),
          ),
        }),
      ],
      [
        'without a method',
        ({ to, zoe, uid }) => ({ to, from: zoe, calendar: replyLines(uid, zoe, 'ACCEPTED').toSpliced(2, 1) }),
      ],
      [
        'to an unknown event',
        ({ to, zoe }) => ({ to, from: zoe, calendar: replyLines('evt_unknown', zoe, 'ACCEPTED') }),
      ],
      [
        'to an event whose id no database takes',
        ({ to, zoe }) => ({ to, from: zoe, calendar: replyLines('evt_\0', zoe, 'ACCEPTED') }),
      ],
    ];
    for (const [what, sent] of forged) {
      test(`an answer ${what} is delivered and not taken (CAL-78, CAL-79)`, async () => {
        const [owner, zoe] = [await correspondent(), OUTSIDE()];
        const { id } = await makeEvent(app, owner, { attendees: [zoe] });
        await mail(sent({ to: owner.email, zoe, uid: id }));
        assert.deepEqual(await responsesOf(owner, id), ['needs_action']);
        assert.equal((await mailOf(owner)).length, 1);
      });
    }

    test('an answer that reaches somebody else than the owner is not taken (CAL-79)', async () => {
      const [owner, guest, zoe] = [await correspondent(), await correspondent(), OUTSIDE()];
      const { id } = await makeEvent(app, owner, { attendees: [zoe, guest.email] });
      await mail({ to: guest.email, from: zoe, calendar: replyLines(id, zoe, 'ACCEPTED') });
      assert.deepEqual(await responsesOf(owner, id), ['needs_action', 'needs_action']);
    });

    test('an answer to earlier times, or given before another, is not taken (CAL-79)', async () => {
      const [owner, zoe] = [await correspondent(), OUTSIDE()];
      const { id } = await makeEvent(app, owner, { attendees: [zoe] });
      const answer = (partstat: string, ...more: string[]) =>
        mail({ to: owner.email, from: zoe, calendar: replyLines(id, zoe, partstat, ...more) });
      await answer('ACCEPTED', 'DTSTAMP:20260102T000000Z');
      await answer('DECLINED', 'DTSTAMP:20260101T235959Z');
      assert.deepEqual(await responsesOf(owner, id), ['accepted']);
      await answer('DECLINED', 'DTSTAMP:20260102T000001Z');
      assert.deepEqual(await responsesOf(owner, id), ['declined']);
      await answer('TENTATIVE', 'DTSTAMP:99990101T000000Z');
      await answer('ACCEPTED');
      assert.deepEqual(await responsesOf(owner, id), ['accepted'], 'a clock that is ahead');
      data(await app.put(eventPath(owner, id), { starts_at: '2026-03-02T08:00:00Z' }, { key: owner.key }));
      await answer('ACCEPTED', 'SEQUENCE:0');
      assert.deepEqual(await responsesOf(owner, id), ['needs_action']);
      await answer('ACCEPTED', 'SEQUENCE:1');
      assert.deepEqual(await responsesOf(owner, id), ['accepted']);
    });

    test('a word that an answer plants is stored with its message alone (CAL-1, CAL-78)', async () => {
      const [owner, zoe] = [await correspondent(), OUTSIDE()];
      const { id } = await makeEvent(app, owner, { attendees: [zoe] });
      const planted = ['SUMMARY:PLANTED', 'COMMENT:PLANTED', 'X-ABOUT:PLANTED'];
      await mail({ to: owner.email, from: zoe, calendar: replyLines(id, zoe, 'ACCEPTED', ...planted) });
      assert.deepEqual(await responsesOf(owner, id), ['accepted']);
      const events = await app.services.database.read((tx) =>
        tx.selectFrom('calendar_events').selectAll().execute(),
      );
      assert.doesNotMatch(JSON.stringify(events), /PLANTED/);
    });
  });

  describe('people outside', () => {
    test('who is outside of the workspace is told as external, by each address (CAL-70, CAL-71)', async () => {
      const [owner, guest, zoe] = [await correspondent(), await correspondent(), OUTSIDE()];
      data(await app.put(`/v1/users/${guest.id}`, { aliases: [`alias.${guest.email}`] }));
      const attendees = [guest.email.toUpperCase(), zoe, `alias.${guest.email}`];
      const { id, external, responses } = await makeEvent(app, owner, { attendees });
      assert.deepEqual(external, [zoe]);
      assert.deepEqual(
        responses,
        attendees.map((email) => ({ email, response: 'needs_action' })),
      );
      const read = data(await app.get(eventPath(owner, id), { key: owner.key }));
      assert.deepEqual(read.external, [zoe]);
      const { external: none } = data(
        await app.put(eventPath(owner, id), { attendees: [guest.email] }, { key: owner.key }),
      );
      assert.deepEqual(none, []);
    });
  });
});

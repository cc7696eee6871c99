import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data, freshAddress, makeWorkspace } from './accounts.ts';
import { makeEvent, makePerson, makeRoom, type Person } from './calendar-world.ts';
import { changesFor, changesOf, told } from './changes-feed.ts';

forEachEngine((engine) => {
  describe('changes of calendars', () => {
    let app: TestApp;
    let [owner, guest, other] = [] as unknown as [Person, Person, Person];
    /** Of the guest. */
    const alias = freshAddress();

    before(async () => {
      app = await startApp(engine);
      owner = await makePerson(app);
      guest = await makePerson(app, { aliases: [alias] });
      other = await makePerson(app);
    });
    after(() => app.stop());

    /** What the owner, the guest and another user are told. */
    const toldAll = async (work: () => Promise<unknown>) =>
      (await changesFor(app, [owner.key, guest.key, other.key], work)).map((changes) =>
        told(changes.filter(({ type }) => /^(calendar|event)\./.test(type))),
      );
    const update = async (eventId: string, fields: object) =>
      data(await app.put(`/v1/calendars/${owner.calendar}/events/${eventId}`, fields, { key: owner.key }));
    const remove = async (eventId: string) => {
      const path = `/v1/calendars/${owner.calendar}/events/${eventId}`;
      assert.equal((await app.delete(path, { key: owner.key })).status, 204);
    };
    const respond = (person: Person, eventId: string, response = 'accepted') =>
      app.post(`/v1/events/${eventId}/response`, { response }, { key: person.key });
    const importInto = async (calendar: string, events: string[][]) => {
      const marked = events.map((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n'));
      const body = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...marked, 'END:VCALENDAR', ''].join('\r\n');
      const options = { key: owner.key, body, headers: { 'content-type': 'text/calendar' } };
      return data(await app.request('POST', `/v1/calendars/${calendar}/import`, options));
    };
    const attended = (uid: string, ...emails: string[]) => [
      `UID:${uid}`,
      'DTSTART:20260302T090000Z',
      'DTEND:20260302T100000Z',
      ...emails.map((email) => `ATTENDEE:mailto:${email}`),
    ];

    test('a calendar tells its owner that it is created and changed (CHANGE-42)', async () => {
      let id = '';
      const feeds = await toldAll(async () => {
        const options = { key: owner.key };
        id = data(await app.post('/v1/calendars', { name: 'Work' }, options), 201).id;
        data(await app.put(`/v1/calendars/${id}`, { name: 'Home' }, options));
      });
      const ids = { calendar_id: id };
      assert.deepEqual(feeds, [
        [
          ['calendar.created', ids],
          ['calendar.changed', ids],
        ],
        [],
        [],
      ]);
    });

    test('a change that a calendar or an event has already tells of nothing (CHANGE-1, CHANGE-42)', async () => {
      const options = { key: owner.key };
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
      const { id } = await makeEvent(app, owner, { attendees: [guest.email], recurrence });
      data(await respond(guest, id));
      const path = `/v1/calendars/${owner.calendar}/events/${id}`;
      const event = data(await app.get(path, options));
      const [calendar] = data(await app.get('/v1/calendars', options));
      const feeds = await toldAll(async () => {
        const { starts_at, ends_at, time_zone, all_day, status, transparency, resources } = event;
        const same = { starts_at, ends_at, time_zone, all_day, status, transparency, resources };
        await update(id, { ...same, recurrence, attendees: [guest.email] });
        const { name, color, time_zone: zone } = calendar;
        const answer = await app.put(
          `/v1/calendars/${calendar.id}`,
          { name, color, time_zone: zone },
          options,
        );
        assert.deepEqual(data(answer), calendar);
      });
      assert.deepEqual(feeds, [[], [], []]);
      assert.deepEqual(data(await app.get(path, options)), event);
    });

    test('an event without guests tells its owner alone (CHANGE-42)', async () => {
      let id = '';
      const feeds = await toldAll(async () => {
        ({ id } = await makeEvent(app, owner));
        await update(id, { transparency: 'free' });
        await remove(id);
      });
      const ids = { calendar_id: owner.calendar, event_id: id };
      assert.deepEqual(feeds, [
        [
          ['event.created', ids],
          ['event.changed', ids],
          ['event.deleted', ids],
        ],
        [],
        [],
      ]);
    });

    test('an event tells the users whom it invites by any address, and no other (CHANGE-42)', async () => {
      let id = '';
      const attendees = [alias.toUpperCase(), 'nobody@elsewhere.example', owner.email];
      const feeds = await toldAll(async () => {
        ({ id } = await makeEvent(app, owner, { attendees }));
        await update(id, { transparency: 'free' });
        await remove(id);
      });
      const ids = { calendar_id: owner.calendar, event_id: id };
      const all = ['event.created', 'event.changed', 'event.deleted'].map((type) => [type, ids]);
      assert.deepEqual(feeds, [all, all, []]);
    });

    test('who is no longer invited is told of the change that did it, and of none after (CHANGE-42)', async () => {
      const { id } = await makeEvent(app, owner, { attendees: [guest.email] });
      const ids = { calendar_id: owner.calendar, event_id: id };
      const [, ofGuest, ofOther] = await toldAll(async () => {
        await update(id, { attendees: [other.email] });
        await update(id, { transparency: 'free' });
      });
      assert.deepEqual(ofGuest, [['event.changed', ids]]);
      assert.deepEqual(ofOther, [
        ['event.changed', ids],
        ['event.changed', ids],
      ]);
    });

    test('a user of another workspace is told of no event that lists them (CHANGE-42)', async () => {
      const { key } = await makeWorkspace(app);
      const { email } = data(await app.get('/v1/users/me', { key }));
      assert.deepEqual(await changesOf(app, key, () => makeEvent(app, owner, { attendees: [email] })), []);
    });

    test('a response tells the owner and the users who are invited (CHANGE-44)', async () => {
      const { id } = await makeEvent(app, owner, { attendees: [guest.email, other.email] });
      const feeds = await toldAll(async () => data(await respond(guest, id)));
      const once = [['event.responded', { event_id: id }]];
      assert.deepEqual(feeds, [once, once, once]);
    });

    test('the same response again tells of nothing and leaves the event as it is (CHANGE-1, CHANGE-44)', async () => {
      const { id } = await makeEvent(app, owner, { attendees: [guest.email] });
      data(await respond(guest, id));
      const read = () => app.get(`/v1/calendars/${owner.calendar}/events/${id}`, { key: owner.key });
      const event = data(await read());
      const feeds = await toldAll(async () => data(await respond(guest, id)));
      assert.deepEqual(feeds, [[], [], []]);
      assert.deepEqual(data(await read()), event);
      const changed = await toldAll(async () => data(await respond(guest, id, 'declined')));
      assert.deepEqual(changed[0], [['event.responded', { event_id: id }]]);
    });

    test('a change of a calendar says who has written, and nothing about times and people (CHANGE-2)', async () => {
      const { id } = await makeEvent(app, owner, { attendees: [guest.email] });
      const [change] = await changesOf(app, owner.key, () => respond(guest, id, 'declined'));
      assert.equal(change?.actor?.user_id, guest.id);
      assert.doesNotMatch(JSON.stringify(change?.ids), /2026|@|declined/);
    });

    test('what is refused of a calendar tells of nothing (CHANGE-1)', async () => {
      const room = await makeRoom(app);
      await makeEvent(app, owner, { resources: [room] });
      const { id } = await makeEvent(app, owner, { attendees: [guest.email] });
      const feeds = await toldAll(async () => {
        assert.equal((await respond(other, id)).status, 404);
        const options = { key: owner.key };
        const body = {
          starts_at: '2026-03-02T09:30:00Z',
          ends_at: '2026-03-02T10:00:00Z',
          resources: [room],
        };
        const path = `/v1/calendars/${owner.calendar}/events`;
        assert.equal((await app.post(path, body, options)).status, 409);
        assert.equal((await app.put(`${path}/${id}`, { resources: [room] }, options)).status, 409);
      });
      assert.deepEqual(feeds, [[], [], []]);
    });

    test('an import tells its owner of all events at once, and each guest of theirs (CHANGE-43)', async () => {
      const { id: calendar } = data(
        await app.post('/v1/calendars', { name: 'Imported' }, { key: owner.key }),
        201,
      );
      const events = [
        attended('a', guest.email, owner.email),
        attended('b', other.email, alias),
        ...Array.from({ length: 600 }, (_, i) => attended(`c${i}`)),
      ];
      const created = await toldAll(() => importInto(calendar, events));
      const listed = ([[, ids] = ['', {}]]: (typeof created)[number]) => (ids.event_ids ?? []) as string[];
      for (const feed of created) {
        assert.equal(feed.length, 1);
        assert.equal(feed[0]?.[0], 'event.created');
        assert.equal(feed[0]?.[1].calendar_id, calendar);
      }
      const [ofOwner = [], ofGuest = [], ofOther = []] = created.map(listed);
      assert.equal(new Set(ofOwner).size, 602);
      assert.equal(ofGuest.length, 2);
      assert.equal(ofOther.length, 1);
      assert.ok(ofGuest.includes(ofOther[0] ?? '') && ofGuest.every((id) => ofOwner.includes(id)));
      const changed = await toldAll(() => importInto(calendar, [attended('b', alias), attended('d')]));
      const ids = { calendar_id: calendar, event_ids: ofOther };
      assert.deepEqual(changed[0]?.[1], ['event.changed', ids]);
      assert.deepEqual(
        changed[0]?.map(([type]) => type),
        ['event.created', 'event.changed'],
      );
      assert.deepEqual(changed.slice(1), [[['event.changed', ids]], [['event.changed', ids]]]);
    });

    test('an import that stores nothing tells of nothing (CHANGE-1)', async () => {
      const feeds = await toldAll(() => importInto(owner.calendar, [['UID:none']]));
      assert.deepEqual(feeds, [[], [], []]);
    });

    test('an event that is imported as it is stored tells of nothing (CHANGE-1, CHANGE-43)', async () => {
      const event = attended('again', guest.email);
      await importInto(owner.calendar, [event]);
      const window = 'start=2026-03-02T00:00:00Z&end=2026-03-03T00:00:00Z';
      const read = async () =>
        data(await app.get(`/v1/calendars/${owner.calendar}/events?${window}`, { key: owner.key }));
      const events = await read();
      const feeds = await toldAll(async () => {
        const report = await importInto(owner.calendar, [event, attended('fresh')]);
        assert.deepEqual(report, { created: 1, updated: 1, skipped: [] });
      });
      assert.deepEqual(
        feeds.map((changes) => changes.map(([type]) => type)),
        [['event.created'], [], []],
      );
      assert.equal((await read()).length, events.length + 1);
    });

    test("a calendar's new time zone tells of the events that follow it (CHANGE-45)", async () => {
      const options = { key: owner.key };
      const { id: calendar } = data(await app.post('/v1/calendars', { name: 'Far' }, options), 201);
      const person = { ...owner, calendar };
      await makeEvent(app, person, { attendees: [other.email] });
      const day = { starts_at: '2026-03-02', ends_at: '2026-03-03', all_day: true };
      const rooms = [await makeRoom(app)];
      const { id: follower } = await makeEvent(app, person, { ...day, attendees: [alias], resources: rooms });
      const { id: alone } = await makeEvent(app, person, day);
      const move = async () =>
        data(await app.put(`/v1/calendars/${calendar}`, { time_zone: 'Asia/Tokyo' }, options));
      const [ofOwner = [], ofGuest, ofOther] = await toldAll(move);
      const [first, moved] = ofOwner;
      assert.equal(ofOwner.length, 2);
      assert.deepEqual(first, ['calendar.changed', { calendar_id: calendar }]);
      assert.equal(moved?.[0], 'event.changed');
      assert.deepEqual(new Set(moved?.[1].event_ids as string[]), new Set([follower, alone]));
      assert.deepEqual(ofGuest, [['event.changed', { calendar_id: calendar, event_ids: [follower] }]]);
      assert.deepEqual(ofOther, []);
      const [again] = await toldAll(move);
      assert.deepEqual(again, []);
    });
  });
});

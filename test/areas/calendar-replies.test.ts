/** Invitations that leave by a relay and are answered by mail, with mail programs of others: Python's, and swaks. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { outputOf, WITHOUT_PYTHON } from '../python.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { data, freshAddress, makeKey, makeUser, makeWorkspace } from './accounts.ts';
import { makeEvent, makePerson, type Person, replyLines } from './calendar-world.ts';

const ATTENDEE = join(import.meta.dirname, 'attendee.py');
const WITHOUT_SWAKS =
  spawnSync('swaks', ['--version']).status === 0 ? false : 'there is no swaks on this machine';
const OTHER = 'mallory@evil.example';

const outsider = () => `zoe-${randomUUID().slice(0, 8)}@elsewhere.example`;

/** A message with these header fields and this calendar part. */
const messageWith = (headers: readonly string[], calendar: readonly string[]) =>
  [
    ...headers,
    'Subject: Accepted: Meeting',
    `Message-ID: <${randomUUID()}@elsewhere.example>`,
    'MIME-Version: 1.0',
    'Content-Type: text/calendar; charset=utf-8; method=REPLY',
    '',
    ...calendar,
    '',
  ].join('\r\n');

forEachEngine((engine) => {
  describe('answers by mail programs of others', { skip: WITHOUT_PYTHON }, () => {
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

    const python = (command: string, input: object) =>
      outputOf(['python3', ATTENDEE, command], JSON.stringify({ ...app.smtp, ...input }));

    const send = (messages: { envelope: string; to: string[]; message: string }[]) =>
      python('send', { messages });

    const pathOf = (owner: Person, id: string) => `/v1/calendars/${owner.calendar}/events/${id}`;
    const responsesOf = async (owner: Person, id: string): Promise<string[]> =>
      data(await app.get(pathOf(owner, id), { key: owner.key })).attendees.map(
        ({ response }: { response: string }) => response,
      );

    /** What arrives at the relay while this is done. */
    async function relayed(work: () => Promise<unknown>, count = 1): Promise<string[]> {
      const before = relay.arrived.length;
      await work();
      await relay.waitFor(before + count);
      return relay.arrived.slice(before).map(({ raw }) => raw);
    }

    async function invited(zoe: string, fields: Record<string, unknown> = {}) {
      const owner = await makePerson(app, { name: 'Ada Lovelace' });
      let event: { id: string } = { id: '' };
      const [invitation = ''] = await relayed(async () => {
        event = await makeEvent(app, owner, { attendees: [zoe], notify: 'all', ...fields });
      });
      return { owner, id: event.id, invitation };
    }

    it('an attendee elsewhere is invited, accepts, is told of other times, and declines (CAL-73, CAL-74, CAL-78)', async () => {
      const zoe = outsider();
      const { owner, id, invitation } = await invited(zoe);
      const read = JSON.parse(await outputOf(['python3', ATTENDEE, 'read'], invitation));
      assert.deepEqual([read.from, read.to, read.defects], [[owner.email], [zoe], []]);
      assert.deepEqual(read.types, ['text/plain', 'text/calendar']);
      assert.equal(read.method, 'REQUEST');
      assert.deepEqual(read.attendees, [`mailto:${zoe}`]);
      const { UID, DTSTART, DURATION, SEQUENCE, ORGANIZER, METHOD } = read.values;
      assert.deepEqual(
        [UID, DTSTART, DURATION, SEQUENCE, ORGANIZER, METHOD],
        [id, '20260302T090000Z', 'PT3600S', '0', `mailto:${owner.email}`, 'REQUEST'],
      );
      await python('answer', { invitation, from: `Zoe <${zoe}>`, to: owner.email, partstat: 'ACCEPTED' });
      assert.deepEqual(await responsesOf(owner, id), ['accepted']);
      const [moved = ''] = await relayed(() =>
        app.put(pathOf(owner, id), { starts_at: '2026-03-02T08:00:00Z', notify: 'all' }, { key: owner.key }),
      );
      assert.deepEqual(await responsesOf(owner, id), ['needs_action']);
      await python('answer', { invitation, from: zoe, to: owner.email, partstat: 'ACCEPTED' });
      assert.deepEqual(await responsesOf(owner, id), ['needs_action'], 'an answer to the former times');
      await python('answer', { invitation: moved, from: zoe, to: owner.email, partstat: 'DECLINED' });
      assert.deepEqual(await responsesOf(owner, id), ['declined']);
      const [cancelled = ''] = await relayed(() =>
        app.delete(`${pathOf(owner, id)}?notify=all`, { key: owner.key }),
      );
      const last = JSON.parse(await outputOf(['python3', ATTENDEE, 'read'], cancelled));
      assert.deepEqual([last.method, last.values.STATUS, last.values.SEQUENCE], ['CANCEL', 'CANCELLED', '2']);
    });

    it('an answer by swaks is taken from the attendee, and not from another (CAL-78, CAL-79)', {
      skip: WITHOUT_SWAKS,
    }, async () => {
      const zoe = outsider();
      const { owner, id } = await invited(zoe);
      const { host, port } = app.smtp;
      const swaks = (envelope: string, from: string, partstat: string) => {
        const message = messageWith([`From: ${from}`, `To: ${owner.email}`], replyLines(id, zoe, partstat));
        const options = [
          '--server',
          `${host}:${port}`,
          '--from',
          envelope,
          '--to',
          owner.email,
          '--data',
          '-',
        ];
        return outputOf(['swaks', '--suppress-data', ...options], message);
      };
      await swaks(OTHER, zoe, 'ACCEPTED');
      await swaks(zoe, OTHER, 'ACCEPTED');
      assert.deepEqual(await responsesOf(owner, id), ['needs_action']);
      await swaks(zoe, `"Zoe, of <elsewhere>" <${zoe}>`, 'TENTATIVE');
      assert.deepEqual(await responsesOf(owner, id), ['tentative']);
    });

    it('no message tells what a meeting is about (CAL-1, CAL-74)', async () => {
      const zoe = outsider();
      const owner = await makePerson(app, { name: 'Ada Lovelace' });
      const room = data(await app.post('/v1/resources', { name: 'PLANTED room', kind: 'room' }), 201).id;
      data(
        await app.put(`/v1/calendars/${owner.calendar}`, { name: 'PLANTED calendar' }, { key: owner.key }),
      );
      let id = '';
      const messages = await relayed(async () => {
        const event = await makeEvent(app, owner, { attendees: [zoe], resources: [room], notify: 'all' });
        id = event.id;
        const lines = replyLines(
          id,
          zoe,
          'ACCEPTED',
          'SUMMARY:PLANTED',
          'COMMENT:PLANTED',
          'LOCATION:PLANTED',
        );
        const message = messageWith([`From: ${zoe}`], lines);
        await send([{ envelope: zoe, to: [owner.email], message }]);
        data(
          await app.put(
            pathOf(owner, id),
            { ends_at: '2026-03-02T11:00:00Z', notify: 'all' },
            { key: owner.key },
          ),
        );
        assert.equal((await app.delete(`${pathOf(owner, id)}?notify=all`, { key: owner.key })).status, 204);
      }, 3);
      for (const message of messages) {
        assert.doesNotMatch(message, /PLANTED/);
        const read = JSON.parse(await outputOf(['python3', ATTENDEE, 'read'], message));
        assert.equal(read.values.SUMMARY, 'Meeting');
        const known =
          'BEGIN VERSION PRODID METHOD UID DTSTAMP DTSTART DURATION STATUS TRANSP SEQUENCE SUMMARY ORGANIZER ATTENDEE END';
        assert.deepEqual(
          Object.keys(read.values).filter((name) => !known.split(' ').includes(name)),
          [],
        );
        assert.match(read.subject, /^(Invitation to|Changed:|Cancelled:) a meeting on 2026-03-02$/);
      }
    });

    interface Known {
      zoe: string;
      /** Another attendee of the event. */
      yan: string;
      uid: string;
    }
    type Forged = (known: Known) => { headers: string[]; envelope?: string; calendar?: string[] };
    const forged: [what: string, sent: Forged][] = [
      [
        'of another attendee in one’s own name',
        ({ zoe, yan, uid }) => ({
          headers: [`From: ${yan}`],
          envelope: yan,
          calendar: replyLines(uid, zoe, 'ACCEPTED'),
        }),
      ],
      [
        'of the attendee by the envelope of another one',
        ({ zoe, yan }) => ({ headers: [`From: ${zoe}`], envelope: yan }),
      ],
      ['with a From that is a group', ({ zoe }) => ({ headers: [`From: Friends: ${zoe};`] })],
      [
        'with a From that is a group after its address',
        ({ zoe }) => ({ headers: [`From: ${OTHER}: ${zoe};`] }),
      ],
      [
        'with a From that is a group of a mailbox with a name',
        ({ zoe }) => ({ headers: [`From: Friends: Zoe <${zoe}>;`] }),
      ],
      ['with an empty group behind the address', ({ zoe }) => ({ headers: [`From: ${zoe}, Others:;`] })],
      ['with another address before the brackets', ({ zoe }) => ({ headers: [`From: ${OTHER} <${zoe}>`] })],
      ['with another address in brackets before', ({ zoe }) => ({ headers: [`From: <${OTHER}> <${zoe}>`] })],
      ['with another address in brackets behind', ({ zoe }) => ({ headers: [`From: <${zoe}> <${OTHER}>`] })],
      ['with another address behind the brackets', ({ zoe }) => ({ headers: [`From: <${zoe}> ${OTHER}`] })],
      ['with another address in a comment', ({ zoe }) => ({ headers: [`From: (${OTHER}) <${zoe}>`] })],
      ['with the address in a comment', ({ zoe }) => ({ headers: [`From: ${OTHER} (${zoe})`] })],
      ['with the address in the name', ({ zoe }) => ({ headers: [`From: "Zoe <${zoe}>" <${OTHER}>`] })],
      [
        'with the address in an encoded word',
        ({ zoe }) => ({ headers: [`From: =?utf-8?q?Zoe_=3C${zoe.replace('@', '=40')}=3E?=`] }),
      ],
      [
        'with the address in an encoded word in brackets',
        ({ zoe }) => ({ headers: [`From: Zoe <=?utf-8?q?${zoe.replace('@', '=40')}?=>`] }),
      ],
      ['with a source route', ({ zoe }) => ({ headers: [`From: <@evil.example:${zoe}>`] })],
      ['with a quote that never closes', ({ zoe }) => ({ headers: [`From: "${OTHER} <${zoe}>`] })],
      ['with a From of two lines', ({ zoe }) => ({ headers: [`From: ${OTHER},`, `  ${zoe}`] })],
      ['with two From, the own one last', ({ zoe }) => ({ headers: [`From: ${OTHER}`, `From: ${zoe}`] })],
      ['with two From that are the same', ({ zoe }) => ({ headers: [`From: ${zoe}`, `FROM: ${zoe}`] })],
      [
        'with a From after an obsolete space',
        ({ zoe }) => ({ headers: [`From: ${zoe}`, `From : ${OTHER}`] }),
      ],
      ['without From', ({ zoe }) => ({ headers: [`Sender: ${zoe}`] })],
      ['with an empty From', ({ zoe }) => ({ headers: ['From:', `Sender: ${zoe}`] })],
      ['with another Sender', ({ zoe }) => ({ headers: [`From: ${zoe}`, `Sender: Mallory <${OTHER}>`] })],
      ['with two Sender', ({ zoe }) => ({ headers: [`From: ${zoe}`, `Sender: ${zoe}`, `Sender: ${OTHER}`] })],
      ['with a Sender of no address', ({ zoe }) => ({ headers: [`From: ${zoe}`, 'Sender: Mallory'] })],
      [
        'with the attendee in Reply-To alone',
        ({ zoe }) => ({ headers: [`From: ${OTHER}`, `Reply-To: ${zoe}`], envelope: OTHER }),
      ],
      [
        'of two attendees',
        ({ zoe, yan, uid }) => ({
          headers: [`From: ${zoe}`],
          calendar: replyLines(uid, zoe, 'ACCEPTED', `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${yan}`),
        }),
      ],
      [
        'of the attendee twice',
        ({ zoe, uid }) => ({
          headers: [`From: ${zoe}`],
          calendar: replyLines(uid, zoe, 'ACCEPTED', `ATTENDEE;PARTSTAT=DECLINED:mailto:${zoe}`),
        }),
      ],
      [
        'of two events',
        ({ zoe, uid }) => ({
          headers: [`From: ${zoe}`],
          calendar: replyLines(uid, zoe, 'ACCEPTED').toSpliced(
            -1,
            0,
            ...replyLines(uid, zoe, 'DECLINED').slice(3, -1),
          ),
        }),
      ],
      [
        'to an instance that there is',
        ({ zoe, uid }) => ({
          headers: [`From: ${zoe}`],
          calendar: replyLines(uid, zoe, 'ACCEPTED', 'RECURRENCE-ID:20260303T090000Z'),
        }),
      ],
      [
        'to an instance that there is not',
        ({ zoe, uid }) => ({
          headers: [`From: ${zoe}`],
          calendar: replyLines(uid, zoe, 'ACCEPTED', 'RECURRENCE-ID:20310101T000000Z'),
        }),
      ],
      [
        'with its method in the type alone',
        ({ zoe, uid }) => ({
          headers: [`From: ${zoe}`],
          calendar: replyLines(uid, zoe, 'ACCEPTED').toSpliced(2, 1),
        }),
      ],
      [
        'with its method behind the event',
        ({ zoe, uid }) => ({
          headers: [`From: ${zoe}`],
          calendar: replyLines(uid, zoe, 'ACCEPTED').toSpliced(2, 1).toSpliced(-1, 0, 'METHOD:REPLY'),
        }),
      ],
    ];

    it('a forged answer is delivered and changes nothing; the same event takes the answer of its attendee (CAL-78, CAL-79)', async () => {
      const owner = await makePerson(app);
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=5'];
      const read = async (uid: string) => data(await app.get(pathOf(owner, uid), { key: owner.key }));
      const cases = [];
      for (const [what, sent] of forged) {
        const known = { zoe: outsider(), yan: outsider() };
        const { id: uid } = await makeEvent(app, owner, { attendees: [known.zoe, known.yan], recurrence });
        const {
          headers,
          envelope = known.zoe,
          calendar = replyLines(uid, known.zoe, 'ACCEPTED'),
        } = sent({
          ...known,
          uid,
        });
        const message = messageWith(headers, calendar);
        cases.push({ what, uid, zoe: known.zoe, before: await read(uid), mail: { envelope, message } });
      }
      await send(cases.map(({ mail }) => ({ ...mail, to: [owner.email] })));
      for (const { what, uid, before } of cases) assert.deepEqual(await read(uid), before, what);
      await send(
        cases.map(({ zoe, uid }) => ({
          envelope: zoe,
          to: [owner.email],
          message: messageWith([`From: ${zoe}`], replyLines(uid, zoe, 'ACCEPTED')),
        })),
      );
      for (const { what, uid } of cases)
        assert.deepEqual(await responsesOf(owner, uid), ['accepted', 'needs_action'], what);
    });

    it('an answer is taken from each form of one address (CAL-79)', async () => {
      const owner = await makePerson(app);
      const forms: ((zoe: string) => string[])[] = [
        (zoe) => [`From: ${zoe}`],
        (zoe) => [`From: <${zoe}>`],
        (zoe) => [`From: Zoe of Elsewhere <${zoe.toUpperCase()}>`],
        (zoe) => [`From: "Zoe, of \\"Elsewhere\\" @ home" <${zoe}>`],
        (zoe) => [`From: =?utf-8?q?Zo=C3=AB=2C_of_=3CElsewhere=3E?= <${zoe}>`],
        (zoe) => ['From: Zoë', ` <${zoe}>`],
        (zoe) => [`From: Zoe <${zoe}>`, `Sender: "Zoe" <${zoe}>`],
      ];
      const events = [];
      for (const form of forms) {
        const zoe = outsider();
        const { id } = await makeEvent(app, owner, { attendees: [zoe] });
        events.push({ id, zoe, message: messageWith(form(zoe), replyLines(id, zoe, 'ACCEPTED')) });
      }
      await send(events.map(({ zoe: envelope, message }) => ({ envelope, to: [owner.email], message })));
      for (const { id, message } of events)
        assert.deepEqual(await responsesOf(owner, id), ['accepted'], message);
    });

    it('an answer to an event of another workspace reaches neither by way of this one (CAL-79)', async () => {
      const zoe = outsider();
      const elsewhere = await makeWorkspace(app);
      const address = freshAddress();
      const { id: userId } = data(
        await app.post('/v1/users', { email: address, name: 'Else' }, { key: elsewhere.key }),
        201,
      );
      const { key } = await makeKey(
        app,
        ['calendar.events.read', 'calendar.events.write'],
        { user_id: userId },
        { key: elsewhere.key },
      );
      const [{ id: calendar }] = data(await app.get('/v1/calendars', { key }));
      const theirs: Person = { id: userId, email: address, key, calendar };
      const here = await makePerson(app);
      const [mine, other] = [
        await makeEvent(app, here, { attendees: [zoe] }),
        await makeEvent(app, theirs, { attendees: [zoe] }),
      ];
      const answer = (uid: string, to: string[]) =>
        send([
          { envelope: zoe, to, message: messageWith([`From: ${zoe}`], replyLines(uid, zoe, 'ACCEPTED')) },
        ]);
      await answer(other.id, [here.email]);
      await answer(mine.id, [theirs.email]);
      assert.deepEqual(
        [await responsesOf(here, mine.id), await responsesOf(theirs, other.id)],
        [['needs_action'], ['needs_action']],
      );
      await answer(other.id, [here.email, theirs.email]);
      assert.deepEqual(
        [await responsesOf(here, mine.id), await responsesOf(theirs, other.id)],
        [['needs_action'], ['accepted']],
      );
    });

    it('an answer that is sent again changes nothing after a later one, by whatever way that came (CAL-79)', async () => {
      const zoe = outsider();
      const guest = freshAddress();
      const { id: guestId } = await makeUser(app, { email: guest });
      const { key } = await makeKey(app, ['calendar.events.write'], { user_id: guestId });
      const owner = await makePerson(app);
      const { id } = await makeEvent(app, owner, { attendees: [zoe, guest] });
      const answer = (from: string, partstat: string, stamp: string) =>
        send([
          {
            envelope: from,
            to: [owner.email],
            message: messageWith(
              [`From: ${from}`],
              replyLines(id, from, partstat, 'SEQUENCE:0', `DTSTAMP:${stamp}`),
            ),
          },
        ]);
      await answer(zoe, 'ACCEPTED', '20260101T000000Z');
      await answer(zoe, 'DECLINED', '20260102T000000Z');
      await answer(guest, 'ACCEPTED', '20260101T000000Z');
      data(await app.post(`/v1/events/${id}/response`, { response: 'declined' }, { key }));
      // What leaves the times alone leaves the answers alone.
      const attendees = [guest, zoe, outsider()];
      data(await app.put(pathOf(owner, id), { attendees, transparency: 'free' }, { key: owner.key }));
      data(await app.put(pathOf(owner, id), { ends_at: '2026-03-02T10:00:00Z' }, { key: owner.key }));
      await answer(zoe, 'ACCEPTED', '20260101T000000Z');
      await answer(guest, 'ACCEPTED', '20260101T000000Z');
      assert.deepEqual(await responsesOf(owner, id), ['declined', 'declined', 'needs_action']);
    });
  });
});

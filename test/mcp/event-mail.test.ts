/** Mail about an event reaches nobody outside but those whom a person has confirmed, whatever happens to the event meanwhile. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { updateEvent } from '../../src/areas/calendar/events/events.ts';
import { calendarLock } from '../../src/areas/calendar/owner.ts';
import { data, makeUser } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

const GRACE = 'grace@localhost';
const EVE = 'eve@elsewhere.example';
const MALLORY = 'mallory@elsewhere.example';
const ENDS = '2034-02-10T10:00:00.000Z';
const LATER = '2034-02-10T11:00:00.000Z';

forEachEngine((engine) => {
  describe('mail about an event that an agent changes', () => {
    let app: TestApp;
    let calendar: string;
    /** Nobody can be asked, and the key may not send. */
    let preset: TestAgent;
    /** A person can be asked. */
    let asking: TestAgent;
    const questions: string[] = [];
    /** What happens between a question and the answer. */
    let meanwhile: () => Promise<void> = async () => {};
    let isYes = true;
    before(async () => {
      app = await startApp(engine, { ATRIUM_SMTP_RELAY: 'smtp://127.0.0.1:9' });
      await makeUser(app, { email: GRACE });
      const { key } = data(await app.post('/v1/api-keys', { name: 'agent', preset: 'agent' }), 201);
      preset = await connectAgent(app.address, { key, query: '?tools=all' });
      asking = await connectAgent(app.address, {
        answer: async (question) => {
          questions.push(question);
          await meanwhile();
          return isYes ? { action: 'accept', confirm: true } : { action: 'decline' };
        },
      });
      [{ id: calendar }] = data(await app.get('/v1/calendars'));
    });
    after(async () => {
      await asking.close();
      await preset.close();
      await app.stop();
    });
    beforeEach(() => {
      questions.length = 0;
      isYes = true;
      meanwhile = async () => {};
    });

    const path = (id: string) => `/v1/calendars/${calendar}/events/${id}`;
    const eventWith = async (attendees: readonly string[], more: object = {}): Promise<string> => {
      const times = { starts_at: '2034-02-10T09:00:00.000Z', ends_at: ENDS };
      return data(await app.post(`/v1/calendars/${calendar}/events`, { ...times, attendees, ...more }), 201)
        .id;
    };
    const endOf = async (id: string) => data(await app.get(path(id))).ends_at;
    /** To whom outside mail has left, or waits for it. */
    const mailed = async () => {
      const rows = await app.services.database.read((tx) =>
        tx.selectFrom('mail_outbox').select(['id', 'recipients']).orderBy('id').execute(),
      );
      return rows.map(({ recipients }) => recipients);
    };

    /**
     * Begins a change of whom an event lists that ends a little later. A call that tells them reads them as they were before,
     * and then waits with its writing until the change has been stored.
     */
    const listingBegun = async (eventId: string, attendees: string[]) => {
      const caller = await app.services.authentication.authenticate(`Bearer ${OWNER_KEY}`);
      const key = { calendarId: calendar, eventId };
      const isHeld = Promise.withResolvers<void>();
      const changed = app.services.database.write(async (tx) => {
        tx.actAs(caller);
        await tx.lock(calendarLock(caller));
        await tx.settled();
        isHeld.resolve();
        await pause(500);
        await updateEvent(tx, app.services.calendar.dependencies, caller, key, { attendees });
      });
      await isHeld.promise;
      return { changed };
    };

    describe('where nobody can be asked', () => {
      const calls: Record<string, (id: string) => Promise<string>> = {
        'a change': (event_id) =>
          preset.refused('save_event', { id: calendar, event_id, notify: 'all', ends_at: LATER }),
        'a change under a key of its own': (event_id) => {
          const given = { id: calendar, event_id, notify: 'all', ends_at: LATER };
          return preset.refused('save_event', { ...given, idempotency_key: event_id });
        },
        'a removal': (event_id) => preset.refused('trash_item', { id: calendar, event_id, notify: 'all' }),
        'a removal by its operation': (event_id) => {
          const given = { id: calendar, event_id, notify: 'all' };
          return preset.refused('call_operation', { operation_id: 'deleteEvent', arguments: given });
        },
      };
      for (const [what, call] of Object.entries(calls))
        it(`is refused for ${what} of an event that gets attendees outside meanwhile (MCP-55)`, async () => {
          const id = await eventWith([GRACE]);
          const before = await mailed();
          const { changed } = await listingBegun(id, [GRACE, EVE]);
          assert.equal(await call(id), 'insufficient_scope');
          await changed;
          assert.deepEqual(await mailed(), before);
          assert.equal(await endOf(id), ENDS);
        });

      it('is refused where two calls change an event at once (MCP-55)', async () => {
        const before = await mailed();
        for (let round = 0; round < 10; round++) {
          const event_id = await eventWith([]);
          await Promise.all([
            preset.call('save_event', { id: calendar, event_id, attendees: [EVE] }),
            preset.call('save_event', { id: calendar, event_id, notify: 'all', ends_at: LATER }),
          ]);
        }
        assert.deepEqual(await mailed(), before);
      });

      it('reaches people of the workspace, also those that come meanwhile (MCP-55)', async () => {
        const event_id = await eventWith([]);
        const { changed } = await listingBegun(event_id, [GRACE]);
        await preset.use('save_event', { id: calendar, event_id, notify: 'all', ends_at: LATER });
        await changed;
        assert.equal(await endOf(event_id), LATER);
      });
    });

    describe('where a person can be asked', () => {
      const given = (event_id: string) => ({ id: calendar, event_id, notify: 'all', ends_at: LATER });

      for (const more of [{}, { idempotency_key: 'an-event-that-changes' }])
        it(`asks for the first time where attendees outside come as it is changed, with ${JSON.stringify(more)} (MCP-55)`, async () => {
          const id = await eventWith([GRACE]);
          const before = await mailed();
          isYes = false;
          const { changed } = await listingBegun(id, [GRACE, EVE]);
          const { structured } = await asking.call('save_event', { ...given(id), ...more });
          await changed;
          assert.deepEqual(structured, { declined: true });
          assert.match(questions.join(), /^Send mail about the event to “eve@elsewhere\.example”, outside/);
          assert.deepEqual([await mailed(), await endOf(id)], [before, ENDS]);
          isYes = true;
          await asking.use('save_event', { ...given(id), ...more });
          assert.deepEqual((await mailed()).slice(before.length), [JSON.stringify([EVE])]);
        });

      it('asks anew where others come after a yes, and sends to those of the last one (MCP-55)', async () => {
        const id = await eventWith([EVE]);
        const before = await mailed();
        let changed: Promise<unknown> | undefined;
        meanwhile = async () => {
          meanwhile = async () => {};
          ({ changed } = await listingBegun(id, [EVE, MALLORY]));
        };
        await asking.use('save_event', given(id));
        await changed;
        assert.equal(questions.length, 2);
        assert.doesNotMatch(questions[0] ?? '', /mallory/);
        assert.match(questions[1] ?? '', /mallory/);
        assert.deepEqual((await mailed()).slice(before.length), [JSON.stringify([EVE, MALLORY])]);
        const again = await asking.call('save_event', given(id));
        assert.deepEqual([again.structured.replayed, questions.length], [true, 2]);
      });

      it('sends without another question where fewer are left of those who were confirmed (MCP-55)', async () => {
        const id = await eventWith([EVE, MALLORY]);
        await eventWith([]);
        let changed: Promise<unknown> | undefined;
        meanwhile = async () => {
          ({ changed } = await listingBegun(id, [EVE]));
        };
        await asking.use('save_event', given(id));
        await changed;
        assert.deepEqual([questions.length, (await mailed()).at(-1)], [1, JSON.stringify([EVE])]);
      });

      it('gives up, changes nothing and keeps nothing where it is others each time (MCP-53, MCP-55)', async (t) => {
        const id = await eventWith([EVE]);
        const before = await mailed();
        const more = { idempotency_key: `others-${id}` };
        const found = t.mock.method(app.services.mail.sending, 'outsiders', async () => []);
        assert.equal(await asking.refused('save_event', { ...given(id), ...more }), 'unavailable');
        assert.equal(found.mock.callCount(), 3);
        found.mock.restore();
        assert.deepEqual([questions.length, await mailed(), await endOf(id)], [0, before, ENDS]);
        await asking.use('save_event', { ...given(id), ...more });
        assert.equal(questions.length, 1);
      });

      it('does not mail where notify is written so that no question sees it (MCP-55)', async () => {
        const id = await eventWith([EVE]);
        const before = await mailed();
        const { isError } = await asking.call('trash_item', { id: calendar, event_id: id, notify: ['all'] });
        assert.deepEqual([isError, await mailed()], [true, before]);
      });

      it('tells of a series with all of its attendees (MCP-55)', async () => {
        const id = await eventWith([EVE], {
          recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
          time_zone: 'Europe/Berlin',
        });
        await asking.use('trash_item', { id: calendar, event_id: id, notify: 'all' });
        assert.deepEqual([questions.length, (await mailed()).at(-1)], [1, JSON.stringify([EVE])]);
      });
    });
  });
});

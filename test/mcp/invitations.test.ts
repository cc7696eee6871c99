/** An agent that has nothing but the tools finds the invitations of its user, answers them, and sees what came of it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

const JANUARY = { start: '2034-01-01T00:00:00Z', end: '2034-02-01T00:00:00Z' };

forEachEngine((engine) => {
  describe('invitations and agents', () => {
    let app: TestApp;
    let host: TestAgent;
    let guest: TestAgent;
    before(async () => {
      app = await startApp(engine);
      const { id } = await makeUser(app, { email: 'guest@localhost' });
      const { key } = await makeKey(app, ['calendar.events.read', 'calendar.events.write'], { user_id: id });
      host = await connectAgent(app.address);
      guest = await connectAgent(app.address, { key });
    });
    after(async () => {
      await host.close();
      await guest.close();
      await app.stop();
    });

    const invite = async (day: string) => {
      const { calendars } = await host.use('whoami');
      const { id } = await host.use('save_event', {
        id: calendars[0].id,
        starts_at: `${day}T09:00:00Z`,
        ends_at: `${day}T10:00:00Z`,
        attendees: ['guest@localhost'],
      });
      return { calendar: calendars[0].id as string, event: id as string };
    };

    it('are listed without a calendar, and answered by the id that is listed (MCP-31, MCP-40)', async () => {
      const { event, calendar } = await invite('2034-01-10');
      const [waiting, ...others] = await guest.use('list_events', JANUARY);
      assert.deepEqual(others, []);
      assert.deepEqual([waiting.id, waiting.response], [event, 'needs_action']);
      await guest.use('respond_to_event', { id: waiting.id, response: 'accepted' });
      const [answered] = await guest.use('list_events', JANUARY);
      assert.deepEqual([answered.id, answered.response], [event, 'accepted']);
      const { attendees } = data(await app.get(`/v1/calendars/${calendar}/events/${event}`));
      assert.equal(attendees[0].response, 'accepted');
    });

    it('show the host who is invited and what they have answered (MCP-44)', async () => {
      const { calendar: id, event: event_id } = await invite('2034-01-12');
      const { structured, marked } = await host.call('get_event', { id, event_id });
      const [{ address, response }] = structured.data.attendees;
      assert.deepEqual([address, response, structured.untrusted], ['guest@localhost', 'needs_action', true]);
      assert.deepEqual(marked, [false, true]);
      await guest.use('respond_to_event', { id: event_id, response: 'declined' });
      const { attendees } = await host.use('get_event', { id, event_id });
      assert.equal(attendees[0].response, 'declined');
      assert.equal(await guest.refused('get_event', { id, event_id }), 'not_found');
    });

    it('are none of those of others, nor of the own calendar (MCP-40)', async () => {
      await invite('2034-01-11');
      assert.deepEqual(await host.use('list_events', JANUARY), []);
      const { calendars } = await guest.use('whoami');
      assert.deepEqual(await guest.use('list_events', { id: calendars[0].id, ...JANUARY }), []);
    });

    it('come in parts, each once (MCP-16, MCP-40)', async () => {
      for (let n = 10; n < 14; n++) await invite(`2034-03-${n}`);
      const march = { start: '2034-03-01T00:00:00Z', end: '2034-04-01T00:00:00Z', limit: 3 };
      const first = await guest.call('list_events', march);
      const rest = await guest.call('list_events', { ...march, cursor: first.structured.next_cursor });
      const ids = [first, rest].flatMap(({ structured }) =>
        structured.data.map(({ id }: { id: string }) => id),
      );
      assert.equal(new Set(ids).size, 4);
      assert.equal(rest.structured.next_cursor, '');
    });

    it('are asked for with both times (MCP-40)', async () => {
      assert.equal(await guest.refused('list_events'), 'validation_failed');
      assert.equal(await guest.refused('list_events', { ...JANUARY, id: '' }), 'validation_failed');
      const { tools } = await guest.client.listTools();
      const { inputSchema } = tools.find(({ name }) => name === 'list_events') ?? {};
      assert.deepEqual(inputSchema?.required, ['start', 'end']);
    });
  });
});

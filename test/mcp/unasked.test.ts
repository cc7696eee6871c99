/** What a key alone allows where no person can be asked. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type AgentOptions, connectAgent, REVISIONS, type TestAgent } from './agents.ts';

describe('an agent whose client cannot ask', () => {
  let app: TestApp;
  let calendar: string;
  before(async () => {
    app = await startApp(ANY_ENGINE, { ATRIUM_SMTP_RELAY: 'smtp://127.0.0.1:9' });
    await makeUser(app, { email: 'grace@localhost' });
    [{ id: calendar }] = data(await app.get('/v1/calendars'));
  });
  after(() => app.stop());

  const withKey = async (options: AgentOptions = {}) => {
    const { key } = data(await app.post('/v1/api-keys', { name: 'agent', preset: 'agent' }), 201);
    return connectAgent(app.address, { key, query: '?tools=all', ...options });
  };
  const sent = async () => data(await app.get('/v1/messages?folder_id=sent')).length as number;
  const time = (day: number) => ({
    id: calendar,
    starts_at: `2033-01-${day}T09:00:00Z`,
    ends_at: `2033-01-${day}T10:00:00Z`,
  });
  const refusesToMail = async (agent: TestAgent, name: string, given: Record<string, unknown>) => {
    const { isError, structured, texts } = await agent.call(name, given);
    assert.equal(isError, true, `${name} ${texts.join()}`);
    const { code, message, details } = structured.error;
    assert.equal(code, 'insufficient_scope', texts.join());
    assert.equal(details.missing_permission, 'mail.messages.send');
    assert.match(message, /Without notify/);
  };

  for (const revision of REVISIONS)
    it(`sends no mail about an event outside without the permission to send, by ${revision} (MCP-12, MCP-13)`, async () => {
      const agent = await withKey({ revision });
      const before = await sent();
      const given = { ...time(revision === '2025-11-25' ? 11 : 12), attendees: ['eve@elsewhere.example'] };
      await refusesToMail(agent, 'save_event', { ...given, notify: 'all' });
      const { id: event_id } = await agent.use('save_event', given);
      const ofEvent = { id: calendar, event_id, notify: 'all' };
      await refusesToMail(agent, 'save_event', ofEvent);
      await refusesToMail(agent, 'save_event', { ...ofEvent, attendees: [] });
      await refusesToMail(agent, 'trash_item', ofEvent);
      for (const operation_id of ['updateEvent', 'deleteEvent'])
        await refusesToMail(agent, 'call_operation', { operation_id, arguments: ofEvent });
      assert.equal(await sent(), before);
      await agent.use('trash_item', { id: calendar, event_id });
      await agent.close();
    });

  it('tells people of the workspace about an event, which sends nothing outside (MCP-12, MCP-13)', async () => {
    const agent = await withKey();
    const given = { ...time(13), attendees: ['grace@localhost'], notify: 'all' };
    const { id: event_id } = await agent.use('save_event', given);
    await agent.use('trash_item', { id: calendar, event_id, notify: 'all' });
    await agent.close();
  });

  it('may not mail about an event whose attendees it cannot see (MCP-12, MCP-13)', async () => {
    const { id: event_id } = data(
      await app.post(`/v1/calendars/${calendar}/events`, {
        ...{ ...time(14), id: undefined },
        attendees: ['eve@elsewhere.example'],
      }),
      201,
    );
    const { key } = await makeKey(app, ['calendar.events.write']);
    const agent = await connectAgent(app.address, { key });
    await refusesToMail(agent, 'trash_item', { id: calendar, event_id, notify: 'all' });
    await agent.close();
  });

  it('mails about an event with the permission to send, or after a yes (MCP-12, MCP-13)', async () => {
    const { key } = await makeKey(app, [
      'calendar.events.read',
      'calendar.events.write',
      'mail.messages.send',
    ]);
    const sending = await connectAgent(app.address, { key });
    const asking = await withKey({ answer: () => ({ action: 'accept', confirm: true }) });
    for (const [n, agent] of [sending, asking].entries()) {
      await agent.use('save_event', { ...time(15 + n), attendees: ['eve@elsewhere.example'], notify: 'all' });
      await agent.close();
    }
  });

  it('is not held to more than the HTTP API, whose permission is that of the calendar', async () => {
    const { key } = await makeKey(app, ['calendar.events.write']);
    const { id, ...given } = time(17);
    const body = { ...given, attendees: ['eve@elsewhere.example'], notify: 'all' };
    data(
      await app.post(`/v1/calendars/${id}/events`, body, { headers: { authorization: `Bearer ${key}` } }),
      201,
    );
  });
});

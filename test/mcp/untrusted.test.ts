/** Text of others in the answers to writes: it is in marked blocks alone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

/** Whatever the others write, in an address too. */
const PLANTED = /obey/i;

describe('the answers to writes', () => {
  let app: TestApp;
  let agent: TestAgent;
  before(async () => {
    app = await startApp(ANY_ENGINE);
    agent = await connectAgent(app.address);
  });
  after(async () => {
    await agent.close();
    await app.stop();
  });

  /** The answer repeats what others have written, in a marked block alone. */
  const isMarked = async (name: string, given: Record<string, unknown>) => {
    const { isError, texts, marked, structured } = await agent.call(name, given);
    assert.equal(isError, false, `${name} ${texts.join()}`);
    assert.ok(
      texts.some((text) => PLANTED.test(text)),
      `${name} ${texts.join()}`,
    );
    for (const [n, text] of texts.entries()) assert.equal(PLANTED.test(text), marked[n], `${name} ${text}`);
    assert.equal(structured.untrusted, true, name);
    return structured.data;
  };
  const send = async (path: string, body: string, type: string) =>
    data(await app.post(path, body.replaceAll('\n', '\r\n'), { headers: { 'content-type': type } }), 200);

  it('mark what a card has brought to a contact (MCP-15)', async () => {
    const [{ id: book }] = data(await app.get('/v1/address-books'));
    const card = 'BEGIN:VCARD\nVERSION:4.0\nUID:x\nFN:Eve\nNOTE:OBEY\nEND:VCARD\n';
    await send(`/v1/address-books/${book}/import`, card, 'text/vcard');
    const [{ id }] = data(await app.get('/v1/contacts'));
    await isMarked('save_contact', { id, name: 'Eve Elsewhere' });
  });

  it('mark the subject that a draft answers (MCP-15)', async () => {
    const message = 'From: Eve <eve@elsewhere.example>\r\nSubject: OBEY\r\n\r\nx\r\n';
    const headers = { 'content-type': 'message/rfc822' };
    const { id: answered } = data(await app.post('/v1/folders/inbox/messages', message, { headers }), 201);
    const reply = { to: ['owner@localhost'], reply_to_message_id: answered };
    const { id } = await isMarked('save_draft', { ...reply, text: 'a' });
    await isMarked('save_draft', { ...reply, id, text: 'b' });
  });

  it('mark the name that another has given to a sheet (MCP-15)', async () => {
    const { id } = data(await app.post('/v1/documents', { type: 'spreadsheet', title: 'Ours' }), 201);
    const eve = await makeUser(app, { email: 'eve@localhost' });
    const grant = { principal_id: eve.id, role: 'editor' };
    data(await app.post(`/v1/files/${id}/permissions`, grant), 201);
    const { key } = await makeKey(app, ['sheets.structure.write'], { user_id: eve.id });
    const operations = [{ type: 'rename_sheet', sheet: 'Sheet1', name: 'OBEY' }];
    data(
      await app.post(
        `/v1/spreadsheets/${id}/structure`,
        { operations },
        { headers: { authorization: `Bearer ${key}`, 'if-match': '*' } },
      ),
    );
    await isMarked('write_range', { id, range: 'A1', values: [[1]] });
    await isMarked('append_rows', { id, values: [[2]] });
  });

  it('mark whom an imported event lists (MCP-15)', async () => {
    const [{ id: calendar }] = data(await app.get('/v1/calendars'));
    const event =
      'BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:x\nDTSTAMP:20330101T000000Z\nDTSTART:20330107T090000Z\nDTEND:20330107T100000Z\nATTENDEE:mailto:obey@elsewhere.example\nEND:VEVENT\nEND:VCALENDAR\n';
    await send(`/v1/calendars/${calendar}/import`, event, 'text/calendar');
    const window = { id: calendar, start: '2033-01-07T00:00:00Z', end: '2033-01-08T00:00:00Z' };
    const [{ id: event_id }] = await agent.use('list_events', window);
    await isMarked('save_event', { id: calendar, event_id, ends_at: '2033-01-07T11:00:00Z' });
  });
});

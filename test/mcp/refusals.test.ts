/** Refusals: how long they are, and what they say to do next. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError, ERRORS, type ErrorCode } from '../../src/contract/errors.ts';
import { refusedResult } from '../../src/server/mcp/refusals.ts';
import { data, makeKey } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { callByWire, connectAgent, type TestAgent } from './agents.ts';

const MESSAGE = 'msg_01k0qv5m8qe3rsgm9y3f2c7d4x';

describe('a refusal', () => {
  let app: TestApp;
  let agent: TestAgent;
  before(async () => {
    app = await startApp(ANY_ENGINE);
    agent = await connectAgent(app.address, { query: '?tools=all' });
  });
  after(async () => {
    await agent.close();
    await app.stop();
  });

  const unknown = (count: number, name: (n: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), 1]));

  it('is no longer than an answer, whatever was sent (MCP-16, MCP-17)', async () => {
    const long = 'x'.repeat(200_000);
    for (const [name, given] of [
      ['write_document', { title: 'x', ...unknown(5_000, (n) => `field_${n}`) }],
      ['write_document', { title: 'x', ...unknown(200, (n) => `${n}${'\u0001'.repeat(2_000)}`) }],
      ['save_contact', { name: 'x', ...unknown(1_000, (n) => `${n}${'"'.repeat(2_000)}`) }],
      ['get_message', { id: long }],
      ['get_message', { id: '\u0001'.repeat(200_000) }],
      ['call_operation', { operation_id: long }],
      ['find_operation', { [long]: 1 }],
      [
        'move_messages',
        {
          folder_id: 'inbox',
          to_folder_id: 'archive',
          message_ids: Array.from({ length: 900 }, (_, n) => `${MESSAGE.slice(0, -3)}${100 + n}`),
        },
      ],
    ] as const) {
      const { isError, texts, structured } = await agent.call(name, given);
      assert.equal(isError, true, name);
      const { length } = JSON.stringify([texts, structured]);
      assert.ok(length < 50_000, `${name} ${Object.keys(given)[0]?.slice(0, 20)}: ${length}`);
    }
    await assert.rejects(agent.client.readResource({ uri: `atrium://message/${long}` }), (error: Error) => {
      assert.ok(JSON.stringify([error.message, error]).length < 50_000);
      return true;
    });
  });

  it('says how much more there is than it tells (MCP-17)', async () => {
    const given = { title: 'x', ...unknown(60, (n) => `field_${n}`) };
    const { details } = (await agent.call('write_document', given)).structured.error;
    assert.deepEqual([details.errors.length, details.more_errors], [50, 10]);
    const few = (await agent.call('write_document', { title: 'x', field: 1 })).structured.error;
    assert.deepEqual([few.details.errors.length, few.details.more_errors], [1, undefined]);
  });

  it('says what to do next for every code (MCP-17)', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      const { content, structuredContent } = refusedResult(new ApiError(code, 'A message.'));
      const { next } = (structuredContent as { error: { next: string } }).error;
      assert.match(next, /^[A-Z][^.]*\.$/, code);
      assert.doesNotMatch(next, /Do not repeat/, code);
      assert.deepEqual(content, [{ type: 'text', text: `${code}: A message. ${next}` }]);
    }
  });

  it('of a tool that the key may not use names the permission (MCP-7, MCP-17)', async () => {
    const { key } = await makeKey(app, ['mail.messages.read']);
    const weak = await connectAgent(app.address, { key });
    const { isError, structured, texts } = await weak.call('send_message', { to: ['a@b.example'] });
    assert.equal(isError, true);
    assert.equal(structured.error.code, 'insufficient_scope');
    assert.deepEqual(structured.error.details, { missing_permission: 'mail.messages.send' });
    assert.match(texts[0] ?? '', /mail\.messages\.send, which the tool send_message needs\. Ask the person/);
    const several = (await weak.call('trash_item', { id: MESSAGE })).structured.error;
    assert.match(several.message, /mail\.messages\.write, .*contacts\.write/);
    await assert.rejects(weak.call('no_such_tool'), /There is no tool no_such_tool/);
    await weak.close();
  });

  it('of a tool that the address leaves out says so (MCP-9, MCP-10, MCP-17)', async () => {
    const narrow = await connectAgent(app.address, { query: '?areas=mail' });
    for (const [name, query] of [
      ['save_event', '?areas='],
      ['find_operation', '?tools=all'],
    ] as const) {
      const { code, message, next } = (await narrow.call(name, {})).structured.error;
      assert.equal(code, 'not_found');
      assert.ok(message.includes(query) && next.includes(query), message);
    }
    await narrow.close();
  });

  it('of an event without its id names event_id (MCP-17)', async () => {
    const [{ id }] = data(await app.get('/v1/calendars'));
    const { message, details } = (await agent.call('trash_item', { id })).structured.error;
    assert.match(message, /event_id/);
    assert.deepEqual(
      details.errors.map(({ parameter }: { parameter: string }) => parameter),
      ['event_id'],
    );
  });

  it('is none where a person answers too late: they are asked anew (MCP-13)', async (t) => {
    const to = ['eve@elsewhere.example'];
    const given = { to, subject: 'Late', text: 'x' };
    const ask = (params: object) => callByWire(app, 'send_message', { arguments: given, ...params });
    const { requestState } = (await ask({})).result;
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
    const now = Date.now();
    const { mock } = t.mock.method(Date, 'now', () => now + 700_000);
    const late = await ask({ requestState, inputResponses });
    mock.restore();
    assert.equal(late.result?.resultType, 'input_required', JSON.stringify(late));
    assert.notEqual(late.result.requestState, requestState);
    assert.deepEqual(data(await app.get('/v1/messages?folder_id=sent')), []);
  });
});

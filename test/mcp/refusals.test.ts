/** Refusals: how long they are, and what they say to do next. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

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
});

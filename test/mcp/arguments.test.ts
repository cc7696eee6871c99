/** The arguments that tools list are those that they take; others are refused. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operationsOf } from '../../src/start/server.ts';
import { data } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

const offers = operationsOf({} as Parameters<typeof operationsOf>[0]).flatMap((operation) =>
  [operation.agent ?? []].flat().map((agent) => ({ operation, agent })),
);

interface Problem {
  code: string;
  pointer?: string;
  parameter?: string;
}

describe('the arguments of tools', () => {
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

  /** Whether the tool says that it has no such argument. */
  const isUnknown = async (name: string, given: Record<string, unknown>, argument: string) => {
    const { structured } = await agent.call(name, given);
    const problems: Problem[] = structured.error?.details.errors ?? [];
    return problems.some(
      ({ code, pointer, parameter }) =>
        code === 'unknown_field' && (pointer === `/${argument}` || parameter === argument),
    );
  };
  /** Arguments that choose each of the operations of a tool. */
  const choices = (name: string): Record<string, unknown>[] => {
    const found = offers
      .filter(({ agent: { tool } }) => tool === name)
      .flatMap(({ operation: { params, rawBody }, agent: { ids } }) =>
        (ids ?? ['msg']).map((prefix) => {
          const inPath = Object.keys(params?.properties ?? (ids ? { id: '' } : {}));
          return {
            ...Object.fromEntries(inPath.map((member) => [member, `${prefix}_1`])),
            ...(rawBody ? { content: 'x' } : {}),
          };
        }),
      );
    return found.length > 0 ? found : [{}];
  };

  it('are taken by an operation of the tool where the tool lists them (MCP-6)', async () => {
    const { tools } = await agent.client.listTools();
    assert.ok(tools.length > 30);
    const refused: string[] = [];
    for (const { name, inputSchema } of tools)
      for (const argument of Object.keys(inputSchema.properties ?? {})) {
        let isTaken = false;
        for (const choice of choices(name))
          isTaken ||= !(await isUnknown(name, { ...choice, [argument]: '1' }, argument));
        if (!isTaken) refused.push(`${name}: ${argument}`);
      }
    assert.deepEqual(refused, []);
  });

  it('are refused where no operation of the tool has them (MCP-6)', async () => {
    const { tools } = await agent.client.listTools();
    const passedOver: string[] = [];
    for (const { name } of tools)
      for (const choice of choices(name)) {
        const isRefused = await isUnknown(name, { ...choice, nonsense: 1 }, 'nonsense');
        if (!isRefused) passedOver.push(`${name} ${JSON.stringify(choice)}`);
      }
    assert.deepEqual(passedOver, []);
  });

  it('that are headers are refused where they are no texts (MCP-51)', async () => {
    const { id } = await agent.use('save_draft', { to: ['owner@localhost'], subject: 'No text' });
    const named = async (name: string, given: Record<string, unknown>) => {
      const { error } = (await agent.call(name, given)).structured;
      assert.equal(error?.code, 'validation_failed', `${name} ${JSON.stringify(given)}`);
      return error.details.errors.map(({ parameter, code }: Problem) => `${parameter} ${code}`);
    };
    for (const if_match of [['x,*,y'], ['*'], { any: '*' }, 1, true, null]) {
      assert.deepEqual(await named('send_message', { id, if_match }), ['if_match wrong_type']);
      assert.deepEqual(await named('save_draft', { id, if_match }), ['if_match wrong_type']);
    }
    const upload = { filename: 'a.txt', content: 'x', content_digest: ['sha-256=:x:'] };
    const uploading = { operation_id: 'uploadFile', arguments: upload };
    assert.deepEqual(await named('call_operation', uploading), ['content_digest wrong_type']);
    const reading = { operation_id: 'getSpreadsheet', arguments: { id: 'sht_1', if_none_match: ['*'] } };
    assert.deepEqual(await named('call_operation', reading), ['if_none_match wrong_type']);
    assert.equal(data(await app.get(`/v1/drafts/${id}`)).content.subject, 'No text');
  });

  it('are refused beside those of another kind of item, and of another operation (MCP-6)', async () => {
    const headers = { 'content-type': 'message/rfc822' };
    const { id } = data(
      await app.post('/v1/folders/inbox/messages', 'Subject: Kept\r\n\r\nx\r\n', { headers }),
      201,
    );
    const called = { operation_id: 'createFileFolder', arguments: { name: 'Kept' } };
    for (const [name, given, argument] of [
      ['trash_item', { id, event_id: 'evt_1' }, 'event_id'],
      ['trash_item', { id, notify: 'all' }, 'notify'],
      ['call_operation', { ...called, name: 'x' }, 'name'],
      ['find_operation', { q: 'folder', area: 'Mail' }, 'area'],
      ['describe_operation', { operation_id: 'createGroup', q: 'x' }, 'q'],
    ] as const)
      assert.ok(await isUnknown(name, given, argument), `${name} ${argument}`);
    assert.equal(data(await app.get('/v1/messages?folder_id=inbox')).length, 1);
    assert.deepEqual(data(await app.get('/v1/file-folders')), []);
    await agent.use('trash_item', { id });
    await agent.use('call_operation', called);
  });
});

/** What describe_operation tells is what call_operation takes: headers as well. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { isWrite } from '../../src/contract/operation.ts';
import { operationsOf } from '../../src/start/server.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

const operations = operationsOf({} as Parameters<typeof operationsOf>[0]);

describe('an operation that an agent looks up', () => {
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

  const describedAs = (operation_id: string) => agent.use('describe_operation', { operation_id });
  const call = (operation_id: string, given: Record<string, unknown>) =>
    agent.call('call_operation', { operation_id, arguments: given });

  it('has its headers among its arguments, and which are required (MCP-10, MCP-48)', async () => {
    const withHeaders: string[] = [];
    for (const operation of operations) {
      const { arguments: given } = await describedAs(operation.id);
      const named = Object.keys(operation.headers?.properties ?? {});
      const expected = named.map((name) => name.toLowerCase().replaceAll('-', '_'));
      if (isWrite(operation)) expected.push('idempotency_key');
      assert.deepEqual(Object.keys(given.headers ?? {}), expected, operation.id);
      if (operation.rawBody) assert.deepEqual(Object.keys(given.content), ['content', 'content_base64']);
      if (named.length > 0) withHeaders.push(operation.id);
    }
    assert.ok(withHeaders.length > 10);
    const { required, arguments: given } = await describedAs('putDocumentContent');
    assert.deepEqual(required, ['id', 'if_match']);
    assert.match(given.headers.if_match.description, /The state that is to be changed/);
    assert.deepEqual((await describedAs('replaceDraft')).required, ['id']);
    assert.deepEqual((await describedAs('createGroup')).required, []);
  });

  it('takes each of them (MCP-10, MCP-48)', async () => {
    const refused: string[] = [];
    for (const { id, params, headers, rawBody } of operations)
      for (const name of Object.keys(headers?.properties ?? {})) {
        const argument = name.toLowerCase().replaceAll('-', '_');
        const inPath = Object.keys(params?.properties ?? {}).map((member) => [member, 'x']);
        const given = { ...Object.fromEntries(inPath), ...(rawBody && { content: 'x' }), [argument]: 'x' };
        const { structured } = await call(id, given);
        const problems: { code: string }[] = structured.error?.details.errors ?? [];
        if (problems.some(({ code }) => code === 'unknown_field')) refused.push(`${id}: ${argument}`);
      }
    assert.deepEqual(refused, []);
  });

  it('is held to the state in if_match (MCP-48)', async () => {
    const { id, state } = await agent.use('save_draft', { subject: 'First' });
    const wrong = await call('replaceDraft', { id, subject: 'Second', if_match: 'other' });
    assert.equal(wrong.structured.error.code, 'state_mismatch');
    const right = await call('replaceDraft', { id, subject: 'Second', if_match: state });
    assert.equal(right.structured.data.content.subject, 'Second');
  });

  it('answers no data where the state is the one in if_none_match (MCP-48)', async () => {
    const { id } = await agent.use('write_document', { type: 'spreadsheet', title: 'Sheet' });
    const { state } = (await call('getSpreadsheet', { id })).structured;
    for (const known of [state, `"${state}"`]) {
      const { structured } = await call('getSpreadsheet', { id, if_none_match: known });
      assert.deepEqual([structured.data, structured.state], [null, state]);
    }
    const { structured } = await call('getSpreadsheet', { id, if_none_match: 'other' });
    assert.equal(structured.data.title, 'Sheet');
  });

  it('compares content with its digest (MCP-48)', async () => {
    const content_digest = `sha-256=:${hash('sha256', 'hello', 'base64')}:`;
    const upload = (content: string) => call('uploadFile', { filename: 'a.txt', content, content_digest });
    assert.equal((await upload('other')).structured.error.code, 'digest_mismatch');
    assert.match((await upload('hello')).structured.data.id, /^file_/);
  });
});

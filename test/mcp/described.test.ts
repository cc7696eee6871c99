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

/** All headers that operations take by name, beside Idempotency-Key. */
const HEADERS = {
  replaceDraft: ['if_match'],
  deleteDraft: ['if_match'],
  sendDraft: ['if_match'],
  uploadPart: ['content_digest'],
  uploadFile: ['content_digest'],
  putDocumentContent: ['if_match'],
  getSpreadsheet: ['if_none_match'],
  readRange: ['if_none_match'],
  writeRange: ['if_match'],
  appendRows: ['if_match'],
  writeBatch: ['if_match'],
  readFormats: ['if_none_match'],
  writeFormats: ['if_match'],
  changeSpreadsheetStructure: ['if_match'],
};

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

  it('has the headers that it declares among its arguments, and which are required (MCP-10, MCP-48)', async () => {
    const found: Record<string, string[]> = {};
    for (const operation of operations) {
      const { arguments: given } = await describedAs(operation.id);
      const { idempotency_key: key, ...headers } = given.headers ?? {};
      assert.equal(key !== undefined, isWrite(operation), operation.id);
      if (operation.rawBody) assert.deepEqual(Object.keys(given.content), ['content', 'content_base64']);
      const names = Object.keys(headers);
      if (names.length > 0) found[operation.id] = names;
    }
    assert.deepEqual(found, HEADERS);
    const { required, arguments: given } = await describedAs('putDocumentContent');
    assert.deepEqual(required, ['id', 'if_match']);
    assert.match(given.headers.if_match.description, /The state that is to be changed/);
    assert.deepEqual((await describedAs('replaceDraft')).required, ['id']);
    assert.deepEqual((await describedAs('createGroup')).required, []);
  });

  it('takes each of them (MCP-10, MCP-48)', async () => {
    const refused: string[] = [];
    for (const { id, params, rawBody } of operations)
      for (const argument of Object.entries(HEADERS).find(([name]) => name === id)?.[1] ?? []) {
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

  it('compares content with its digest, which makes another call (MCP-14, MCP-48)', async () => {
    const content_digest = `sha-256=:${hash('sha256', 'hello', 'base64')}:`;
    const upload = (content: string) => call('uploadFile', { filename: 'a.txt', content, content_digest });
    assert.equal((await upload('other')).structured.error.code, 'digest_mismatch');
    assert.match((await upload('hello')).structured.data.id, /^file_/);
    const plain = { filename: 'b.txt', content: 'hello' };
    assert.equal((await call('uploadFile', plain)).isError, false);
    const other = `sha-256=:${hash('sha256', 'other', 'base64')}:`;
    const wrong = await call('uploadFile', { ...plain, content_digest: other });
    assert.equal(wrong.structured.error?.code, 'digest_mismatch');
    const right = (await call('uploadFile', { ...plain, content_digest })).structured;
    assert.equal(right.replayed, undefined);
    assert.equal((await call('uploadFile', { ...plain, content_digest })).structured.replayed, true);
  });
});

/** Much mail goes to the trash after a yes alone, whichever way it goes there. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

describe('mail that an agent moves below the trash', () => {
  let app: TestApp;
  let agent: TestAgent;
  let trash: string;
  const questions: string[] = [];
  before(async () => {
    app = await startApp(ANY_ENGINE);
    agent = await connectAgent(app.address, {
      query: '?tools=all',
      answer: (question) => {
        questions.push(question);
        return { action: 'decline' };
      },
    });
    const folders: { id: string; role: string | null }[] = data(await app.get('/v1/folders'));
    trash = folders.find(({ role }) => role === 'trash')?.id ?? '';
  });
  after(async () => {
    await agent.close();
    await app.stop();
  });

  const folder = async (name: string, parent_id = '') =>
    data(await app.post('/v1/folders', { name, ...(parent_id && { parent_id }) }), 201).id as string;
  const fill = async (folderId: string, count: number) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const headers = { 'content-type': 'message/rfc822' };
      const message = `Subject: ${n}\r\n\r\nx\r\n`;
      ids.push(data(await app.post(`/v1/folders/${folderId}/messages`, message, { headers }), 201).id);
    }
    return ids;
  };
  const move = (id: string, parent_id: string) =>
    agent.call('call_operation', { operation_id: 'updateMailFolder', arguments: { id, parent_id } });
  const isAsked = async (call: Promise<{ structured: unknown }>, question: RegExp) => {
    questions.length = 0;
    assert.deepEqual((await call).structured, { declined: true });
    assert.equal(questions.length, 1);
    assert.match(questions[0] ?? '', question);
  };
  const isNotAsked = async (call: Promise<{ isError: boolean; texts: string[] }>) => {
    questions.length = 0;
    const { isError, texts } = await call;
    assert.equal(isError, false, texts.join());
    assert.deepEqual(questions, []);
  };

  it('waits for a yes as a folder with more than twenty messages (MCP-13)', async () => {
    const full = await folder('Full');
    const inner = await folder('Inner', full);
    await fill(full, 10);
    await fill(inner, 10);
    const old = await folder('Old', trash);
    const few = await folder('Few');
    await fill(few, 20);
    await isNotAsked(move(full, few));
    for (const parent of ['trash', trash, old])
      await isAsked(move(full, parent), /^Move the folder “Full” with more than 20 items to the trash\?$/);
    await isNotAsked(move(full, ''));
    await isNotAsked(move(few, old));
    await isNotAsked(move(few, trash));
  });

  it('waits for a yes as more than twenty messages (MCP-13)', async () => {
    const below = await folder('Below', await folder('Deep', trash));
    const message_ids = await fill('inbox', 21);
    await isAsked(agent.call('change_messages', { message_ids, move_to: below }), /^Move 21 messages/);
    const moved = { folder_id: 'inbox', message_ids, to_folder_id: below };
    await isAsked(agent.call('move_messages', moved), /^Move 21 messages to the trash\?$/);
    await isNotAsked(agent.call('change_messages', { message_ids, move_to: 'archive' }));
  });
});

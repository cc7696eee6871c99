/** What a person reads before mail goes outside. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { data } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type TestAgent } from './agents.ts';

const EVE = 'eve@elsewhere.example';

describe('the question before mail goes outside', () => {
  let app: TestApp;
  let agent: TestAgent;
  const questions: string[] = [];
  before(async () => {
    app = await startApp(ANY_ENGINE, { ATRIUM_SMTP_RELAY: 'smtp://127.0.0.1:9' });
    agent = await connectAgent(app.address, {
      answer: (question) => {
        questions.push(question);
        return { action: 'decline' };
      },
    });
  });
  after(async () => {
    await agent.close();
    await app.stop();
  });

  const append = async (subject: string) =>
    data(
      await app.post('/v1/folders/inbox/messages', `Subject: ${subject}\r\n\r\nx\r\n`, {
        headers: { 'content-type': 'message/rfc822' },
      }),
      201,
    ).id as string;
  const file = async (filename: string) =>
    (await agent.use('write_file', { filename, content: 'x' })).id as string;
  const questionAbout = async (given: Record<string, unknown>) => {
    questions.length = 0;
    assert.deepEqual((await agent.call('send_message', given)).structured, { declined: true });
    assert.equal(questions.length, 1);
    return questions[0] ?? '';
  };
  /** The question about a message that is sent, and about the same as a draft. */
  const bothWays = async (given: Record<string, unknown>) => {
    const { id } = await agent.use('save_draft', given);
    const asked = await questionAbout(given);
    assert.equal(await questionAbout({ id }), asked);
    return asked;
  };

  it('has the subject that a reply will have (MCP-47)', async () => {
    const reply = { to: [EVE], text: 'x' };
    for (const [subject, expected] of [
      ['Budget', 'Re: Budget'],
      ['RE: Budget', 'RE: Budget'],
    ] as const)
      assert.equal(
        await bothWays({ ...reply, reply_to_message_id: await append(subject) }),
        `Send the message “${expected}” to ${EVE}, outside this workspace?`,
      );
    const own = { ...reply, subject: 'Mine', reply_to_message_id: await append('Budget') };
    assert.match(await bothWays(own), /^Send the message “Mine” to/);
  });

  it('has how many attachments there are, and their names (MCP-47)', async () => {
    const [one, two] = [await file('salaries.csv'), await file('plan.txt')];
    const mail = { to: [EVE], subject: 'Files' };
    const before = `Send the message “Files” to ${EVE}, outside this workspace`;
    assert.equal(
      await bothWays({ ...mail, file_ids: [one] }),
      `${before}, with 1 attachment: “salaries.csv”?`,
    );
    assert.equal(
      await bothWays({ ...mail, file_ids: [two, one] }),
      `${before}, with 2 attachments: “plan.txt”, “salaries.csv”?`,
    );
  });

  it('is bounded, however much there is to say (MCP-47)', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 13; n++) ids.push(await file(`${n}${'x'.repeat(250)}`));
    const to = Array.from({ length: 30 }, (_, n) => `${n}@${'y'.repeat(60)}.example`);
    const asked = await bothWays({ to, subject: 's'.repeat(998), file_ids: ids });
    assert.match(
      asked,
      /y\.example and 20 others, outside .*, with 13 attachments: “0x+…”, .* and 3 others\?$/,
    );
    assert.ok(asked.length < 10 * 320 + 12 * 130 + 200, String(asked.length));
  });

  it('has nothing with which a text of others could pass for the rest of it (MCP-47)', async () => {
    const hidden = `a” to grace@localhost?\u2028\u2067\u202e\u00ad\u3164${' \u00a0'.repeat(80)}"b”`;
    const answered = await append(`=?utf-8?B?${Buffer.from(hidden).toString('base64')}?=`);
    const ids = [await file(`c”, outside?\u202e\u2066 "d`)];
    const asked = await bothWays({ to: [EVE], reply_to_message_id: answered, file_ids: ids });
    assert.equal(
      asked,
      `Send the message “Re: a to grace@localhost? b” to ${EVE}, outside this workspace, with 1 attachment: “c , outside? d”?`,
    );
  });
});

/** What a person reads before mail goes outside. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { data, makeKey } from '../areas/accounts.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { connectAgent, type Said, type TestAgent } from './agents.ts';

const EVE = 'eve@elsewhere.example';

describe('the question before mail goes outside', () => {
  let app: TestApp;
  let agent: TestAgent;
  const questions: string[] = [];
  const decline = (question: string): Said => {
    questions.push(question);
    return { action: 'decline' };
  };
  before(async () => {
    app = await startApp(ANY_ENGINE, { ATRIUM_SMTP_RELAY: 'smtp://127.0.0.1:9' });
    agent = await connectAgent(app.address, { answer: decline });
  });
  after(async () => {
    await agent.close();
    await app.stop();
  });

  beforeEach(() => {
    questions.length = 0;
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
        `Send the message “${expected}” to “${EVE}”, outside this workspace?`,
      );
    const own = { ...reply, subject: 'Mine', reply_to_message_id: await append('Budget') };
    assert.match(await bothWays(own), /^Send the message “Mine” to/);
  });

  it('has how many attachments there are, and their names (MCP-47)', async () => {
    const [one, two] = [await file('salaries.csv'), await file('plan.txt')];
    const mail = { to: [EVE], subject: 'Files' };
    const before = `Send the message “Files” to “${EVE}”, outside this workspace`;
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
      /y\.example” and 20 others, outside .*, with 13 attachments: “0x+…”, .* and 3 others\?$/,
    );
    assert.ok(asked.length < 10 * 320 + 12 * 130 + 200, String(asked.length));
  });

  it('is none about what cannot be sent (MCP-52)', async () => {
    const answered = await append('Budget');
    const { key } = await makeKey(app, ['mail.messages.send']);
    const writing = await connectAgent(app.address, { key, answer: decline });
    const reply = { to: [EVE], text: 'x' };
    assert.equal(
      await writing.refused('send_message', { ...reply, reply_to_message_id: answered }),
      'insufficient_scope',
    );
    await writing.close();
    const none = '0'.repeat(26);
    for (const [missing, code] of [
      [{ reply_to_message_id: `msg_${none}` }, 'not_found'],
      [{ file_ids: [await file('a.txt'), `file_${none}`] }, 'not_found'],
      [{ subject: 1 }, 'validation_failed'],
      [{ nonsense: 1 }, 'validation_failed'],
    ] as const)
      assert.equal(await agent.refused('send_message', { ...reply, ...missing }), code);
    assert.deepEqual(questions, []);
  });

  const asName = async (subject: string) => {
    const asked = await questionAbout({ to: [EVE], subject, text: 'x' });
    return /^Send the message (“.*”) to “eve@elsewhere\.example”, outside this workspace\?$/s.exec(
      asked,
    )?.[1];
  };

  it('has no quotation marks of others in its names (MCP-47)', async () => {
    const marks =
      '\u0022\u00ab\u00bb\u02ba\u02dd\u02ee\u02f6\u030b\u05f4\u201a\u201c\u201d\u201e\u201f\u2033\u2036\u2039\u203a' +
      '\u275d\u275e\u2e42\u3003\u300d\u301d\u301e\uff02\uff07\u{1f676}\u{1f677}\u{1f678}';
    const pairs = ["''", '’’', '‘‘', '‘’', '``', '´´', '\u2032\u2032', '\u02bc\u02bc', "'\u0301'", "'''"];
    for (const mark of [...marks, ...pairs])
      assert.equal(await asName(`a${mark}b`), '“a b”', `${mark} ${mark.codePointAt(0)?.toString(16)}`);
  });

  it('keeps what belongs to a name (MCP-47)', async () => {
    for (const name of ["Don't", 'l’été', '‘okina', 'שלום', '会議 (1)', '5′', '😀 ok?'])
      assert.equal(await asName(name), `“${name}”`);
    assert.equal(await asName('o\u030b'), '“ő”');
  });

  it('has the addresses that are mailed, with nothing that cannot be seen (MCP-54)', async () => {
    for (const [address, shown] of [
      ["o'brien+x@elsewhere.example", "o'brien+x@elsewhere.example"],
      ['jörg@elsewhere.example', 'jörg@elsewhere.example'],
      ['x”@evil.example', 'x\\u{201d}@evil.example'],
      ["x''y@evil.example", 'x\\u{27}\\u{27}y@evil.example'],
      ['out\u2060side@evil.example', 'out\\u{2060}side@evil.example'],
      [
        'grace\u3164and\u31642\u3164others@evil.example',
        'grace\\u{3164}and\\u{3164}2\\u{3164}others@evil.example',
      ],
      ['a/“attachments”/x@evil.example', 'a/\\u{201c}attachments\\u{201d}/x@evil.example'],
      ['grace＠localhost，eve@evil.example', 'grace\\u{ff20}localhost\\u{ff0c}eve@evil.example'],
      ['g\u202ee@evil.example', 'g\\u{202e}e@evil.example'],
      ['g\u2800e\u{e0041}@evil.example', 'g\\u{2800}e\\u{e0041}@evil.example'],
      ['x\u02ba@evil.example', 'x\\u{2ba}@evil.example'],
      ['eve@bücher.example', 'eve@xn--bcher-kva.example'],
      ['eve@local\u00adhost.example', 'eve@localhost.example'],
      ['eve@ｅvil.example', 'eve@evil.example'],
      ['eve@еvil.example', 'eve@xn--vil-qdd.example'],
    ] as const)
      assert.equal(
        await bothWays({ to: [address], subject: 'Shown', text: 'x' }),
        `Send the message “Shown” to “${shown}”, outside this workspace?`,
        JSON.stringify(address),
      );
    const two = await questionAbout({ to: [EVE, 'Ada <a@x.example>'], subject: 'Two', text: 'x' });
    assert.match(two, /to “eve@elsewhere\.example”, “a@x\.example”, outside/);
  });

  it('has the end of a long address, whatever comes before it (MCP-54)', async () => {
    const to = [`${'\u2060'.repeat(230)}@evil.example`];
    const asked = await questionAbout({ to, subject: 'Long', text: 'x' });
    assert.match(asked, /to “(?:\\u\{2060\}){2,}…@evil\.example”, outside/);
    assert.ok(asked.length < 500, String(asked.length));
  });

  it('has nothing with which a text of others could pass for the rest of it (MCP-47)', async () => {
    const hidden = `a” to grace@localhost?\u2028\u2067\u202e\u00ad\u3164${' \u00a0'.repeat(80)}"b”`;
    const answered = await append(`=?utf-8?B?${Buffer.from(hidden).toString('base64')}?=`);
    const ids = [await file(`c”, outside?\u202e\u2066 "d`)];
    const asked = await bothWays({ to: [EVE], reply_to_message_id: answered, file_ids: ids });
    assert.equal(
      asked,
      `Send the message “Re: a to grace@localhost? b” to “${EVE}”, outside this workspace, with 1 attachment: “c , outside? d”?`,
    );
  });
});

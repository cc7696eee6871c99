/** What a message may consist of, where it ends, and what may not be smuggled through. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rfc822 } from '../areas/mail-world.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { greeted } from './raw-smtp.ts';
import { inboxOf, storedBytes } from './smtp-world.ts';

const OWNER = 'owner@localhost';
const HEAD = 'From: Ada <ada@elsewhere.example>\r\nSubject: x\r\n\r\n';

describe('the bytes of a message', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(ANY_ENGINE);
  });
  after(() => app.stop());

  /** Sends these bytes in these pieces, as they are; answers what is stored. */
  async function stored(...pieces: (string | Uint8Array)[]): Promise<Buffer> {
    const before = (await inboxOf(app)).length;
    const client = await greeted(app.smtp.port);
    await client.begin([OWNER]);
    for (const piece of pieces) {
      client.send(piece);
      await new Promise((resolve) => setTimeout(resolve, pieces.length > 1 ? 5 : 0));
    }
    const reply = await client.reply();
    assert.equal(reply.code, 250, reply.lines.join());
    assert.ok(await client.isSilent(20), 'one reply to one message');
    client.close();
    const messages = await inboxOf(app);
    assert.equal(messages.length, before + 1, 'one message');
    return (await storedBytes(app, messages[0].id)).content;
  }

  const END = '\r\n.\r\n';
  const kept: Record<string, string | Uint8Array> = {
    'nothing but headers': 'Subject: x\r\n',
    'no headers': '\r\nJust text\r\n',
    'no line break': 'x\r\n',
    // SMTP-12
    'a bare LF': `${HEAD}a\nb\n\nc\r\n`,
    // SMTP-12
    'a bare CR': `${HEAD}a\rb\r\rc\r\n`,
    'bytes over 127 that are no UTF-8': Buffer.from(`${HEAD}caf\xe9 \xff\xfe\r\n`, 'latin1'),
    NUL: `${HEAD}a\0b\0\r\n`,
    'every byte': Buffer.concat([
      Buffer.from(HEAD),
      Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
      Buffer.from('\r\n'),
    ]),
    'a line of a million characters': `${HEAD}${'x'.repeat(1_000_000)}\r\n`,
    'a header of a hundred thousand characters': `Subject: ${'x'.repeat(100_000)}\r\n\r\nx\r\n`,
    'a first line that would continue a header': ' folded: x\r\n\r\nx\r\n',
    // SMTP-9
    'malformed MIME':
      'Content-Type: multipart/mixed; boundary="b\r\n\r\n--b\r\nContent-Type\r\n\r\n--b--x\r\n',
    'a dot after a bare LF': `${HEAD}a\n.b\n.\r\n`,
    'two dots after a bare LF': `${HEAD}a\n..b\n..\r\n`,
  };
  for (const [name, content] of Object.entries(kept)) {
    it(`are kept: ${name}`, async () => {
      const bytes = Buffer.from(content as string);
      assert.ok((await stored(bytes, '.\r\n')).equals(bytes));
    });
  }

  it('are nothing when nothing was sent', async () => {
    assert.equal((await stored('.\r\n')).length, 0);
  });

  it('lose the dot that a line begins with, and only that (RFC 5321, 4.5.2)', async () => {
    const lines = ['..', '...', '..a', '....a', '.b', 'c..', '. .'];
    const content = await stored(`${lines.join('\r\n')}${END}`);
    assert.deepEqual(content.toString().split('\r\n'), ['.', '..', '.a', '...a', 'b', 'c..', ' .', '']);
  });

  it('are the same however they are cut into packets', async () => {
    const content = `${HEAD}..a\r\n..\r\n.\nb\r\n...\r\n\r\n..\r\n`;
    const whole = await stored(`${content}.\r\n`);
    assert.ok((await stored(...Buffer.from(`${content}.\r\n`).toString().split(''))).equals(whole));
  });

  const smuggled =
    'MAIL FROM:<evil@example.org>\r\nRCPT TO:<owner@localhost>\r\nDATA\r\nSubject: smuggled\r\n\r\nx';
  for (const end of [
    '\n.\n',
    '\n.\r\n',
    '\r\n.\n',
    '\r.\r',
    '\r.\r\n',
    '\r\n.\r',
    '\n.\r',
    '\r\n\0.\r\n',
    '\r\n.\0\r\n',
  ]) {
    it(`do not end at ${JSON.stringify(end)}: nothing can be smuggled (SMTP-12)`, async () => {
      const content = await stored(`${HEAD}x${end}${smuggled}${END}`);
      assert.ok(content.includes('MAIL FROM:<evil'), 'what came after it is part of the message');
    });
  }

  it('the bytes of a message may come in the same packet as the commands around them (SMTP-7)', async () => {
    const before = (await inboxOf(app)).length;
    const client = await greeted(app.smtp.port);
    const transaction = `MAIL FROM:<a@elsewhere.example>\r\nRCPT TO:<${OWNER}>\r\nDATA\r\n${rfc822()}.\r\n`;
    client.send(`${transaction}RSET\r\n${transaction}NOOP\r\nQUIT\r\n`);
    const codes = [];
    for (let i = 0; i < 11; i++) codes.push((await client.reply()).code);
    assert.deepEqual(codes, [250, 250, 354, 250, 250, 250, 250, 354, 250, 250, 221]);
    await client.closed();
    assert.equal((await inboxOf(app)).length, before + 2);
  });

  it('of many dots cost no more than others', { timeout: 600_000 }, async () => {
    const line = `${'..\r\n'.repeat(1_000)}`;
    const lines = 2_000_000;
    const client = await greeted(app.smtp.port);
    await client.begin([OWNER]);
    for (let i = 0; i < lines / 1_000; i++) client.send(line);
    client.send('.\r\n');
    assert.equal((await client.reply()).code, 250);
    client.close();
  });
});

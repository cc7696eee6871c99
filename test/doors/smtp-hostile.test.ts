/** Mail that was made to stop the server, and clients that would close the door for others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../../src/server/smtp/replies.ts';
import { Probing } from '../../src/server/smtp/sessions.ts';
import { startApp, type TestApp } from '../harness.ts';
import { hostileMessages } from '../hostile/messages.ts';
import { greeted, RawSmtp } from './raw-smtp.ts';
import { inboxOf } from './smtp-world.ts';

const OWNER = 'owner@localhost';
/** Four fifths of all that the door holds. */
const NEARLY_ALL = 400;
const FIVE_MINUTES_MS = 300_000;
/** So long a connection may bring no mail then, and a moment more. */
const PATIENCE_MS = 10_500;
const NUMBERED = '<ol type="i" start="10000"><li>hello</ol>';

async function from(localAddress: string, port: number): Promise<RawSmtp> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  await once(socket, 'connect');
  return new RawSmtp(socket);
}

describe('hostile mail', { timeout: 600_000 }, () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp('sqlite', { ATRIUM_SMTP_CONNECTIONS_PER_ADDRESS: '3' });
  });
  afterEach(() => app.stop());

  it('hostile mail is received, whatever it costs to show (SMTP-9)', async () => {
    const client = await greeted(app.smtp.port);
    for (const [name, message] of Object.entries(hostileMessages)) {
      const reply = await client.transact(
        [OWNER],
        Buffer.from(message.replace(/(?<!\r)\n/g, '\r\n'), 'latin1'),
      );
      assert.equal(reply.code, 250, name);
    }
    assert.equal((await inboxOf(app)).length, Object.keys(hostileMessages).length);
    client.close();
  });

  it('is sent too', async () => {
    const answer = await app.post('/v1/messages', { to: [OWNER], subject: 'x', html: NUMBERED });
    assert.equal(answer.status, 201, answer.text);
  });

  it('mail from the future came now (MAIL-66)', async () => {
    const inbox = (await app.get('/v1/folders')).json.data.find(
      ({ role }: { role: string }) => role === 'inbox',
    ).id;
    const answer = await app.post(
      `/v1/folders/${inbox}/messages`,
      'Date: Fri, 1 Jan 9999 00:00:00 +0000\r\n\r\nbody\r\n',
      { headers: { 'content-type': 'message/rfc822' } },
    );
    assert.equal(answer.status, 201, answer.text);
    assert.ok(Date.parse(answer.json.data.date) <= Date.now() + 1_000, answer.text);
  });

  it('the door holds so many connections from one address, and others go on (OPS-15, SMTP-14)', async () => {
    const mine = [];
    for (let i = 0; i < 3; i++) mine.push(await greeted(app.smtp.port));
    const over = await from('127.0.0.1', app.smtp.port);
    const refused = await over.reply();
    assert.equal(refused.code, 421);
    assert.match(refused.lines.join(), /from your address/);
    const other = await from('127.0.0.2', app.smtp.port);
    assert.equal((await other.reply()).code, 220);
    mine[0]?.close();
    await mine[0]?.closed();
    for (const client of [...mine, over, other]) client.close();
  });

  it('a client is refused later and later for recipients that do not exist, and not for those that do (SMTP-15)', async () => {
    const client = await greeted(app.smtp.port);
    await client.expect(250, 'MAIL FROM:<ada@elsewhere.example>');
    for (let i = 0; i < 14; i++) await client.expect(550, `RCPT TO:<nobody${i}@localhost>`);
    const start = performance.now();
    await client.expect(550, 'RCPT TO:<nobody@localhost>');
    assert.ok(performance.now() - start >= 200);
    await client.expect(250, `RCPT TO:<${OWNER}>`);
    client.close();
  });

  it('the hundredth recipient that does not exist ends a connection (SMTP-15)', async () => {
    const probing = new Probing();
    const refusals = await Promise.allSettled(
      Array.from({ length: 100 }, () => probing.refused('session', '192.0.2.1')),
    );
    const ended = refusals.filter((refusal) => refusal.status === 'rejected');
    assert.equal(ended.length, 1);
    assert.equal(refusals.at(-1), ended[0]);
    assert.equal(ended[0]?.reason.responseCode, 421);
    await probing.refused('another', '192.0.2.2');
  });
});

describe('an SMTP connection', { timeout: 600_000 }, () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp('sqlite', { ATRIUM_SMTP_CONNECTIONS_PER_ADDRESS: '0' });
  });
  afterEach(() => app.stop());

  it('ends with 421 when too many of its recipients did not exist (SMTP-15)', async (t) => {
    t.mock.method(Probing.prototype, 'refused', () => Promise.reject(new Refusal(421, 'Too many')));
    const client = await greeted(app.smtp.port);
    await client.expect(250, 'MAIL FROM:<ada@elsewhere.example>');
    await client.expect(421, 'RCPT TO:<nobody@localhost>');
    await client.closed();
  });

  it('is closed when nothing happens on it for five minutes (SMTP-16)', { timeout: 60_000 }, async (t) => {
    const { setTimeout: set } = Socket.prototype;
    t.mock.method(Socket.prototype, 'setTimeout', function (this: Socket, ms: number, then?: () => void) {
      return set.call(this, ms === FIVE_MINUTES_MS ? 300 : ms, then);
    });
    const client = await greeted(app.smtp.port);
    await client.expect(250, 'NOOP');
    assert.equal((await client.reply()).code, 421);
    await client.closed();
  });

  it('is refused with 421 when the server holds 500 (SMTP-14)', async () => {
    const held = [];
    for (let i = 0; i < 10; i++)
      held.push(...(await Promise.all(Array.from({ length: 50 }, () => from('127.0.0.1', app.smtp.port)))));
    for (const client of held) assert.equal((await client.reply()).code, 220);
    const over = await from('127.0.0.1', app.smtp.port);
    assert.equal((await over.reply()).code, 421);
    for (const client of [...held, over]) client.close();
  });
});

describe('an SMTP door that is nearly full', { timeout: 600_000 }, () => {
  it('a door that is nearly full sends away those that bring no mail, and no others (OPS-15, SMTP-14)', async () => {
    const app = await startApp('sqlite', { ATRIUM_SMTP_CONNECTIONS_PER_ADDRESS: '0' });
    try {
      const idle = await Promise.all(Array.from({ length: NEARLY_ALL }, () => greeted(app.smtp.port)));
      const busy = await greeted(app.smtp.port);
      await busy.begin([OWNER]);
      busy.send('Subject: long\r\n');
      await pause(PATIENCE_MS);
      const late = await greeted(app.smtp.port);
      for (const client of idle) {
        assert.equal((await client.reply()).code, 421);
        await client.closed();
      }
      busy.send('\r\nbody\r\n.\r\n');
      assert.equal((await busy.reply()).code, 250);
      for (const client of [busy, late]) client.close();
    } finally {
      await app.stop();
    }
  });
});

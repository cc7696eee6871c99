/** What goes wrong on the way in: sizes, storage that fails, clients that vanish, and a server that stops. */
import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNode } from '../api/nodes.ts';
import { rfc822 } from '../areas/mail-world.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { liveBytes } from '../live-bytes.ts';
import { startProxy } from '../storage/postgres-proxy.ts';
import { dial, greeted, type RawSmtp } from './raw-smtp.ts';
import { inboxOf, storedBytes } from './smtp-world.ts';

const OWNER = 'owner@localhost';
const MIB = 1024 * 1024;
const LARGE = rfc822({ body: 'x'.repeat(300_000) });
const LINE = `${'x'.repeat(1022)}\r\n`;

/** A kibibyte a line, so many of them, no faster than they are taken. */
async function sendLines(client: RawSmtp, lines: number): Promise<void> {
  const block = LINE.repeat(1_024);
  for (let i = 0; i < lines; i += 1_024) {
    client.send(i + 1_024 <= lines ? block : LINE.repeat(lines - i));
    while (client.socket.writableNeedDrain) await sleep(1);
  }
}

describe('mail that cannot be taken in', { timeout: 600_000 }, () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp('sqlite');
  });
  afterEach(() => app.stop());

  async function rowsLeft(): Promise<object[]> {
    return app.services.database.read(async (tx) => [
      ...(await tx.selectFrom('message_contents').select('number').execute()),
      ...(await tx.selectFrom('mail_delivery_log').select('id').execute()),
      ...(await tx.selectFrom('pending_blobs').selectAll().execute()),
    ]);
  }

  const untilNothingIsLeft = () =>
    eventually(async () => (await rowsLeft()).length === 0, 'nothing is left of the message');

  it('mail that is too large is refused by its announced size, before it is sent (SMTP-5)', async () => {
    const client = await greeted(app.smtp.port);
    const { lines } = await client.expect(552, `MAIL FROM:<a@elsewhere.example> SIZE=${64 * MIB + 1}`);
    assert.match(lines.join(), /^5\.3\.4 /);
    await client.expect(250, `MAIL FROM:<a@elsewhere.example> SIZE=${64 * MIB}`);
    client.close();
  });

  it('mail that is too large is refused at its end when it is larger than announced, and the connection goes on (SMTP-5)', async () => {
    const client = await greeted(app.smtp.port);
    await client.begin([OWNER], { parameters: ' SIZE=1000' });
    await sendLines(client, 65 * 1_024);
    assert.ok(await client.isSilent(50), 'is heard to its end');
    client.send('.\r\n');
    const reply = await client.reply();
    assert.equal(reply.code, 552, reply.lines.join());
    await untilNothingIsLeft();
    assert.equal((await client.transact([OWNER], rfc822())).code, 250);
    client.close();
    assert.equal((await inboxOf(app)).length, 1);
  });

  it('mail is taken up to the limit, in little memory (SMTP-5)', async () => {
    const client = await greeted(app.smtp.port);
    await client.begin([OWNER]);
    client.send('Subject: large\r\nContent-Type: application/octet-stream\r\n\r\n');
    const before = liveBytes();
    let most = before;
    for (let sent = 0; sent < 60; sent += 5) {
      await sendLines(client, 5 * 1_024);
      most = Math.max(most, liveBytes());
    }
    client.send('.\r\n');
    assert.equal((await client.reply()).code, 250);
    client.close();
    const [message] = await inboxOf(app);
    assert.ok(message.size > 60 * MIB);
    assert.ok(most - before < 20 * MIB, `${Math.round((most - before) / MIB)} MiB more`);
    assert.ok((await storedBytes(app, message.id)).content.length > 60 * MIB);
  });

  it('mail is put off with 451 while the blobs cannot be stored, and leaves nothing (SMTP-4)', async () => {
    const blobs = join(app.config.dataDir, 'blobs');
    const client = await greeted(app.smtp.port);
    await rename(blobs, `${blobs}.gone`);
    const reply = await client.transact([OWNER], LARGE);
    assert.equal(reply.code, 451, reply.lines.join());
    assert.match(reply.lines.join(), /^4\.3\.0 The storage cannot serve now/);
    await rename(`${blobs}.gone`, blobs);
    await untilNothingIsLeft();
    assert.equal((await client.transact([OWNER], LARGE)).code, 250);
    client.close();
    assert.equal((await inboxOf(app)).length, 1);
  });

  for (const [size, content, isStaged] of [
    ['small', rfc822(), false],
    ['large', LARGE, true],
  ] as const) {
    it(`leaves nothing of a ${size} message when the client vanishes in the middle of it`, async () => {
      const client = await greeted(app.smtp.port);
      await client.begin([OWNER]);
      client.send(content);
      if (isStaged) await eventually(async () => (await rowsLeft()).length > 0, 'its bytes are taken in');
      client.close();
      await untilNothingIsLeft();
      const other = await greeted(app.smtp.port);
      await other.begin([OWNER]);
      other.send(content);
      other.socket.end();
      await other.closed();
      await untilNothingIsLeft();
    });
  }

  it('is received to its end when the server stops meanwhile; who only waits is sent away', async () => {
    const node = await startNode(app.config);
    const port = Number(/:(\d+)$/.exec(node.smtpAddress ?? '')?.[1]);
    const [busy, idle] = [await greeted(port), await greeted(port)];
    await busy.begin([OWNER]);
    busy.send(rfc822());
    const stopped = node.stop();
    assert.equal((await idle.reply()).code, 421);
    await idle.closed();
    await assert.rejects(dial(port));
    busy.send('.\r\n');
    assert.equal((await busy.reply()).code, 250);
    assert.equal((await busy.reply()).code, 421);
    await stopped;
    assert.equal((await inboxOf(app)).length, 1);
  });
});

describe('mail while PostgreSQL fails', { timeout: 600_000 }, () => {
  it('mail is put off with 451 at each step while PostgreSQL fails, and taken in when it is back (SMTP-4)', async (t) => {
    const app = await startApp('postgres');
    const proxy = await startProxy(app.config.databaseUrl ?? '');
    const node = await startNode(app.config, { databaseUrl: proxy.url });
    t.after(async () => {
      await node.stop();
      await proxy.close();
      await app.stop();
    });
    const client = await greeted(Number(/:(\d+)$/.exec(node.smtpAddress ?? '')?.[1]));
    await client.begin([OWNER]);
    proxy.breakDown();
    client.send(`${rfc822()}.\r\n`);
    assert.equal((await client.reply()).code, 451);
    await client.expect(250, 'MAIL FROM:<a@elsewhere.example>');
    await client.expect(451, `RCPT TO:<${OWNER}>`);
    await client.expect(250, 'RSET');
    proxy.resume();
    assert.equal((await client.transact([OWNER], rfc822())).code, 250);
    client.close();
    assert.equal((await inboxOf(app)).length, 1);
  });
});

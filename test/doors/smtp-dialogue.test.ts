/** Commands out of order, odd ones, hostile ones, and TLS. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTransport } from 'nodemailer';
import { rfc822 } from '../areas/mail-world.ts';
import { ANY_ENGINE } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { dial, greeted } from './raw-smtp.ts';
import { inboxOf, storedBytes } from './smtp-world.ts';

const OWNER = 'owner@localhost';
const TLS = join(import.meta.dirname, '../api/tls');

describe('the SMTP dialogue', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(ANY_ENGINE);
  });
  after(() => app.stop());

  it('is kept in order', async () => {
    const client = await dial(app.smtp.port);
    await client.expect(503, 'MAIL FROM:<a@elsewhere.example>');
    await client.expect(250, 'EHLO client.example');
    await client.expect(503, `RCPT TO:<${OWNER}>`);
    await client.expect(503, 'DATA');
    await client.expect(250, 'MAIL FROM:<a@elsewhere.example>');
    await client.expect(503, 'MAIL FROM:<b@elsewhere.example>');
    await client.expect(503, 'DATA');
    await client.expect(250, `RCPT TO:<${OWNER}>`);
    await client.expect(250, 'RSET');
    await client.expect(503, 'DATA');
    await client.expect(250, 'NOOP');
    await client.expect(252, `VRFY ${OWNER}`);
    await client.expect(500, 'EXPN list');
    await client.expect(221, 'QUIT');
    await client.closed();
  });

  it('may be the old one', async () => {
    const client = await dial(app.smtp.port);
    await client.expect(250, 'HELO client.example');
    assert.equal((await client.transact([OWNER], rfc822())).code, 250);
    client.close();
    const [message] = await inboxOf(app);
    assert.match((await storedBytes(app, message.id)).trace, / with SMTP id /);
  });

  it('takes no header from what a client calls itself or its sender', async () => {
    const client = await dial(app.smtp.port);
    await client.expect(501, 'EHLO a\rX-Evil: 1');
    await client.expect(250, 'EHLO a);by(evil');
    for (const sender of [
      'a\rX: 1@elsewhere.example',
      'a\0@elsewhere.example',
      'a b@elsewhere.example',
      'a>X@b.example',
    ])
      await client.expect(501, `MAIL FROM:<${sender}>`);
    assert.equal((await client.transact([OWNER], rfc822())).code, 250);
    client.close();
    const [message] = await inboxOf(app);
    const { trace } = await storedBytes(app, message.id);
    assert.match(trace, /\r\nReceived: from a\?\?by\?evil \(\[127\.0\.0\.1\]\)\r\n/);
  });

  it('the SMTP dialogue refuses parameters that it does not offer or understand (SMTP-8)', async () => {
    const client = await greeted(app.smtp.port);
    for (const parameters of ['BODY=BINARYMIME', 'SIZE=x', 'SMTPUTF8=yes', 'SIZE=1 SIZE=2'])
      await client.expect(501, `MAIL FROM:<a@elsewhere.example> ${parameters}`);
    for (const parameters of ['FOO=1', 'BAR', 'AUTH=<>', 'SIZE=1 RET=HDRS'])
      await client.expect(555, `MAIL FROM:<a@elsewhere.example> ${parameters}`);
    await client.expect(250, 'MAIL FROM:<a@elsewhere.example> SIZE=1 BODY=8BITMIME SMTPUTF8');
    await client.expect(555, `RCPT TO:<${OWNER}> NOTIFY=NEVER`);
    await client.expect(503, 'DATA');
    await client.expect(250, `RCPT TO:<${OWNER}>`);
    client.close();
  });

  it('the SMTP dialogue takes a hundred recipients, and tells who has more to send the rest later (SMTP-13)', async () => {
    const client = await greeted(app.smtp.port);
    const { directory, database } = app.services;
    const { workspaceId } = await database.read(async (tx) => {
      const [workspace] = await directory.listWorkspaces(tx);
      return { workspaceId: workspace?.id ?? '' };
    });
    const addresses = Array.from({ length: 101 }, (_, i) => `many${i}@example.org`);
    await database.write(async (tx) => {
      for (const email of addresses) await directory.createUser(tx, workspaceId, { email, name: 'Many' });
    });
    await client.expect(250, 'MAIL FROM:<a@elsewhere.example>');
    for (const address of addresses.slice(0, 100)) await client.expect(250, `RCPT TO:<${address}>`);
    await client.expect(452, `RCPT TO:<${addresses[100]}>`);
    await client.expect(354, 'DATA');
    client.send(`${rfc822()}.\r\n`);
    assert.equal((await client.reply()).code, 250);
    client.close();
    const rows = await database.read((tx) => tx.selectFrom('mail_delivery_log').select('id').execute());
    assert.ok(rows.length >= 100);
  });

  it('ends with a client that sends an endless command, or talks HTTP', async () => {
    for (const line of [`NOOP ${'x'.repeat(100_000)}`, 'GET / HTTP/1.1']) {
      const client = await greeted(app.smtp.port);
      await client.expect(421, line);
      await client.closed();
    }
  });

  it('survives whatever bytes it is sent', async () => {
    for (let round = 0; round < 30; round++) {
      const client = await dial(app.smtp.port);
      const bytes = Buffer.from(
        Array.from({ length: 3_000 }, (_, i) => (i * 7 + round * 31 + ((i * i) >> 3)) % 256),
      );
      client.send(bytes);
      client.send('\r\nMAIL\r\nRCPT\r\nDATA\r\nMAIL FROM:\r\nRCPT TO:<>\r\n');
      await client.reply();
      client.close();
    }
    const client = await greeted(app.smtp.port);
    await client.expect(221, 'QUIT');
  });
});

describe('SMTP with a certificate', () => {
  it('SMTP with a certificate is encrypted by STARTTLS, and says so in the trace (OPS-29, OPS-30, SMTP-7)', async (t) => {
    const app = await startApp(ANY_ENGINE, {
      ATRIUM_TLS_CERT: join(TLS, 'cert.pem'),
      ATRIUM_TLS_KEY: join(TLS, 'key.pem'),
    });
    t.after(() => app.stop());
    const transport = createTransport({
      ...app.smtp,
      requireTLS: true,
      tls: { ca: readFileSync(join(TLS, 'cert.pem')), checkServerIdentity: () => undefined },
    });
    await transport.sendMail({ from: 'ada@elsewhere.example', to: OWNER, text: 'Secret' });
    transport.close();
    const rows = await app.services.database.read((tx) =>
      tx.selectFrom('message_contents').select('raw').execute(),
    );
    assert.match(Buffer.from(rows[0]?.raw ?? []).toString(), / with ESMTPS id /);
  });

  it('forgets what came before STARTTLS, pipelined commands too', async (t) => {
    const app = await startApp(ANY_ENGINE, {
      ATRIUM_TLS_CERT: join(TLS, 'cert.pem'),
      ATRIUM_TLS_KEY: join(TLS, 'key.pem'),
    });
    t.after(() => app.stop());
    const client = await greeted(app.smtp.port);
    client.send('STARTTLS\r\nMAIL FROM:<a@elsewhere.example>\r\n');
    assert.equal((await client.reply()).code, 220);
    assert.ok(await client.isSilent(100));
    client.close();
  });
});

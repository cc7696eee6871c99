/** The SMTP door as mail servers and programs use it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { rfc822 } from '../areas/mail-world.ts';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { dial, greeted } from './raw-smtp.ts';
import { inboxOf, storedBytes } from './smtp-world.ts';

const OWNER = 'owner@localhost';
const READ = ['mail.messages.read'] as const;

forEachEngine((engine) => {
  describe('the SMTP door', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine, { ATRIUM_SMTP_CONNECTIONS_PER_ADDRESS: '200' });
    });
    after(() => app.stop());

    /** Sends as a mail program does. */
    async function sendMail(mail: SendMailOptions, options = {}) {
      const transport = createTransport({ ...app.smtp, ignoreTLS: true, ...options });
      try {
        return await transport.sendMail({ from: 'ada@elsewhere.example', ...mail });
      } finally {
        transport.close();
      }
    }

    /** Delivers and answers the summary of what is in the inbox then. */
    async function deliver(content: string | Uint8Array, options = {}) {
      const client = await greeted(app.smtp.port);
      const reply = await client.transact([OWNER], content, options);
      assert.equal(reply.code, 250, reply.lines.join());
      client.close();
      const [newest] = await inboxOf(app);
      return newest;
    }

    it('delivers what a mail program sends, with everything that it holds', async () => {
      await sendMail({
        to: OWNER,
        subject: 'Grüße',
        text: 'Hello',
        html: '<p>Hello</p>',
        attachments: [{ filename: 'a.txt', content: 'attached' }],
      });
      const [summary] = await inboxOf(app);
      const { json } = await app.get(`/v1/messages/${summary.id}`);
      assert.equal(json.data.subject, 'Grüße');
      assert.equal(json.data.from, 'ada@elsewhere.example');
      assert.deepEqual([json.data.text.trim(), json.data.html], ['Hello', '<p>Hello</p>']);
      assert.equal(json.data.attachments[0].filename, 'a.txt');
      assert.equal(json.data.flags.read, false);
      assert.ok(json.data.thread_id);
    });

    it('begins the raw message with the trace, and counts it (SMTP-11, MAIL-24, MAIL-46)', async () => {
      const content = rfc822({ messageId: '<trace@elsewhere.example>' });
      const before = Date.now();
      const summary = await deliver(content.slice(0, -2));
      const { trace, content: kept, size } = await storedBytes(app, summary.id);
      assert.equal(kept.toString(), content);
      assert.equal(summary.size, size);
      const lines = trace.split('\r\n');
      assert.equal(lines[0], 'Return-Path: <ada@elsewhere.example>');
      assert.equal(lines[1], 'Received: from client.example ([127.0.0.1])');
      assert.match(lines[2] ?? '', /^ by localhost \(Atrium\) with ESMTP id [\w.]+$/);
      assert.equal(lines[3], ` for <${OWNER}>;`);
      const date = Date.parse(summary.date);
      assert.ok(date >= before && date <= Date.now(), summary.date);
      assert.ok(Math.abs(Date.parse(String(lines[4])) - date) < 1_000, String(lines[4]));
    });

    it('a message with malformed MIME is shown as far as it can be read (SMTP-9)', async () => {
      const content = [
        'From: Ada <ada@elsewhere.example>',
        'Subject: =?utf-8?Q?Gr=C3=BC=?= and =?none?x?y?=',
        'Content-Type: multipart/mixed; boundary="b',
        '',
        '--b',
        'Content-Type: text/plain; charset=no-such-charset',
        'Content-Transfer-Encoding: base64',
        '',
        'cmVhZGFibGU=!!',
      ];
      const { id } = await deliver(content.join('\r\n'));
      const message = data(await app.get(`/v1/messages/${id}`));
      assert.equal(message.from, 'Ada <ada@elsewhere.example>');
      assert.match(message.subject, /^Grü/);
      assert.match(message.text, /readable|cmVhZGFibGU/);
      const raw = (await app.get(`/v1/messages/${id}/raw`)).text;
      assert.ok(raw.includes(content.join('\r\n')));
    });

    it('takes a bounce, whose sender is empty', async () => {
      const summary = await deliver(rfc822(), { sender: '' });
      const { trace } = await storedBytes(app, summary.id);
      assert.match(trace, /^Return-Path: <>\r\n/);
    });

    it('the SMTP door delivers to several people in one transaction, and names none of them (SMTP-6, SMTP-11)', async () => {
      const [one, two] = [
        await makeUser(app, { email: 'one@example.org' }),
        await makeUser(app, { email: 'two@example.org' }),
      ];
      const keys = [
        await makeKey(app, READ, { user_id: one.id }),
        await makeKey(app, READ, { user_id: two.id }),
      ];
      const client = await greeted(app.smtp.port);
      const reply = await client.transact(
        ['one@example.org', 'TWO@example.ORG', 'one@example.org'],
        rfc822(),
      );
      assert.equal(reply.code, 250);
      client.close();
      for (const { key } of keys) {
        const messages = await inboxOf(app, key);
        assert.equal(messages.length, 1);
        const raw = await app.get(`/v1/messages/${messages[0].id}/raw`, { key });
        assert.doesNotMatch(raw.text.split('From:')[0] ?? '', / for </);
      }
    });

    it('the SMTP door finds people by alias and in any case, and nobody else (DIR-12, SMTP-1, SMTP-2)', async () => {
      const user = await makeUser(app, { email: 'grace@example.org', aliases: ['Hopper@Example.org'] });
      const client = await greeted(app.smtp.port);
      await client.expect(250, 'MAIL FROM:<a@elsewhere.example>');
      for (const address of [
        'GRACE@EXAMPLE.ORG',
        'hopper@example.org',
        '"grace"@example.org',
        '"Gr\\ace"@example.org',
      ])
        await client.expect(250, `RCPT TO:<${address}>`);
      for (const address of [
        'nobody@example.org',
        'owner@elsewhere.example',
        'grace@example.org.evil',
        'postmaster',
        'grace%example.org@localhost',
        '"nobody"@example.org',
      ])
        await client.expect(550, `RCPT TO:<${address}>`);
      await app.put(`/v1/users/${user.id}`, { state: 'suspended' });
      await client.expect(550, 'RCPT TO:<grace@example.org>');
      client.close();
    });

    it('the SMTP door takes nothing for who is suspended while the message comes, and puts the others off (SMTP-1, SMTP-6)', async () => {
      const user = await makeUser(app);
      const { key } = await makeKey(app, READ, { user_id: user.id });
      for (const [others, code] of [
        [[], 550],
        [[OWNER], 451],
      ] as const) {
        const client = await greeted(app.smtp.port);
        await client.begin([...others, user.email]);
        client.send(rfc822());
        data(await app.put(`/v1/users/${user.id}`, { state: 'suspended' }));
        const before = (await inboxOf(app)).length;
        client.send('.\r\n');
        assert.equal((await client.reply()).code, code);
        assert.equal((await inboxOf(app)).length, before);
        await client.expect(250, 'MAIL FROM:<ada@elsewhere.example>');
        await client.expect(550, `RCPT TO:<${user.email}>`);
        client.close();
        data(await app.put(`/v1/users/${user.id}`, { state: 'active' }));
      }
      assert.deepEqual(await inboxOf(app, key), []);
    });

    it('the SMTP door gives a message to nobody whose address passes to another while it comes (SMTP-1)', async () => {
      const [user, other] = [await makeUser(app, { aliases: ['desk@example.org'] }), await makeUser(app)];
      const keys = [user, other].map(({ id }) => makeKey(app, READ, { user_id: id }));
      const client = await greeted(app.smtp.port);
      await client.begin(['desk@example.org']);
      client.send(rfc822());
      data(await app.put(`/v1/users/${user.id}`, { aliases: [] }));
      data(await app.put(`/v1/users/${other.id}`, { aliases: ['desk@example.org'] }));
      client.send('.\r\n');
      assert.equal((await client.reply()).code, 550);
      for (const { key } of await Promise.all(keys)) assert.deepEqual(await inboxOf(app, key), []);
      assert.equal((await client.transact(['desk@example.org'], rfc822())).code, 250);
      client.close();
      const inboxes = await Promise.all(keys.map(async (made) => inboxOf(app, (await made).key)));
      assert.deepEqual(
        inboxes.map(({ length }) => length),
        [0, 1],
      );
    });

    it('the SMTP door takes mail for postmaster without a domain where somebody is it (SMTP-2)', async () => {
      await makeUser(app, { email: 'postmaster@localhost' });
      const client = await greeted(app.smtp.port);
      const reply = await client.transact(['Postmaster'], rfc822());
      assert.equal(reply.code, 250);
      client.close();
    });

    it('the SMTP door takes addresses and headers in any script (SMTP-2, SMTP-7)', async () => {
      const user = await makeUser(app, { email: 'дмитрий@пример.example' });
      const { key } = await makeKey(app, READ, { user_id: user.id });
      const client = await greeted(app.smtp.port);
      const content = rfc822({ subject: 'Привет' });
      const reply = await client.transact(['Дмитрий@пример.example'], content, {
        sender: 'отправитель@elsewhere.example',
        parameters: ' BODY=8BITMIME SMTPUTF8',
      });
      assert.equal(reply.code, 250);
      client.close();
      const [summary] = await inboxOf(app, key);
      assert.equal(summary.subject, 'Привет');
      const raw = await app.get(`/v1/messages/${summary.id}/raw`, { key });
      assert.match(raw.text, /^Return-Path: <отправитель@elsewhere\.example>\r\n/);
      assert.match(raw.text, / with UTF8SMTP id /);
      assert.match(raw.text, / for <Дмитрий@пример\.example>;/);
    });

    it('the SMTP door says what it can do (SMTP-5, SMTP-7)', async () => {
      const client = await dial(app.smtp.port);
      const { lines } = await client.expect(250, 'EHLO client.example');
      assert.match(lines[0] ?? '', /^localhost /);
      assert.deepEqual(lines.slice(1).sort(), [
        '8BITMIME',
        'ENHANCEDSTATUSCODES',
        'PIPELINING',
        'SIZE 67108864',
        'SMTPUTF8',
      ]);
      client.close();
    });

    it('the SMTP door offers no login (SMTP-8)', async () => {
      const client = await greeted(app.smtp.port);
      await client.expect(500, 'AUTH PLAIN AGEAYg==');
      client.close();
    });

    it('serves a hundred connections at once', { timeout: 600_000 }, async () => {
      const before = (await inboxOf(app)).length;
      const clients = await Promise.all(Array.from({ length: 100 }, () => greeted(app.smtp.port)));
      const replies = await Promise.all(clients.map((client) => client.transact([OWNER], rfc822())));
      assert.deepEqual(
        replies.filter(({ code }) => code !== 250),
        [],
      );
      assert.equal((await inboxOf(app)).length, before + 100);
      for (const client of clients) client.close();
    });
  });
});

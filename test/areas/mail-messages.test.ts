import assert from 'node:assert/strict';
import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { FLAGS } from '../../src/areas/mail/changes/flags.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { liveBytes } from '../live-bytes.ts';
import { OF_ONE_NODE } from '../nodes/count.ts';
import { makeKey, makeUser } from './accounts.ts';
import { appendStream, fixture, getBytes, inTurns, realMessages } from './mail-bytes.ts';
import { append, everyPage, folderOf, rfc822 } from './mail-world.ts';

const MIB = 1024 * 1024;
const MAX_IN_DATABASE = 100 * 1024;

/** Bodies that are no decent message: each must come back as it was. */
const BYTES: Record<string, Buffer> = {
  'no byte': Buffer.alloc(0),
  'one byte': Buffer.from('x'),
  'a line feed': Buffer.from('\n'),
  'CR LF': Buffer.from(rfc822()),
  LF: Buffer.from(rfc822().replaceAll('\r\n', '\n')),
  CR: Buffer.from(rfc822().replaceAll('\r\n', '\r')),
  NUL: Buffer.from('Subject: a\0b\r\n\r\n\0\0'),
  'eight bits': Buffer.from([...Buffer.from('Subject: '), ...Array(256).keys(), 13, 10, 13, 10, 255, 254]),
  'one byte less than the database keeps': Buffer.alloc(MAX_IN_DATABASE - 1, 'Subject: a\r\n\r\nb'),
  'as much as the database keeps': Buffer.alloc(MAX_IN_DATABASE, 'Subject: a\r\n\r\nb'),
  'one byte more than the database keeps': Buffer.alloc(MAX_IN_DATABASE + 1, 'Subject: a\r\n\r\nb'),
  '5 MiB': Buffer.alloc(5 * MIB, 'Subject: a\r\n\r\nbcdefg\r\n'),
};

/** A message with an attachment of about `size` bytes, and the digest of all of it. */
function largeMessage(size: number) {
  const digest = createHash('sha256');
  const line = Buffer.from(`${'A'.repeat(76)}\r\n`.repeat(1_000));
  const content = async function* () {
    const head = Buffer.from(
      'Subject: large\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n',
    );
    for (let sent = 0; sent < size; sent += line.length) {
      const bytes = sent === 0 ? head : line;
      digest.update(bytes);
      yield bytes;
    }
  };
  return { content: content(), digest: () => digest.digest('hex') };
}

/** The same bytes; after each 5 MiB it is looked how much the process holds. */
async function* watched(content: AsyncIterable<Uint8Array>, seen: number[]): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const bytes of content) {
    passed += bytes.length;
    if (passed > (seen.length + 1) * 5 * MIB) seen.push(liveBytes());
    yield bytes;
  }
}

forEachEngine((engine) => {
  describe('messages', () => {
    let app: TestApp;
    let inbox: string;
    before(async () => {
      app = await startApp(engine);
      inbox = await folderOf(app, 'inbox');
    });
    after(() => app.stop());

    const message = async (id: string) => (await app.get(`/v1/messages/${id}`)).json.data;

    for (const [name, bytes] of Object.entries(BYTES)) {
      it(`come back byte for byte: ${name} (MAIL-25, MAIL-45)`, async () => {
        const { id, size } = await append(app, inbox, bytes);
        const raw = await getBytes(app, `/v1/messages/${id}/raw`);
        assert.equal(raw.status, 200);
        assert.ok(raw.bytes.equals(bytes));
        assert.equal(size, bytes.length);
        assert.equal(raw.headers.get('content-length'), String(bytes.length));
        assert.equal(raw.headers.get('content-type'), 'message/rfc822');
        assert.equal((await message(id)).size, bytes.length);
      });
    }

    it('messages come back byte for byte, summed up alike everywhere: real ones (MAIL-25, MAIL-37, MAIL-45)', async () => {
      const folder = await folderOf(app, 'archive');
      const appended = new Map<string, object>();
      await inTurns(realMessages(), 8, async ([name, path]) => {
        const bytes = readFileSync(path);
        const summary = await append(app, folder, bytes);
        appended.set(summary.id, summary);
        const raw = await getBytes(app, `/v1/messages/${summary.id}/raw`);
        assert.ok(raw.bytes.equals(bytes), name);
        const record = await message(summary.id);
        assert.deepEqual(pick(record, Object.keys(summary)), summary);
        assert.doesNotMatch(JSON.stringify(record), /\\u0000/, name);
        assert.ok(summary.date >= '1970' && summary.date < '2100', `${name}: ${summary.date}`);
      });
      const listed = await everyPage(app, `/v1/messages?folder_id=${folder}`, 200);
      assert.equal(listed.length, appended.size);
      for (const summary of listed) assert.deepEqual(summary, appended.get(summary.id));
    });

    it('of 60 MiB pass through in little memory', { skip: OF_ONE_NODE }, async () => {
      const sent = largeMessage(60 * MIB);
      const [atFirst, whileSent, whileReceived]: [number, number[], number[]] = [liveBytes(), [], []];
      const answer = await appendStream(app, inbox, watched(sent.content, whileSent));
      assert.equal(answer.status, 201);
      const { data } = (await answer.json()) as { data: { id: string } };
      const received = createHash('sha256');
      const raw = await fetch(`${app.address}/v1/messages/${data.id}/raw`, {
        headers: { authorization: `Bearer ${OWNER_KEY}` },
      });
      for await (const bytes of watched(raw.body ?? sent.content, whileReceived)) received.update(bytes);
      assert.equal(received.digest('hex'), sent.digest());
      const most = Math.max(...whileSent, ...whileReceived) - atFirst;
      assert.ok(whileSent.length > 10 && most < 20 * MIB, `${most} bytes`);
    });

    it('messages over 64 MiB are refused, and nothing is left of them (MAIL-67)', async () => {
      const answer = await appendStream(app, inbox, largeMessage(65 * MIB).content);
      const refusal = (await answer.json()) as { error: { code: string } };
      assert.deepEqual([answer.status, refusal.error.code], [413, 'payload_too_large']);
      const pending = (await app.services.database.read((tx) =>
        tx.selectFrom('pending_blobs').selectAll().execute(),
      )) as unknown[];
      assert.deepEqual(pending, []);
    });

    it('that nobody goes on reading keep no write waiting', async () => {
      const { id } = await append(app, inbox, Buffer.alloc(8 * MIB, 'Subject: big\r\n\r\n0123456789abcdef'));
      const socket = connect(Number(new URL(app.address).port), '127.0.0.1');
      socket.write(
        `GET /v1/messages/${id}/raw HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OWNER_KEY}\r\n\r\n`,
      );
      await new Promise((resolve) => socket.once('readable', resolve));
      await sleep(50);
      for (let i = 0; i < 20; i++) await append(app, inbox, rfc822());
      socket.destroy();
    });

    it('answer HEAD like GET, without the bytes', async () => {
      const small = await append(app, inbox, rfc822());
      const large = await append(app, inbox, BYTES['5 MiB'] ?? '');
      for (const { id, size } of [small, large]) {
        const head = await getBytes(app, `/v1/messages/${id}/raw`, 'HEAD');
        assert.deepEqual([head.status, head.bytes.length], [200, 0]);
        assert.equal(head.headers.get('content-length'), String(size));
        assert.equal(head.headers.get('content-type'), 'message/rfc822');
      }
    });

    it('messages carry the flags and labels that they are appended with (MAIL-20, MAIL-26, MAIL-28, MAIL-64)', async () => {
      const label = ['b', 'a', 'ü 😀 "q"&', 'b', 'Ä'.repeat(255)];
      const query = [
        ...['starred', 'draft', 'starred'].map((flag) => `flag=${flag}`),
        ...label.map((text) => `label=${encodeURIComponent(text)}`),
      ].join('&');
      const summary = await append(app, inbox, rfc822(), { query: `?${query}` });
      assert.deepEqual(summary.labels, [...new Set(label)]);
      assert.deepEqual(summary.flags, {
        read: false,
        starred: true,
        answered: false,
        draft: true,
        deleted: false,
      });
      const { id, folder_id, thread_id, ...bare } = await append(app, inbox, rfc822());
      assert.equal(folder_id, inbox);
      assert.match(id, /^msg_[0-9a-z]{26}$/);
      assert.match(thread_id, /^thr_[0-9a-z]{26}$/);
      assert.deepEqual(bare, {
        subject: 'Engine',
        from: 'Ada Lovelace <ada@example.org>',
        date: '2026-03-02T10:00:00.000Z',
        size: rfc822().length,
        message_id: '',
        sent_at: '2026-03-02T10:00:00.000Z',
        has_attachments: false,
        flags: { read: false, starred: false, answered: false, draft: false, deleted: false },
        labels: [],
      });
    });

    it('messages tell every flag from the others (MAIL-10, MAIL-12, MAIL-14)', async () => {
      for (const flag of FLAGS) {
        const { flags } = await append(app, inbox, rfc822(), { query: `?flag=${flag}` });
        assert.deepEqual(flags, Object.fromEntries(FLAGS.map((other) => [other, other === flag])));
      }
    });

    it('messages are dated by the newest Received header, else by Date, else now (MAIL-66)', async () => {
      const dateOf = async (raw: string) => (await append(app, inbox, raw)).date;
      const received = [
        'Received: by c; Wed, 4 Mar 2026 12:00:00 +0200',
        'Received: by b; Tue, 3 Mar 2026 12:00:00 +0000',
        'Date: Mon, 2 Mar 2026 12:00:00 +0000',
      ];
      assert.equal(await dateOf(`${received.join('\r\n')}\r\n\r\n`), '2026-03-04T10:00:00.000Z');
      assert.equal(await dateOf(`${received[2]}\r\n\r\n`), '2026-03-02T12:00:00.000Z');
      const unclosed = `Received: from a (by b\r\n id c; Thu, 5 Mar 2026 12:00:00 +0000\r\n${received.join('\r\n')}\r\n\r\n`;
      assert.equal(await dateOf(unclosed), '2026-03-05T12:00:00.000Z', 'in a comment that is not closed');
      for (const header of ['Subject: undated', 'Date: some day', 'Date: Thu, 1 Jan 1903 00:00:00 +0000']) {
        const now = Date.parse(await dateOf(`${header}\r\n\r\n`));
        assert.ok(Math.abs(Date.now() - now) < 600_000, header);
      }
      const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000);
      const soon = Date.parse(await dateOf(rfc822({ receivedAt: ahead(23) })));
      assert.ok(soon > Date.now() + 22 * 3_600_000, 'a clock that is ahead by less than a day counts');
      const late = Date.parse(await dateOf(rfc822({ receivedAt: ahead(25) })));
      assert.ok(late <= Date.now(), 'one that is ahead by more does not');
    });

    it('messages are shown whole whatever their headers hold (MAIL-22)', async () => {
      const raw = [
        'From: "a\0b =?utf-8?q?=00=F0=9F=98=80?=" <x\0y@example.org>',
        'Subject: =?utf-8?q?=ED=A0=80?= =?utf-16be?b?2AA=?= =?utf-8?b?8J+YgA==?= a\0b',
        `To: =?utf-16?b?3gA=?= <${'x'.repeat(70_000)}@example.org>`,
        'Message-ID: <n\0ul@example.org>',
        'References: <\ud83d\ude00\0@example.org>',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/html; charset=utf-8',
        '',
        '<p>&#0;&#xd800;\0 😀</p>',
        '--b',
        "Content-Disposition: attachment; filename*=utf-8''%00%F0%9F%98%80.txt",
        '',
        'x',
        '--b--',
      ].join('\r\n');
      const { id } = await append(app, inbox, raw);
      const record = await message(id);
      assert.ok(JSON.stringify(record).isWellFormed());
      assert.ok(!JSON.stringify(record).includes('\\u0000'));
      assert.match(record.subject, /😀/u);
      assert.match(record.text, /😀/u);
      assert.match(record.attachments[0].filename, /😀\.txt$/u);
      const [listed] = (await app.get(`/v1/messages?folder_id=${inbox}&limit=200`)).json.data.filter(
        (summary: { id: string }) => summary.id === id,
      );
      assert.equal(listed.subject, record.subject);
    });

    it('messages are kept with a header of 10 MB (MAIL-44)', async () => {
      const long = `X-Long: ${'x'.repeat(5_000_000)}\r\nSubject: ${'ä'.repeat(2_500_000)}\r\n`;
      const raw = Buffer.from(`${long}From: a@example.org\r\n\r\nbody`);
      const { id, size } = await append(app, inbox, raw);
      assert.equal(size, raw.length);
      const { bytes } = await getBytes(app, `/v1/messages/${id}/raw`);
      assert.equal(hash('sha256', bytes), hash('sha256', raw));
      assert.equal((await message(id)).truncated, true);
    });

    it('messages show the beginning of a subject and of a sender that are very long, and say so (MAIL-44)', async () => {
      const [subject, name] = ['😀'.repeat(20_000), 'n'.repeat(3_000)];
      const raw = `Subject: ${subject}\r\nFrom: ${name} <a@example.org>\r\n\r\nbody`;
      const { id } = await append(app, inbox, raw);
      const record = await message(id);
      assert.equal(record.subject, `${'😀'.repeat(999)}…`);
      assert.equal(record.from, `${'n'.repeat(1_999)}… <a@example.org>`);
      assert.equal(record.truncated, true);
      const { bytes } = await getBytes(app, `/v1/messages/${id}/raw`);
      assert.equal(bytes.toString(), raw);
    });

    it('messages that name nothing have empty texts and lists, and a sender by whatever is named of one (MAIL-22, MAIL-23, MAIL-26, MAIL-27, MAIL-38, MAIL-39, MAIL-41)', async () => {
      const { id } = await append(app, inbox, 'X-Nothing: 1\r\n\r\n');
      const { id: _id, folder_id, thread_id, date, size, flags, text, ...rest } = await message(id);
      assert.deepEqual(rest, {
        ...{ subject: '', from: '', message_id: '', in_reply_to: '', html: '' },
        ...{ labels: [], to: [], cc: [], bcc: [], reply_to: [], references: [] },
        ...{ attachments: [], applied_filters: [], sent_at: null, has_attachments: false },
        headers: [{ name: 'X-Nothing', value: '1' }],
        addresses: { from: [], sender: [], to: [], cc: [], bcc: [], reply_to: [] },
      });
      assert.equal(text.trim(), '');
      for (const [header, from] of [
        ['Ada Lovelace <ada@example.org>', 'Ada Lovelace <ada@example.org>'],
        ['<ada@example.org>', 'ada@example.org'],
        ['"Ada Lovelace"', 'Ada Lovelace'],
      ] as const)
        assert.equal((await append(app, inbox, `From: ${header}\r\n\r\n`)).from, from);
    });

    it('messages show whom they name, in every form of address (MAIL-23, MAIL-27, MAIL-38, MAIL-39)', async () => {
      const { id } = await append(app, inbox, fixture('mikelmail__rfc2822__example10.eml'));
      assert.deepEqual(
        pick(await message(id), [
          'from',
          'to',
          'cc',
          'bcc',
          'reply_to',
          'in_reply_to',
          'references',
          'message_id',
        ]),
        {
          from: 'Pete <pete@silly.test>',
          to: ['Chris Jones <c@public.example>', 'joe@example.org', 'John <jdoe@one.test>'],
          cc: [],
          bcc: [],
          reply_to: [],
          in_reply_to: '',
          references: [],
          message_id: '<testabcd.1234@silly.test>',
        },
      );
      const headers = [
        'From: =?iso-8859-1?q?J=F6rg?= <joerg@example.org>',
        'Reply-To: "Team, The" <team@example.org>, list@example.org',
        'To: undisclosed-recipients:;',
        'Cc: Ä <ä@example.org>, b@example.org (Bee)',
        'Bcc: secret@example.org',
        'In-Reply-To: Your message of Monday <one@example.org>',
        'References: <zero@example.org>\r\n <one@example.org> <zero@example.org>',
      ];
      const other = await append(app, inbox, `${headers.join('\r\n')}\r\n\r\n`);
      assert.deepEqual(
        pick(await message(other.id), ['from', 'reply_to', 'to', 'cc', 'bcc', 'in_reply_to', 'references']),
        {
          from: 'Jörg <joerg@example.org>',
          reply_to: ['"Team, The" <team@example.org>', 'list@example.org'],
          to: [],
          cc: ['Ä <ä@example.org>', 'Bee <b@example.org>'],
          bcc: ['secret@example.org'],
          in_reply_to: '<one@example.org>',
          references: ['<zero@example.org>', '<one@example.org>'],
        },
      );
    });

    it('messages show text and safe HTML (MAIL-40, MAIL-41)', async () => {
      const html = '<h1 onclick="x()">Hi</h1><script>alert(1)</script><a href="javascript:x()">a</a>';
      const { id } = await append(app, inbox, `Content-Type: text/html\r\n\r\n${html}`);
      const record = await message(id);
      assert.match(record.html, /<h1>Hi<\/h1>/);
      assert.doesNotMatch(record.html, /script|onclick|alert/);
      assert.match(record.text, /^hi/i);
      assert.deepEqual([record.attachments, record.applied_filters], [[], []]);
      assert.equal('truncated' in record, false);
    });
  });

  describe('mail folders', () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    it('mail folders are those that every mailbox starts with (MAIL-2, MAIL-3, MAIL-4)', async () => {
      const { status, json } = await app.get('/v1/folders');
      assert.equal(status, 200);
      assert.equal('pagination' in json, false);
      assert.deepEqual(
        json.data.map(({ id, created_at, ...folder }: Record<string, unknown>) => folder),
        ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash'].map((role) => ({
          name: `${role.charAt(0).toUpperCase()}${role.slice(1)}`,
          parent_id: '',
          role,
          message_count: 0,
          unread_count: 0,
        })),
      );
    });

    it('mail folders count exactly what several clients append at once (MAIL-3, MAIL-11)', async () => {
      const users = await Promise.all([makeUser(app), makeUser(app)]);
      const permissions = ['mail.messages.read', 'mail.messages.write'] as const;
      const others = await Promise.all(
        users.map(async ({ id }) => (await makeKey(app, permissions, { user_id: id })).key as string),
      );
      const keys = [OWNER_KEY, ...others, (await makeKey(app, permissions)).key as string];
      const drafts = fc.sample(
        fc.record({
          client: fc.nat(keys.length - 1),
          role: fc.constantFrom('inbox', 'sent', 'junk'),
          flags: fc.subarray([...FLAGS]),
          large: fc.boolean(),
        }),
        { numRuns: 50, seed: 3 },
      );
      await Promise.all(
        drafts.map(async ({ client, role, flags, large }) => {
          const key = keys[client] ?? '';
          const query = `?${flags.map((flag) => `flag=${flag}`).join('&')}`;
          const raw = rfc822({ body: large ? 'x'.repeat(MAX_IN_DATABASE) : 'x' });
          await append(app, await folderOf(app, role, key), raw, { key, query });
        }),
      );
      for (const [client, key] of keys.entries()) {
        // The last key is another one of the owner.
        const mailboxes = client === 0 || client === 3 ? [0, 3] : [client];
        const mine = drafts.filter((draft) => mailboxes.includes(draft.client));
        const { json } = await app.get('/v1/folders', { key });
        for (const { role, message_count, unread_count } of json.data) {
          const here = mine.filter((draft) => draft.role === role);
          const unread = here.filter((draft) => !draft.flags.includes('read'));
          assert.deepEqual([role, message_count, unread_count], [role, here.length, unread.length]);
        }
      }
    });
  });
});

function pick(record: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}

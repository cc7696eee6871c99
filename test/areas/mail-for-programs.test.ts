/** What programs read of messages: times, headers, the envelope, types of attachments, ranges. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rebuildSummaries } from '../../src/areas/mail/service.ts';
import { greeted } from '../doors/raw-smtp.ts';
import { inboxOf } from '../doors/smtp-world.ts';
import { forEachEngine } from '../engines.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { append, folderOf, rfc822 } from './mail-world.ts';

const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

/** One part of a message, encoded as base64. */
function attached(type: string, filename: string, bytes: Uint8Array): string {
  return [
    `Content-Type: ${type}`,
    `Content-Disposition: attachment${filename && `; filename="${filename}"`}`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n'),
  ].join('\r\n');
}

/** A message of these parts; parts that hold messages need boundaries of their own. */
function mixed(boundary: string, parts: readonly string[], headers: readonly string[] = []): string {
  const head = [
    ...headers,
    'Subject: Parts',
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary=${boundary}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`;
}

const nested = (message: string) => `Content-Type: message/rfc822\r\n\r\n${message}`;

interface Listed {
  id: string;
  filename: string;
  mime_type: string;
  declared_type: string;
  size: number;
  attachments?: Listed[];
}

/** Bytes as they are answered to the headers of a request. */
async function bytesOf(app: TestApp, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.address}${path}`, {
    headers: { authorization: `Bearer ${OWNER_KEY}`, ...headers },
  });
  return {
    status: response.status,
    header: (name: string) => response.headers.get(name) ?? '',
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

forEachEngine((engine) => {
  describe('mail for programs', () => {
    let app: TestApp;
    let archive: string;
    before(async () => {
      app = await startApp(engine);
      archive = await folderOf(app, 'archive');
    });
    after(() => app.stop());

    const record = async (id: string) => (await app.get(`/v1/messages/${id}`)).json.data;

    it('a summary tells when a message was sent, and whether it has attachments (MAIL-97)', async () => {
      const dated = (date: string) => append(app, archive, `Date: ${date}\r\n\r\nx`);
      assert.equal((await dated('Thu, 15 Oct 2026 09:00:00 +0200')).sent_at, '2026-10-15T07:00:00.000Z');
      assert.equal((await dated('Fri, 15 Oct 2100 09:00:00 +0000')).sent_at, '2100-10-15T09:00:00.000Z');
      assert.equal((await dated('yesterday')).sent_at, null);
      assert.equal((await append(app, archive, 'Subject: x\r\n\r\n')).sent_at, null);
      const raw = mixed('b', [
        'Content-Type: text/plain\r\n\r\nHi',
        attached('application/pdf', 'a.pdf', PDF),
      ]);
      const summary = await append(app, archive, raw);
      assert.deepEqual([summary.has_attachments, summary.sent_at], [true, null]);
      const [listed] = (await app.get(`/v1/messages?folder_id=${archive}&limit=200`)).json.data.filter(
        ({ id }: { id: string }) => id === summary.id,
      );
      assert.deepEqual(listed, summary);
      assert.equal((await append(app, archive, rfc822())).has_attachments, false);
    });

    it('a message dated before 1970 or more than a day ahead came now (MAIL-66)', async () => {
      for (const header of [
        'Date: Wed, 31 Dec 1969 23:59:59 +0000',
        'Date: Thu, 01 Jan 1970 00:30:00 +0100',
        `Date: ${new Date(Date.now() + 26 * 3_600_000).toUTCString()}`,
      ]) {
        const from = Date.now();
        const { date } = await append(app, archive, `${header}\r\n\r\n`);
        assert.ok(Date.parse(date) >= from && Date.parse(date) <= Date.now(), `${header}: ${date}`);
      }
    });

    it('a message tells its headers decoded, in order, under their names (MAIL-98)', async () => {
      const raw = 'SUBJECT: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nX-Long: a\r\n b\r\nX-long: again\r\n\r\n';
      const { headers, truncated } = await record((await append(app, archive, raw)).id);
      assert.deepEqual(headers, [
        { name: 'SUBJECT', value: 'Grüße' },
        { name: 'X-Long', value: 'a b' },
        { name: 'X-long', value: 'again' },
      ]);
      assert.equal(truncated, undefined);
    });

    it('of more than 200 headers the first 200 are told (MAIL-44, MAIL-98)', async () => {
      const fields = Array.from({ length: 201 }, (_, i) => `X-${i}: ${i}`);
      const one = await record((await append(app, archive, `${fields.slice(1).join('\r\n')}\r\n\r\n`)).id);
      assert.deepEqual([one.headers.length, one.truncated], [200, undefined]);
      const more = await record((await append(app, archive, `${fields.join('\r\n')}\r\n\r\n`)).id);
      assert.deepEqual([more.headers.length, more.headers[199].name, more.truncated], [200, 'X-199', true]);
    });

    it('mail by SMTP tells its envelope, and other mail none (MAIL-99)', async () => {
      const client = await greeted(app.smtp.port);
      const reply = await client.transact(['owner@localhost'], 'From: Forged <f@forged.test>\r\n\r\nx\r\n');
      assert.equal(reply.code, 250, reply.lines.join());
      client.close();
      const [newest] = await inboxOf(app);
      const { received, from } = await record(newest.id);
      assert.equal(from, 'Forged <f@forged.test>');
      assert.match(received.remote, /^127\.0\.0\.1$/);
      const { bytes } = await bytesOf(app, `/v1/messages/${newest.id}/raw`);
      assert.ok(bytes.toString().startsWith(`Return-Path: <${received.envelope_from}>\r\n`));
      const copy = await append(app, archive, bytes);
      assert.equal('received' in (await record(copy.id)), false);
      const sent = (await app.post('/v1/messages', { to: ['owner@localhost'] })).json.data;
      assert.equal('received' in (await record(sent.id)), false);
    });

    it('the type of an attachment is told from its bytes (MAIL-42, MAIL-106)', async () => {
      const html = Buffer.from('<!doctype html><title>x</title><script>alert(1)</script>');
      const raw = mixed('b', [
        attached('application/pdf', 'bill.pdf', html),
        attached('text/plain', 'picture.txt', PNG),
        attached('application/octet-stream', 'data', PDF),
        attached('text/x-odd', 'notes.csv', Buffer.from('a,b\n1,2\n')),
        attached('image/png', 'empty.png', Buffer.alloc(0)),
      ]);
      const { id } = await append(app, archive, raw);
      const { attachments } = await record(id);
      assert.deepEqual(
        attachments.map(({ mime_type, declared_type }: Listed) => [declared_type, mime_type]),
        [
          ['application/pdf', 'text/html'],
          ['text/plain', 'image/png'],
          ['application/octet-stream', 'application/pdf'],
          ['text/x-odd', 'text/csv'],
          ['image/png', 'application/x-empty'],
        ],
      );
      for (const { id: attachment, mime_type } of attachments as Listed[]) {
        const answer = await bytesOf(app, `/v1/messages/${id}/attachments/${attachment}`);
        assert.equal(answer.header('content-type'), mime_type);
        assert.match(answer.header('content-disposition'), /^attachment;/);
        assert.equal(answer.header('x-content-type-options'), 'nosniff');
        assert.match(answer.header('content-security-policy'), /sandbox/);
      }
    });

    it('a type that only the end of an attachment tells is told, too (MAIL-106)', async () => {
      const json = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ number: i }))));
      const { id } = await append(app, archive, mixed('b', [attached('text/plain', 'rows.json', json)]));
      assert.equal((await record(id)).attachments[0].mime_type, 'application/json');
    });

    it('an attached message lists what is within it, at every depth (MAIL-107)', async () => {
      const innermost = mixed('in', [attached('application/pdf', 'deep.pdf', PDF)], ['From: c@x.test']);
      const inner = mixed('mid', [
        'Content-Type: text/plain\r\n\r\nSee below',
        attached('image/png', 'one.png', PNG),
        nested(innermost),
      ]);
      const raw = mixed('out', [attached('text/plain', 'first.txt', Buffer.from('1')), nested(inner)]);
      const { id } = await append(app, archive, raw);
      const [first, message]: Listed[] = (await record(id)).attachments;
      assert.equal(first?.attachments, undefined);
      assert.deepEqual([message?.mime_type, message?.declared_type], ['message/rfc822', 'message/rfc822']);
      const [picture, within] = message?.attachments ?? [];
      assert.deepEqual([picture?.filename, picture?.mime_type], ['one.png', 'image/png']);
      assert.equal(within?.filename, 'Parts.eml');
      const [pdf] = within?.attachments ?? [];
      assert.deepEqual(
        [pdf?.filename, pdf?.mime_type, pdf?.size],
        ['deep.pdf', 'application/pdf', PDF.length],
      );
      const path = `/v1/messages/${id}/attachments`;
      assert.ok((await bytesOf(app, `${path}/${pdf?.id}`)).bytes.equals(PDF));
      assert.ok((await bytesOf(app, `${path}/${picture?.id}`)).bytes.equals(PNG));
      assert.equal((await bytesOf(app, `${path}/${within?.id}`)).bytes.toString().trim(), innermost.trim());
      for (const unknown of [`${message?.id}.3`, `${message?.id}.0`, `${first?.id}.1`, `${message?.id}.`])
        assert.equal((await app.get(`${path}/${unknown}`)).json.error.code, 'not_found');
    });

    it('messages within messages are listed to a depth of ten (MAIL-107)', async () => {
      let raw = mixed('b0', [attached('application/pdf', 'a.pdf', PDF)]);
      for (let depth = 1; depth <= 12; depth++) raw = mixed(`b${depth}`, [nested(raw)]);
      let [message]: Listed[] = (await record((await append(app, archive, raw)).id)).attachments;
      let depth = 0;
      while (message?.attachments) {
        depth++;
        [message] = message.attachments;
      }
      assert.equal(depth, 10);
    });

    for (const [size, pad] of [
      ['small', 10],
      ['large', 300_000],
    ] as const)
      it(`ranges of raw messages and attachments are answered: ${size} (MAIL-105)`, async () => {
        const bytes = Buffer.concat([PDF, Buffer.alloc(pad, 'abcdefghij')]);
        const raw = Buffer.from(mixed('b', [attached('application/pdf', 'a.pdf', bytes)]));
        const { id } = await append(app, archive, raw);
        const [{ id: attachment }] = (await record(id)).attachments;
        const wholes: [string, Buffer][] = [
          [`/v1/messages/${id}/raw`, raw],
          [`/v1/messages/${id}/attachments/${attachment}`, bytes],
        ];
        for (const [path, whole] of wholes) {
          const all = await bytesOf(app, path);
          assert.ok(all.bytes.equals(whole));
          assert.equal(all.header('accept-ranges'), 'bytes');
          const etag = all.header('etag');
          const ranges: [string, number, number][] = [
            ['bytes=0-0', 0, 1],
            ['bytes=5-20', 5, 21],
            ['bytes=-7', whole.length - 7, whole.length],
            [`bytes=${whole.length - 3}-`, whole.length - 3, whole.length],
          ];
          for (const [range, start, end] of ranges) {
            const part = await bytesOf(app, path, { range, 'if-range': etag });
            assert.equal(part.status, 206, range);
            assert.equal(part.header('content-range'), `bytes ${start}-${end - 1}/${whole.length}`);
            assert.ok(part.bytes.equals(whole.subarray(start, end)), range);
          }
          const outside = await bytesOf(app, path, { range: `bytes=${whole.length}-` });
          assert.equal(outside.status, 416);
          assert.equal(outside.header('content-range'), `bytes */${whole.length}`);
          assert.equal((await bytesOf(app, path, { range: 'lines=1' })).status, 200);
          const other = await bytesOf(app, path, { range: 'bytes=0-0', 'if-range': '"other"' });
          assert.equal(other.status, 200);
          assert.equal((await bytesOf(app, path, { 'if-none-match': etag })).status, 304);
          assert.equal((await bytesOf(app, path, { 'if-match': '"other"' })).status, 412);
        }
      });

    it('a draft that is replaced has other bytes, and another ETag (MAIL-86, MAIL-105)', async () => {
      const { id, message } = (await app.post('/v1/drafts', { text: 'aaaa' })).json.data;
      const path = `/v1/messages/${message.id}/raw`;
      const etag = (await bytesOf(app, path)).header('etag');
      await app.put(`/v1/drafts/${id}`, { text: 'bbbb' });
      assert.equal((await bytesOf(app, path, { 'if-none-match': etag })).status, 200);
    });

    it('mail that an earlier version has stored is answered alike (MAIL-100)', async () => {
      const folder = await folderOf(app, 'junk');
      const headers = ['From: "Müller, Söhne" <r@x.test>', 'Date: Mon, 02 Mar 2026 10:00:00 +0000'];
      const large = Buffer.alloc(200_000, 'x');
      const raws = [
        `${headers.join('\r\n')}\r\n\r\nHi`,
        mixed('b', [attached('application/pdf', 'a.pdf', large)], headers),
        'Subject: nothing\r\n\r\n',
      ];
      const summaries: { id: string }[] = [];
      for (const raw of raws) summaries.push(await append(app, folder, raw));
      const expunged = await append(app, folder, raws[0] ?? '', { query: '?flag=deleted' });
      await app.post(`/v1/folders/${folder}/expunge`);
      const records = await Promise.all(summaries.map(({ id }) => record(id)));
      await storeAsBefore(
        app,
        [...summaries, expunged].map(({ id }) => id),
      );
      const [old] = (await app.services.database.read((tx) =>
        tx
          .selectFrom('messages')
          .select('summary')
          .where('id', '=', summaries[0]?.id ?? '')
          .execute(),
      )) as { summary: string }[];
      assert.doesNotMatch(old?.summary ?? '', /sent_at|has_attachments/);
      await rebuildSummaries(app.services.database, app.services.messages);
      const listed = (await app.get(`/v1/messages?folder_id=${folder}`)).json.data;
      for (const [i, summary] of summaries.entries()) {
        assert.deepEqual(
          listed.find(({ id }: { id: string }) => id === summary.id),
          summary,
        );
        assert.deepEqual(await record(summary.id), records[i]);
      }
      const { flags, ...restored } = (await app.post(`/v1/messages/${expunged.id}/restore`)).json.data;
      const { flags: _, ...before } = expunged;
      assert.deepEqual(restored, before);
      assert.equal(flags.deleted, false);
      const left = await app.services.database.read((tx) =>
        tx.selectFrom('mail_summaries_to_make').selectAll().execute(),
      );
      assert.deepEqual(left, []);
    });
  });
});

/** Stores messages as the version before stored them. */
async function storeAsBefore(app: TestApp, ids: readonly string[]): Promise<void> {
  await app.services.database.write(async (tx) => {
    for (const table of ['messages', 'expunged_messages'] as const) {
      const rows = await tx
        .selectFrom(table)
        .select(['workspace_id', 'number', 'id', 'summary'])
        .where('id', 'in', [...ids])
        .execute();
      for (const { workspace_id, number, id, summary } of rows) {
        const { sent_at: _, has_attachments: __, ...members } = JSON.parse(`{${summary}}`);
        const from = members.from.replaceAll('"', '');
        const text = JSON.stringify({ ...members, from }).slice(1, -1);
        await tx.updateTable(table).set({ summary: text }).where('id', '=', id).execute();
        await tx.insertInto('mail_summaries_to_make').values({ workspace_id, number }).execute();
      }
    }
  });
}

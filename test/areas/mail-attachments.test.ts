import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { forEachEngine } from '../engines.ts';
import { startApp, type TestApp } from '../harness.ts';
import { fixture, getBytes, inTurns, realMessages } from './mail-bytes.ts';
import { append, folderOf } from './mail-world.ts';

interface Listed {
  id: string;
  filename: string;
  mime_type: string;
  declared_type: string;
  size: number;
  attachments?: Listed[];
}

/** A part as a message carries it, and what it is when it is decoded. */
interface Part {
  headers: string[];
  encoded: Buffer;
  decoded: Buffer;
}

function base64Part(decoded: Buffer): Part {
  const lines = decoded.toString('base64').replace(/.{76}/g, '$&\r\n');
  return {
    headers: ['Content-Type: application/zip; name=a.zip', 'Content-Transfer-Encoding: base64'],
    encoded: Buffer.from(lines),
    decoded,
  };
}

const NESTED = 'Subject: inner\r\nContent-Type: text/plain\r\n\r\nquoted\r\n';
const INVITATION = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR';

/** One of each way in which a part can be written. */
const PARTS: Part[] = [
  ...[0, 1, 57, 58, 1000, 200 * 1024].map((size) => base64Part(randomBytes(size))),
  {
    headers: ['Content-Type: image/png', 'Content-Transfer-Encoding: 8bit'],
    encoded: Buffer.from([0, 255, 128, 13, 10, 13, 10, 45, 45, 0]),
    decoded: Buffer.from([0, 255, 128, 13, 10, 13, 10, 45, 45, 0]),
  },
  {
    headers: ['Content-Type: text/csv; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
    encoded: Buffer.from('=C3=A4;=\r\nb=3D1\r\n2'),
    decoded: Buffer.from('ä;b=1\r\n2'),
  },
  {
    headers: ['Content-Type: message/rfc822'],
    encoded: Buffer.from(NESTED),
    decoded: Buffer.from(NESTED),
  },
  {
    headers: ['Content-Type: text/calendar; method=REQUEST'],
    encoded: Buffer.from(INVITATION),
    decoded: Buffer.from(INVITATION),
  },
].map((part) => ({ ...part, headers: [...part.headers, 'Content-Disposition: attachment'] }));

function multipart(parts: readonly Omit<Part, 'decoded'>[]): Buffer {
  const pieces = parts.map(({ headers, encoded }) =>
    Buffer.concat([Buffer.from(`--=_b\r\n${headers.join('\r\n')}\r\n\r\n`), encoded, Buffer.from('\r\n')]),
  );
  const head = Buffer.from('Subject: parts\r\nContent-Type: multipart/mixed; boundary="=_b"\r\n\r\n');
  return Buffer.concat([head, ...pieces, Buffer.from('--=_b--\r\n')]);
}

/** How parts of fixtures were decoded by another program (Python's email package): type, size, SHA-256. */
const DECODED_ELSEWHERE: Record<string, [string, number, string][]> = {
  'rspamd__messages__fws_fn.eml': [['image/jpeg', 90, 'd96d827820ea3c86']],
  'sisimai__mac__lhost-amavis-01.eml': [['text/rfc822-headers', 463, '9350ac1dba4d711f']],
  'webklex__messages__issue-410.eml': [['text/plain', 3, 'ca51ce1fb15acc6d']],
};

/** Names as senders write them, and the one under which a browser may save the file. */
const NAMES: [string, string][] = [
  ['filename="plain.txt"', 'plain.txt'],
  ["filename*=utf-8''%E2%82%AC%20%F0%9F%98%80.pdf", '€ 😀.pdf'],
  ['filename="=?utf-8?q?=C3=A4.txt?="', 'ä.txt'],
  ['filename="../../etc/passwd"', 'passwd'],
  ['filename="C:\\\\windows\\\\evil.exe"', 'evil.exe'],
  ['filename="a\\"; filename=\\"b.exe"', 'a"; filename="b.exe'],
  ['filename="100%25.txt"', '100%25.txt'],
];

forEachEngine((engine) => {
  describe('attachments', () => {
    let app: TestApp;
    let inbox: string;
    before(async () => {
      app = await startApp(engine);
      inbox = await folderOf(app, 'inbox');
    });
    after(() => app.stop());

    const appended = async (raw: Buffer): Promise<{ path: string; attachments: Listed[] }> => {
      const { id } = await append(app, inbox, raw);
      const { attachments } = (await app.get(`/v1/messages/${id}`)).json.data;
      return { path: `/v1/messages/${id}/attachments`, attachments };
    };

    it('attachments give the decoded bytes, however they are encoded (MAIL-42, MAIL-47)', async () => {
      const { path, attachments } = await appended(multipart(PARTS));
      assert.equal(attachments.length, PARTS.length);
      for (const [i, { id, size }] of attachments.entries()) {
        const decoded = PARTS[i]?.decoded ?? Buffer.alloc(0);
        const { status, bytes, headers } = await getBytes(app, `${path}/${id}`);
        assert.deepEqual([status, size, bytes.length], [200, decoded.length, decoded.length]);
        assert.ok(bytes.equals(decoded), `part ${i}`);
        assert.equal(headers.get('content-length'), String(size));
      }
      assert.equal(new Set(attachments.map(({ id }) => id)).size, PARTS.length);
    });

    it('of a small message come out of the database alike', async () => {
      const small = PARTS.filter(({ decoded }) => decoded.length < 2000);
      const { path, attachments } = await appended(multipart(small));
      for (const [i, { id }] of attachments.entries()) {
        const { bytes } = await getBytes(app, `${path}/${id}`);
        assert.ok(bytes.equals(small[i]?.decoded ?? Buffer.alloc(1)), `part ${i}`);
      }
    });

    it('are those that another program finds', async () => {
      for (const [name, expected] of Object.entries(DECODED_ELSEWHERE)) {
        const { path, attachments } = await appended(fixture(name));
        const found = attachments.map(async ({ id, declared_type, size }) => {
          const { bytes } = await getBytes(app, `${path}/${id}`);
          return [declared_type, size, hash('sha256', bytes).slice(0, 16)];
        });
        const actual = (await Promise.all(found)).filter(([type]) =>
          expected.some(([wanted]) => wanted === type),
        );
        assert.deepEqual(actual, expected, name);
      }
    });

    it('attachments are always a download, whatever they are (MAIL-42, MAIL-47, MAIL-106)', async () => {
      const headers = ['Content-Type: application/pdf', 'Content-Disposition: attachment; filename=a.html'];
      const encoded = Buffer.from('<script>alert(1)</script>');
      const { path, attachments } = await appended(multipart([{ headers, encoded }]));
      assert.equal(attachments[0]?.mime_type, 'text/html');
      assert.equal(attachments[0]?.declared_type, 'application/pdf');
      for (const method of ['GET', 'HEAD']) {
        const answer = await getBytes(app, `${path}/${attachments[0]?.id}`, method);
        const header = (name: string) => answer.headers.get(name) ?? '';
        assert.equal(header('content-type'), 'text/html');
        assert.match(
          header('content-disposition'),
          /^attachment; filename="?a\.html"?; filename\*=UTF-8''a\.html$/,
        );
        assert.equal(header('x-content-type-options'), 'nosniff');
        assert.match(header('content-security-policy'), /default-src 'none'.*sandbox/);
        assert.equal(header('content-length'), String(encoded.length));
        assert.equal(answer.bytes.length, method === 'HEAD' ? 0 : encoded.length);
      }
    });

    it('attachments are offered under a name without harm (API-152)', async () => {
      const encoded = Buffer.from('x');
      const parts = NAMES.map(([filename]) => ({
        headers: [`Content-Disposition: attachment; ${filename}`],
        encoded,
      }));
      const { path, attachments } = await appended(multipart(parts));
      for (const [i, { id, filename }] of attachments.entries()) {
        const expected = NAMES[i]?.[1];
        assert.equal(filename, expected);
        const { headers } = await getBytes(app, `${path}/${id}`);
        assert.equal(savedAs(headers.get('content-disposition') ?? ''), expected);
      }
    });

    it('with line ends, NUL or lone surrogates in their name are offered all the same', async () => {
      const names = ["utf-8''a%0D%0ASet-Cookie:%20x.txt", "utf-8''a%00b.txt", "utf-16be''%D8%00a"];
      const parts = names.map((name) => ({
        headers: [`Content-Disposition: attachment; filename*=${name}`],
        encoded: Buffer.from('x'),
      }));
      const { path, attachments } = await appended(multipart(parts));
      assert.equal(attachments.length, names.length);
      for (const { id, filename } of attachments) {
        assert.ok(filename.isWellFormed() && !filename.includes('\0') && filename.length > 0);
        const { status, headers } = await getBytes(app, `${path}/${id}`);
        assert.equal(status, 200);
        assert.equal(headers.get('set-cookie'), null);
        assert.match(headers.get('content-disposition') ?? '', /^attachment; filename/);
      }
    });

    it('of real messages are as long as they are listed', async () => {
      await inTurns(realMessages(), 8, async ([name, path]) => {
        const message = await appended(readFileSync(path));
        for (const { id, size } of message.attachments) {
          const { status, bytes } = await getBytes(app, `${message.path}/${id}`);
          assert.deepEqual([status, bytes.length], [200, size], name);
        }
      });
    });

    it('are not found under another message', async () => {
      const one = await appended(multipart(PARTS.slice(0, 2)));
      const other = await appended(multipart(PARTS.slice(0, 2)));
      const path = `${other.path}/${one.attachments[0]?.id}`;
      assert.equal((await app.get(path)).json.error.code, 'not_found');
    });
  });
});

/** The name under which a browser saves: RFC 6266, 4.3, filename* before filename. */
function savedAs(disposition: string): string | undefined {
  const extended = /^attachment;.*filename\*=UTF-8''([^;]+)$/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  const [, quoted, token] =
    /^attachment; filename=(?:"((?:[^"\\]|\\.)*)"|([^";\s]+))$/.exec(disposition) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? token;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHeaders, parseMessage } from '../../src/formats/messages/parse.ts';
import { turnsDuring } from '../turns.ts';

/** A header section that says something of everything that is read of one. */
const HEAD = [
  'Received: from a.example by b.example; Mon, 5 Jan 2026 10:00:01 +0100',
  'Message-ID: <id-1@example.com>',
  'In-Reply-To: <id-0@example.com>',
  'References: <id-00@example.com> <id-0@example.com>',
  'Date: Mon, 5 Jan 2026 10:00:00 +0100',
  'From: =?utf-8?q?J=C3=BCrgen?= <juergen@example.com>',
  'Reply-To: "Doe, John" <john@example.com>',
  'Subject: =?iso-8859-1?q?Gr=FC=DFe?= und =?iso-2022-jp?b?GyRCJCIbKEI=?=',
  'X-Bytes: \xcf\xf0\xe8\xe2\xe5\xf2',
  'Content-Type: text/plain; charset=windows-1251',
];

/** Makes a header section longer than any that is read beside everything else. */
const FILLING = Array.from({ length: 400 }, (_, i) => `X-Filling-${i}: ${'x'.repeat(60)}`);

function message(...fields: string[]): Buffer {
  return Buffer.from(`${fields.join('\r\n')}\r\n\r\nbody\r\n`, 'latin1');
}

function recipients(name: string, count: number): string {
  const mailbox = (index: number) => `=?utf-8?q?N=C3=A4me_${index}?= <${name}${index}@example.com>`;
  return `${name}: ${Array.from({ length: count }, (_, index) => mailbox(index)).join(',\r\n ')}`;
}

describe('a large header section', () => {
  it('reads as a small one does', async () => {
    const small = await parseMessage(message(...HEAD));
    const large = await parseMessage(message(...HEAD, ...FILLING));
    assert.equal(small.subject, 'Gr\u00fc\u00dfe und \u3042');
    assert.equal(small.from?.name, 'J\u00fcrgen');
    assert.deepEqual(large.headers.slice(0, HEAD.length), small.headers);
    assert.equal(large.headers.length, HEAD.length + FILLING.length);
    assert.deepEqual({ ...large, headers: [] }, { ...small, headers: [] });
  });

  it('gives its fields alone as it gives them with the message', async () => {
    const raw = message(...HEAD, ...FILLING);
    assert.deepEqual(await parseHeaders(raw), (await parseMessage(raw)).headers);
  });

  it('names each of 2,000 recipients', async () => {
    const { to, cc, truncated } = await parseMessage(
      message(...HEAD, recipients('to', 2_000), recipients('cc', 2_000)),
    );
    const expected = (name: string) =>
      Array.from({ length: 2_000 }, (_, i) => ({
        name: `N\u00e4me ${i}`,
        address: `${name}${i}@example.com`,
      }));
    assert.deepEqual(to, expected('to'));
    assert.deepEqual(cc, expected('cc'));
    assert.equal(truncated, false);
  });

  it('names the first 10,000 recipients, and says that there are more', async () => {
    const { to, truncated } = await parseMessage(message(`To: ${'a@b.example,'.repeat(12_000)}`));
    assert.deepEqual([to.length, truncated], [10_000, true]);
  });

  it('leaves the event loop to others', async () => {
    const reading = parseMessage(message(recipients('to', 4_000), recipients('cc', 4_000)));
    assert.ok((await turnsDuring(reading)) > 100);
  });

  it('is read for many messages at once, each with its own', async () => {
    const subjects = Array.from({ length: 20 }, (_, index) => `subject ${index}`);
    const read = await Promise.all(
      subjects.map((subject) => parseMessage(message(`Subject: ${subject}`, ...FILLING))),
    );
    assert.deepEqual(
      read.map(({ subject }) => subject),
      subjects,
    );
  });
});

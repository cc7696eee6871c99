import assert from 'node:assert/strict';
import type { Doors, HostileInput } from './hostile-input.ts';

const html = (body: string) => `Subject: HTML\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${body}\r\n`;
const text = (body: string, type: string) => `Subject: text\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
const header = (field: string) => `${field}\r\n\r\nbody\r\n`;
const folded = (word: string, count: number) => `${word}\r\n `.repeat(count);

/** Messages that were made to cost more than their size, or to throw where they are read. */
export const hostileMessages: Readonly<Record<string, string>> = {
  'a sender of closing brackets within an encoded word': header(`From: =?utf-8?Q?@${'>'.repeat(200_000)}x?=`),
  'a recipient of escaped closing brackets': header(`To: <=?utf-8?Q?@${'=3E'.repeat(60_000)}x?=>`),
  'colons behind an address and many words': header(
    `To: ${'a '.repeat(50_000)}a@b.example ${':'.repeat(100_000)}`,
  ),
  'folds behind a long line that is no field': `Subject: x\r\n${'a'.repeat(120_000)}\r\n${folded(' b', 30_000)}\r\n\r\nbody\r\n`,
  'lists with huge numbers around many lines': html(
    `${'<ol start=-99999999999><li>'.repeat(125)}<pre>${'x\n'.repeat(30_000)}`,
  ),
  'lists around many lines in 900 KB': html(
    `${'<ol start=-99999999999><li>'.repeat(125)}<pre>${'x\n'.repeat(440_000)}`,
  ),
  'quotes around many paragraphs': html(`${'<blockquote>'.repeat(200)}${'<p>x'.repeat(14_000)}`),
  'quotes around many rules': html(`${'<blockquote>'.repeat(200)}${'<hr>'.repeat(14_000)}`),
  'a Roman number that has no numeral': html('<ol type="i" start="10000"><li>hello</ol>'),
  'Roman numbers that lead where there is no numeral': html(
    `<ol type="I" start="9990">${'<li>x'.repeat(20)}</ol>`,
  ),
  'a Roman number that is none': html(
    '<ol type="i" start="1e308"><li>x</ol><ol type="i" start="-1"><li>y</ol>',
  ),
  'a million bytes of UTF-7': text('+AAA-'.repeat(190_000), 'text/plain; charset=utf-7'),
  'a million shifts of ISO-2022-KR': text('\x0e'.repeat(900_000), 'text/plain; charset=iso-2022-kr'),
  'uuencoded lines that are shorter than they say': `Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 644 a\n${'M\n'.repeat(450_000)}`,
};

const throughSmtp = Object.entries(hostileMessages).map(([name, message]) => ({
  name: `${name}, by SMTP`,
  send: async (doors: Doors) => {
    assert.match(await doors.deliver(message), /^250 /);
  },
}));

const appended = Object.entries(hostileMessages).map(([name, message]) => ({
  name: `${name}, appended`,
  send: async (doors: Doors) => {
    const answer = await doors.request('POST', `/v1/folders/${doors.inboxId}/messages`, {
      body: Buffer.from(message, 'latin1'),
      mediaType: 'message/rfc822',
    });
    assert.equal(answer.status, 201);
  },
}));

export const hostileInputs: readonly HostileInput[] = [
  ...throughSmtp,
  ...appended,
  {
    name: 'a Roman number that has no numeral, sent',
    send: async (doors) => {
      const body = { to: [doors.address], subject: 'x', html: '<ol type="i" start="10000"><li>hello</ol>' };
      assert.equal((await doors.request('POST', '/v1/messages', { body })).status, 201);
    },
  },
];

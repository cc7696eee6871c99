/** Messages that were made to cost more than their size where they are shown as a page. */
import assert from 'node:assert/strict';
import type { HostileInput } from './hostile-input.ts';
import { idOf } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

const part = (head: string, body: string) => `--b\r\n${head}\r\n\r\n${body}\r\n`;
const picture = (id: string, bytes: Buffer) =>
  part(
    `Content-Type: image/png\r\nContent-ID: <${id}>\r\nContent-Transfer-Encoding: base64`,
    bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
  );
const related = (html: string, ...pictures: string[]) =>
  `From: a@b.example\r\nContent-Type: multipart/related; boundary=b\r\n\r\n${part('Content-Type: text/html; charset=utf-8', html)}${pictures.join('')}--b--\r\n`;
const numbered = (count: number, one: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join('');
const SMALL = Buffer.alloc(100, 1);

const messages: Record<string, () => string> = {
  'a picture that is shown sixty thousand times': () =>
    related('<img src=cid:a>'.repeat(60_000), picture('a', SMALL)),
  'sixty thousand pictures that are not there': () =>
    related(
      numbered(50_000, (i) => `<img src=cid:${i}>`),
      picture('a', SMALL),
    ),
  'five thousand pictures': () =>
    related(
      numbered(5_000, (i) => `<img src=cid:${i}>`),
      numbered(5_000, (i) => picture(String(i), SMALL)),
    ),
  'five thousand pictures of one name': () =>
    related(
      '<img src=cid:a>',
      numbered(5_000, () => picture('a', SMALL)),
    ),
  'one picture of 8 MiB': () => related('<img src=cid:a>', picture('a', Buffer.alloc(8 * 1024 ** 2))),
  'one picture of 20 MiB': () => related('<img src=cid:a>', picture('a', Buffer.alloc(20 * 1024 ** 2))),
  'attributes that look like sources': () =>
    related(`<img alt="${' src='.repeat(150_000)}" src=cid:a>`, picture('a', SMALL)),
  'pictures of blanks': () => related(`<img alt="${' '.repeat(900_000)}" src=cid:a>`, picture('a', SMALL)),
  'a million brackets': () => related('<img '.repeat(200_000)),
  'ten million bytes of tags in tags': () => related('<div><b>'.repeat(1_250_000)),
  'a name of escapes': () => related(`<img src="cid:${'%41'.repeat(200_000)}">`, picture('A', SMALL)),
  'a name of half an escape': () => related(`<img src="cid:${'%4'.repeat(200_000)}">`, picture('A', SMALL)),
  'a text of a million brackets': () => `From: a@b.example\r\n\r\n${'<&>\r\n'.repeat(200_000)}`,
};

const INPUTS: readonly HostileInput[] = Object.entries(messages).map(([name, content]) => ({
  name: `a letter of ${name}`,
  send: async ({ inboxId, request }) => {
    const body = content();
    const sent = await request('POST', `/v1/folders/${inboxId}/messages`, {
      body,
      mediaType: 'message/rfc822',
    });
    const path = `/v1/messages/${idOf(sent)}/html`;
    for (const images of ['none', 'remote'])
      assert.equal((await request('GET', `${path}?images=${images}`)).status, 200);
  },
}));

testTurns('letters', INPUTS);

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { htmlText } from '../../src/formats/messages/html-text.ts';
import { parseMessage } from '../../src/formats/messages/parse.ts';
import { TooManyWaiting } from '../../src/turns/fair-queue.ts';
import { turnsDuring } from '../turns.ts';

const PARAGRAPH = '<p style="color: red">One <b>two</b> &amp; three</p>';

function htmlMessage(html: string): Buffer {
  return Buffer.from(`Content-Type: text/html; charset=utf-8\r\n\r\n${html}`);
}

describe('large HTML', () => {
  it('reads as small HTML does', async () => {
    const copies = 3_000;
    const small = await parseMessage(htmlMessage(PARAGRAPH));
    const large = await parseMessage(htmlMessage(PARAGRAPH.repeat(copies)));
    assert.equal(large.html, small.html.trimEnd().repeat(copies));
    assert.equal(large.text, htmlText(large.html).text);
    assert.equal(large.truncated, false);
  });

  it('leaves the event loop to others', async () => {
    const reading = parseMessage(htmlMessage(PARAGRAPH.repeat(15_000)));
    assert.ok((await turnsDuring(reading)) > 100);
  });

  it('is put off where too much waits, and never read without its text', async () => {
    const message = htmlMessage(PARAGRAPH.repeat(2_000));
    const read = await Promise.allSettled(Array.from({ length: 150 }, () => parseMessage(message)));
    const refused = read.filter((one) => one.status === 'rejected');
    assert.ok(refused.length > 0);
    assert.ok(refused.every(({ reason }) => reason instanceof TooManyWaiting));
    for (const one of read) if (one.status === 'fulfilled') assert.match(one.value.text, /One two & three/);
  });

  it('is read for many messages at once, each with its own', async () => {
    const words = Array.from({ length: 20 }, (_, i) => `word${i}`);
    const read = await Promise.all(
      words.map((word) => parseMessage(htmlMessage(PARAGRAPH.replace('two', word).repeat(2_000)))),
    );
    assert.deepEqual(
      read.map(({ html }) => /<b>(\w+)<\/b>/.exec(html)?.[1]),
      words,
    );
  });
});

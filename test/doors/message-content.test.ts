import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MessageContent } from '../../src/doors/smtp/message-content.ts';

const PIECE = Buffer.alloc(40 * 1024, 'x');

async function readAll(content: MessageContent): Promise<string> {
  let text = '';
  for (let piece = await content.next(); !piece.done; piece = await content.next()) text += piece.value;
  return text;
}

/** The events that it emits, in order. */
function eventsOf(content: MessageContent): string[] {
  const events: string[] = [];
  for (const name of ['drain', 'end', 'close']) content.on(name, () => events.push(name));
  return events;
}

describe('the content of a message on its way', () => {
  it('is read as it was written, whoever is first', async () => {
    const content = new MessageContent();
    const events = eventsOf(content);
    const text = readAll(content);
    content.write(Buffer.from('one '));
    await new Promise(setImmediate);
    content.write(Buffer.from('two '));
    content.end(Buffer.from('three'));
    assert.equal(await text, 'one two three');
    assert.deepEqual(events, ['end']);
    assert.equal(content.readable, false);
  });

  it('lets no more come than it has room for, and tells when there is room again', async () => {
    const content = new MessageContent();
    const events = eventsOf(content);
    assert.equal(content.write(PIECE), true);
    assert.equal(content.write(PIECE), false);
    await content.next();
    assert.deepEqual(events, ['drain']);
    assert.equal(content.write(Buffer.from('x')), true);
  });

  it('is passed over without being kept', async () => {
    const content = new MessageContent();
    const events = eventsOf(content);
    content.write(PIECE);
    content.write(PIECE);
    content.resume();
    for (let i = 0; i < 10; i++) assert.equal(content.write(PIECE), true);
    assert.deepEqual(events, ['drain']);
    content.end(PIECE);
    assert.deepEqual(events, ['drain', 'end']);
    assert.equal(await readAll(content), '');
  });

  it('is not whole when the client goes away, whether somebody reads or not', async () => {
    const waiting = new MessageContent();
    const events = eventsOf(waiting);
    const text = readAll(waiting);
    waiting.destroy();
    waiting.destroy();
    await assert.rejects(text, /before the message was whole/);
    assert.deepEqual(events, ['close']);
    const unread = new MessageContent();
    unread.write(PIECE);
    unread.destroy();
    await assert.rejects(readAll(unread), /before the message was whole/);
    assert.equal(unread.readableEnded, false);
  });
});

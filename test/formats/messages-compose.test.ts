import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { composeMessage } from '../../src/formats/messages/compose.ts';
import { eventually } from '../eventually.ts';

const ADDRESS = { name: '', address: 'a@x.example' };

type Composed = Parameters<typeof composeMessage>[0];

const composed = (given: Pick<Composed, 'text' | 'attachments'>) =>
  composeMessage({
    messageId: '<1@x.example>',
    date: new Date(0),
    from: ADDRESS,
    to: [ADDRESS],
    cc: [],
    subject: '',
    html: undefined,
    inReplyTo: '',
    references: [],
    ...given,
  });

it('a message that is not read to its end ends what it attaches', async () => {
  const attached = new Readable({ read: () => void attached.push(Buffer.alloc(100_000)) });
  const attachment = { filename: 'a.bin', mimeType: 'application/octet-stream', open: async () => attached };
  const message = await composed({ text: 'Text.', attachments: [attachment] });
  let read = 0;
  for await (const chunk of message) {
    read += chunk.length;
    if (read > 1_000_000) break;
  }
  await eventually(() => attached.destroyed, 'it is ended');
});

it('each kind of line end becomes one CR LF, wherever in a long text it is', async () => {
  const unit = 'a\r\nb\rc\nd\r\r\n';
  for (let shift = 0; shift < unit.length; shift++) {
    const given = `${'x'.repeat(shift)}${unit.repeat(20_000)}z`;
    const whole = await text(await composed({ text: given, attachments: [] }));
    const body = whole.slice(whole.indexOf('\r\n\r\n') + 4);
    // The composer ends the last line.
    assert.equal(body.trimEnd(), `${'x'.repeat(shift)}${'a\r\nb\r\nc\r\nd\r\n\r\n'.repeat(20_000)}z`);
  }
});

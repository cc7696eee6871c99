import { Readable } from 'node:stream';
import { it } from 'node:test';
import { composeMessage } from '../../src/formats/messages/compose.ts';
import { eventually } from '../eventually.ts';

const ADDRESS = { name: '', address: 'a@x.example' };

it('a message that is not read to its end ends what it attaches', async () => {
  const attached = new Readable({ read: () => void attached.push(Buffer.alloc(100_000)) });
  const message = await composeMessage({
    messageId: '<1@x.example>',
    date: new Date(0),
    from: ADDRESS,
    to: [ADDRESS],
    cc: [],
    subject: '',
    text: 'Text.',
    html: undefined,
    inReplyTo: '',
    references: [],
    attachments: [{ filename: 'a.bin', mimeType: 'application/octet-stream', open: async () => attached }],
  });
  let read = 0;
  for await (const chunk of message) {
    read += chunk.length;
    if (read > 1_000_000) break;
  }
  await eventually(() => attached.destroyed, 'it is ended');
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DotDecoder } from '../../src/server/smtp/protocol.ts';

/** Text in which everything that matters is common. */
const content = fc
  .array(fc.constantFrom('\r\n', '\r', '\n', '.', '..', 'a', '\0', '\r\n.', '\r\n..\r\n'))
  .map((parts) => parts.join(''));

/** As a client sends it (RFC 5321, 4.5.2): a dot before each line that begins with one, then the line of one dot. */
function stuffed(text: string): string {
  const closed = text === '' || text.endsWith('\r\n') ? text : `${text}\r\n`;
  return `${closed.replace(/(^|\r\n)(?=\.)/g, '$1.')}.\r\n`;
}

/** Decodes bytes that come in pieces of these sizes. */
function decode(bytes: Buffer, sizes: readonly number[]): { content: string; rest: string | undefined } {
  const decoder = new DotDecoder();
  const read: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i] ?? bytes.length;
    const { content, rest } = decoder.decode(bytes.subarray(at, at + size));
    read.push(content);
    if (rest)
      return {
        content: Buffer.concat(read).toString(),
        rest: Buffer.concat([rest, bytes.subarray(at + size)]).toString(),
      };
    at += size;
  }
  return { content: Buffer.concat(read).toString(), rest: undefined };
}

describe('reading a message from its dots', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 });

  it('gives back what was sent, and what comes after it, however it is cut', () => {
    fc.assert(
      fc.property(content, content, sizes, (text, after, cuts) => {
        const closed = text === '' || text.endsWith('\r\n') ? text : `${text}\r\n`;
        const read = decode(Buffer.from(stuffed(text) + after), cuts);
        assert.deepEqual(read, { content: closed, rest: after });
      }),
      { numRuns: 2_000 },
    );
  });

  it('a message ends at nothing but CRLF.CRLF (SMTP-12)', () => {
    fc.assert(
      fc.property(content, sizes, (sent, cuts) => {
        const end = `\r\n${sent}`.indexOf('\r\n.\r\n');
        const { rest } = decode(Buffer.from(sent), cuts);
        assert.equal(rest, end < 0 ? undefined : sent.slice(end + 3));
      }),
      { numRuns: 2_000 },
    );
  });
});

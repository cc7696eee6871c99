import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readNotes } from '../../src/areas/mail/service.ts';
import { notesOf } from '../../src/areas/mail/transfer/mbox-notes.ts';
import { splitMbox } from '../../src/formats/messages/mbox.ts';
import { mboxEntry } from '../../src/formats/messages/mbox-write.ts';

/** Messages of what matters to a mailbox file. */
const message = fc
  .array(
    fc.constantFrom(
      '\n',
      '\r\n',
      '\r',
      'From ',
      '>From ',
      '>>From a Mon Jan  1 00:00:00 2026',
      'From a@b Mon Jan  1 00:00:00 2026\n',
      '\n\nFrom a@b Mon Jan  1 00:00:00 2026\nSubject: x\n\n',
      'Content-Length: 3\n',
      'Content-Length: 90\r\n\r\n',
      'X-Atrium-Message: {}\nStatus: R\nX-Status: F\nContent-Length: 1\n',
      'Status: RO\n',
      'é',
      ' folded',
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.from(parts.join('')));

const marks = fc.record({
  flags: fc.integer({ min: 0, max: 31 }),
  labels: fc.array(fc.constantFrom('todo', 'größe "1"', '😀'), { maxLength: 3 }),
  date: fc.integer({ min: 0, max: 4_000_000_000_000 }),
});

describe('mailbox files that are written', () => {
  it('give every message back byte for byte, with its marks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ raw: message, marks }), { maxLength: 5 }), async (all) => {
        const written = all.flatMap(({ raw, marks }) =>
          mboxEntry({ raw, receivedAt: marks.date, notes: notesOf(marks, raw.length) }),
        );
        const read = [];
        for await (const entry of splitMbox(once(Buffer.concat(written)))) {
          assert.equal(entry.kind, 'message');
          read.push(entry.kind === 'message' ? readNotes(entry.raw) : undefined);
        }
        assert.deepEqual(
          read.map((noted) => noted && { ...noted, raw: Buffer.from(noted.raw).toString('latin1') }),
          all.map(({ raw, marks }) => ({ raw: raw.toString('latin1'), ...marks })),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('are believed about times of the years 1970 to 9999 only, as the Date of a message is', () => {
    const raw = Buffer.from('Subject: a\n\n');
    const dateIn = (date: number) => {
      const lines = [...notesOf({ flags: 0, labels: [], date }, raw.length), `Content-Length: ${raw.length}`];
      return readNotes(Buffer.from(`${lines.join('\n')}\n${raw}`))?.date;
    };
    const last = Date.UTC(10_000, 0) - 1;
    for (const date of [0, last]) assert.equal(dateIn(date), date);
    for (const date of [-1, last + 1, -8.64e15, 8.64e15]) assert.equal(dateIn(date), undefined);
  });
});

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

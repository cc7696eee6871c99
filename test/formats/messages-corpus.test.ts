import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatAddress } from '../../src/formats/messages/addresses.ts';
import { MAX_SHOWN_BODY, type ParsedMessage } from '../../src/formats/messages/message.ts';
import { parseMessage, parseMessageStream, readAttachment } from '../../src/formats/messages/parse.ts';
import { type CorpusFile, corpusFiles, fixtures, inPieces, noCorpus } from './messages-corpus-files.ts';

/** What must hold of any message, whatever its bytes. */
function assertSound(message: ParsedMessage): void {
  const strings = JSON.stringify(message);
  assert.ok(!strings.includes('\\u0000') && !/\\ud[89a-f]/.test(strings));
  assert.ok(message.text.length <= MAX_SHOWN_BODY && message.html.length <= MAX_SHOWN_BODY);
  assert.doesNotMatch(message.html, /<(?:script|style|iframe|svg|form)\b/i);
  assert.ok(!message.text.includes('\r'));
  for (const line of [message.subject, message.messageId, ...message.headers.map(({ value }) => value)]) {
    assert.doesNotMatch(line, /[\r\n]/);
  }
  for (const id of [message.messageId, ...message.inReplyTo, ...message.references])
    assert.match(id, /^(?:<[^<>\s]+>)?$/);
  for (const at of [message.sentAt, message.receivedAt])
    assert.ok(at === null || new Date(at).getUTCFullYear() >= 1970);
  for (const { filename, mimeType } of message.attachments) {
    assert.match(filename, /^[^/\\]{1,255}$/);
    assert.match(mimeType, /^[^\s/]+\/[^\s/]+$/);
  }
}

const corpus = corpusFiles('mail', '.eml');

describe('every real message', { skip: noCorpus }, () => {
  it('is read to something sound', async () => {
    assert.equal(corpus.length, 842);
    for (const { bytes } of corpus) assertSound(await parseMessage(bytes));
  });

  it('reads alike whole and in pieces', async () => {
    for (const { name, bytes } of corpus) {
      const streamed = await parseMessageStream(inPieces(bytes, 997));
      assert.deepEqual(streamed, await parseMessage(bytes), name);
    }
  });

  it('gives each attachment with the size that it lists', async () => {
    for (const { name, bytes } of corpus) {
      const { attachments } = await parseMessage(bytes);
      for (const [position, { size }] of attachments.entries()) {
        const streamed = readAttachment(inPieces(bytes, 997), position);
        assert.equal((await buffer(streamed)).length, size, `${name} ${position}`);
      }
    }
  });

  it('has a sender, a subject, a date and text where it holds them', async () => {
    const counts = { from: 0, subject: 0, sentAt: 0, text: 0 };
    for (const { bytes } of corpus) {
      const message = await parseMessage(bytes);
      if (message.from) counts.from++;
      if (message.subject !== '') counts.subject++;
      if (message.sentAt !== null) counts.sentAt++;
      if (message.text.trim() !== '') counts.text++;
    }
    assert.deepEqual(counts, COUNTS);
  });
});

/** Seen, and looked through by hand where other parsers disagree. */
const COUNTS = { from: 761, subject: 745, sentAt: 696, text: 752 };

interface Expectation {
  text_body: number[];
  html_body: number[];
  attachments: number[];
  parts: { headers: { name: unknown; value: Record<string, unknown> }[] }[];
}

/** Where the other parser shows broken mail otherwise; in each case this one shows more of it. */
const OTHERWISE = new Set([
  'malformed__002',
  'malformed__003',
  'malformed__004',
  'malformed__006',
  'malformed__007',
  'malformed__008',
  'malformed__016',
]);

describe('messages that another parser has read', { skip: noCorpus }, () => {
  for (const { name, bytes } of corpusFiles('mail', '.json')) {
    const short = name.replace(/^expect_mailparser-rs__|\.json$/g, '');
    it(`another parser reads ${short} alike`, {
      skip: OTHERWISE.has(short) && 'broken mail, shown otherwise',
    }, async () => {
      const expected = JSON.parse(bytes.toString()) as Expectation;
      const file = corpus.find((candidate) => candidate.name === `mailparser-rs__${short}.eml`);
      const message = await parseMessage(file?.bytes ?? Buffer.alloc(0));
      assert.equal(message.attachments.length, expected.attachments.length);
      const subject = headerValue(expected, 'subject')?.Text;
      // That parser shows U+FFFD where bytes are in no charset that is named.
      if (typeof subject === 'string' && !subject.includes('\ufffd')) assert.equal(message.subject, subject);
      const id = headerValue(expected, 'message_id')?.Text;
      assert.equal(message.messageId, typeof id === 'string' ? `<${id}>` : '');
      assert.equal(message.sentAt, dateOf(expected));
      assert.deepEqual(message.from && formatAddress(message.from), senderOf(expected));
    });
  }
});

function headerValue(expected: Expectation, name: string): Record<string, unknown> | undefined {
  return expected.parts[0]?.headers.find((header) => header.name === name)?.value;
}

function dateOf(expected: Expectation): number | null {
  const at = headerValue(expected, 'date')?.DateTime as Record<string, number> | undefined;
  if (!at) return null;
  const zone = ((at.tz_hour ?? 0) * 60 + (at.tz_minute ?? 0)) * (at.tz_before_gmt ? -1 : 1);
  const local = Date.UTC(at.year ?? 0, (at.month ?? 0) - 1, at.day, at.hour, at.minute, at.second);
  return local - zone * 60_000;
}

function senderOf(expected: Expectation): string | null {
  const list = headerValue(expected, 'from')?.Address as {
    List?: { name: string | null; address: string | null }[];
  };
  const first = list?.List?.[0];
  return first ? formatAddress({ name: first.name ?? '', address: first.address ?? '' }) : null;
}

type Edit = (bytes: Buffer) => Buffer;

const at = fc.double({ min: 0, max: 1, noNaN: true });
const cut: fc.Arbitrary<Edit> = at.map((place) => (bytes) => bytes.subarray(0, place * bytes.length));
const flip: fc.Arbitrary<Edit> = fc.tuple(at, fc.nat(255)).map(([place, value]) => (bytes) => {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[Math.floor(place * (copy.length - 1))] = value;
  return copy;
});
const remove: fc.Arbitrary<Edit> = fc.tuple(at, fc.nat(40)).map(([place, count]) => (bytes) => {
  const from = Math.floor(place * bytes.length);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + count)]);
});
const insert: fc.Arbitrary<Edit> = fc
  .tuple(
    at,
    fc.constantFrom('\n', '\r', '\r\n\r\n', '\0', '--', '"', '<', '=?utf-8?B?', '\xff', ';', '\n ', 'From '),
  )
  .map(([place, text]) => (bytes) => {
    const from = Math.floor(place * bytes.length);
    return Buffer.concat([bytes.subarray(0, from), Buffer.from(text, 'latin1'), bytes.subarray(from)]);
  });

describe('damaged messages', () => {
  it('are read to something sound, alike whole and in pieces', async () => {
    const files: CorpusFile[] = noCorpus
      ? fixtures('.eml')
      : corpus.filter(({ bytes }) => bytes.length < 20_000);
    const edits = fc.array(fc.oneof(cut, flip, flip, remove, insert, insert), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        edits,
        fc.integer({ min: 1, max: 200 }),
        async (file, all, size) => {
          const bytes = all.reduce((damaged, edit) => edit(damaged), file.bytes);
          const message = await parseMessage(bytes);
          assertSound(message);
          assert.deepEqual(await parseMessageStream(inPieces(bytes, size)), message);
        },
      ),
      { numRuns: 400, seed: 20_250_101 },
    );
  });
});

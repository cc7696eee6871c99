import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { filteredMessage } from '../../src/areas/mail/filters/filtered-message.ts';
import { preview, storedMessage } from '../../src/areas/mail/filters/folder-scan.ts';
import type { PositionedMessage } from '../../src/areas/mail/listing/listing.ts';
import { recordMembers, summaryMembers } from '../../src/areas/mail/messages/record.ts';
import { parseHeaders, parseMessage } from '../../src/formats/messages/parse.ts';
import { inPieces } from '../formats/messages-corpus-files.ts';
import { realMessages } from './mail-bytes.ts';

/** What filters see of a message when it arrives, and what they see of it once it is stored. */
async function seen(raw: Buffer) {
  const parsed = await parseMessage(raw);
  const [summary, record] = [
    `{${summaryMembers(parsed, { id: 'msg_1', threadId: null, date: 0, size: raw.length })}}`,
    recordMembers(parsed),
  ];
  const headers = await parseHeaders(inPieces(raw, 1_000));
  return { arriving: filteredMessage(parsed, raw.length), stored: storedMessage(summary, record, headers) };
}

describe('what filters see of a message', () => {
  it('is the same when it arrives and later, of every real message there is', async () => {
    for (const [name, path] of realMessages()) {
      const { arriving, stored } = await seen(readFileSync(path));
      assert.deepEqual(stored, arriving, name);
    }
  });

  it('what filters see is the same of a message that was too long to show whole (FILTER-15, MAIL-44)', async () => {
    const long = `From: a@b.example\r\nX-Long: ${'x '.repeat(20_000)}\r\n\r\n${'body '.repeat(300_000)}the end`;
    const { arriving, stored } = await seen(Buffer.from(long));
    assert.deepEqual(stored, arriving);
    assert.ok(arriving.text.length <= 1024 * 1024);
  });

  it('is the same of a message of nothing', async () => {
    for (const raw of ['', '\r\n', 'Subject: only', '\r\nonly a body', 'no header at all']) {
      const { arriving, stored } = await seen(Buffer.from(raw));
      assert.deepEqual(stored, arriving, raw);
    }
  });

  it('reads a stream no further than the header section goes', async () => {
    async function* source() {
      yield Buffer.from('Subject: a\r\nX-Last: b\r\n\r\nbody');
      throw new Error('read on');
    }
    const found = await parseHeaders(source());
    assert.deepEqual(
      found.map(({ name }) => name),
      ['subject', 'x-last'],
    );
  });
});

describe('a preview', () => {
  const row: PositionedMessage = { number: 1, id: 'msg_1', date: 0, item: '{}' };
  const portions = (size: number, bytes: number) =>
    (async function* () {
      for (;;) yield { scanned: size, bytes, matching: Array(size).fill(row) };
    })();

  it('a preview ends after so many messages (FILTER-34)', async () => {
    const { scanned, matched, newest } = await preview(portions(300, 10), 500);
    assert.deepEqual([scanned, matched, newest.length], [10_200, 10_200, 500]);
  });

  it('a preview ends after so many bytes (FILTER-34)', async () => {
    const { scanned } = await preview(portions(3, 20 * 1024 * 1024), 1);
    assert.equal(scanned, 12);
  });
});

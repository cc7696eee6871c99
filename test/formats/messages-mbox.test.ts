import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type MboxEntry, splitMbox } from '../../src/formats/messages/mbox.ts';
import { MAX_MESSAGE_BYTES } from '../../src/formats/messages/message.ts';
import { parseMessage } from '../../src/formats/messages/parse.ts';
import { corpusFiles, fixture, inPieces, noCorpus } from './messages-corpus-files.ts';

async function split(bytes: Uint8Array, size = 65_536): Promise<MboxEntry[]> {
  return Array.fromAsync(splitMbox(inPieces(bytes, size)));
}

function shown(entry: MboxEntry): string {
  if (entry.kind === 'skipped') return `${entry.offset} ${entry.reason} ${entry.size}`;
  return `${entry.offset} ${Buffer.from(entry.raw).toString('latin1')}`;
}

const FROM = 'From a@b.test Mon Jan  1 00:00:00 2001';

async function shownOf(text: string): Promise<string[]> {
  return (await split(Buffer.from(text, 'latin1'))).map(shown);
}

describe('mailbox files', () => {
  it('split at separators after a blank line, which belongs to the file', async () => {
    assert.deepEqual(await shownOf(`${FROM}\nA: 1\n\none\n\n${FROM}\nA: 2\n\ntwo\n`), [
      '0 A: 1\n\none\n',
      '50 A: 2\n\ntwo\n',
    ]);
  });

  it('keep CR LF', async () => {
    assert.deepEqual(await shownOf(`${FROM}\r\nA: 1\r\n\r\none\r\n\r\n${FROM}\r\nA: 2\r\n\r\n\r\n`), [
      '0 A: 1\r\n\r\none\r\n',
      '55 A: 2\r\n\r\n',
    ]);
  });

  it('tell the separator line, decoded', async () => {
    const [first] = await split(Buffer.from('From me at “b.test”  Thu Jan 15 13:22:25 2015\n\nx'));
    assert.equal(
      first?.kind === 'message' && first.fromLine,
      'From me at “b.test”  Thu Jan 15 13:22:25 2015',
    );
  });

  it('do not split at sentences, nor within paragraphs', async () => {
    const text = `${FROM}\nA: 1\n\nFrom Russia with love\n\nFrom here on, May is warm.\n${FROM}\n\n`;
    assert.equal((await shownOf(text)).length, 1);
  });

  it('unquote lines by one', async () => {
    const text = `${FROM}\nA: 1\n\n>From x\n>>From y\n> From z\na >From b\n`;
    assert.deepEqual(await shownOf(text), ['0 A: 1\n\nFrom x\n>From y\n> From z\na >From b\n']);
  });

  it('follow a Content-Length that leads to a separator, and no other', async () => {
    const body = `one\n\n${FROM}\n>From x\n`;
    const right = `${FROM}\nContent-Length: ${body.length}\n\n${body}\n${FROM}\n\ntwo`;
    assert.deepEqual((await shownOf(right)).length, 2);
    assert.match((await shownOf(right))[0] ?? '', />From x\n$/);
    const wrong = right.replace(/Length: \d+/, 'Length: 7');
    assert.equal((await shownOf(wrong)).length, 3);
  });

  it('report what stands before the first separator', async () => {
    assert.deepEqual(await shownOf(`Subject: x\n\ny\n\n${FROM}\n\none`), ['0 no separator 15', '15 \none']);
    assert.deepEqual(await shownOf('no mailbox at all'), ['0 no separator 17']);
    assert.deepEqual(await shownOf(''), []);
  });

  it('report a message that is too large, and go on after it', async () => {
    const line = Buffer.from(`${'x'.repeat(1023)}\n`);
    const block = Buffer.concat(Array.from({ length: 1024 }, () => line));
    async function* large() {
      yield Buffer.from(`${FROM}\n\none\n\n${FROM}\n\n`);
      for (let size = 0; size <= MAX_MESSAGE_BYTES; size += block.length) yield block;
      yield Buffer.from(`\n${FROM}\n\nthree\n`);
    }
    const entries = await Array.fromAsync(splitMbox(large()));
    assert.deepEqual(
      entries.map((entry) => (entry.kind === 'skipped' ? [entry.reason, entry.offset] : entry.raw.length)),
      [5, ['too large', 45], 7],
    );
  });

  it('give back what an mboxrd writer wrote, in any pieces', async () => {
    const line = fc.constantFrom(
      '',
      'text',
      'From x',
      '>From y',
      FROM,
      `>>${FROM}`,
      'Content-Length: 3',
      '--b',
    );
    const message = fc
      .array(line, { maxLength: 6 })
      .map((lines) => `A: 1\n\n${lines.map((l) => `${l}\n`).join('')}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 99 }),
        async (all, size) => {
          const written = all.map((raw) => `${FROM}\n${raw.replace(/^(>*From )/gm, '>$1')}\n`).join('');
          const read = await split(Buffer.from(written), size);
          assert.deepEqual(
            read.map((entry) => entry.kind === 'message' && Buffer.from(entry.raw).toString()),
            all,
          );
        },
      ),
    );
  });

  it('of Mozilla split without dates', async () => {
    const entries = await split(fixture('mimekit__unmunged.mbox'));
    assert.deepEqual(
      entries.map((entry) => entry.kind === 'message' && entry.fromLine),
      ['From -', 'From -'],
    );
    assert.deepEqual(
      entries.map(({ offset }) => offset),
      [3, 245],
    );
  });

  it('of imaptest hold what its script expects', async () => {
    assert.equal((await split(fixture('imaptest__thread.mbox'))).length, 3);
  });
});

/** "From " lines that are none of the file's separators, by hand. */
const SENTENCES: Record<string, number> = { 'mimekit__unmunged.mbox': 1 };

describe('real mailbox files', { skip: noCorpus }, () => {
  for (const { name, bytes } of corpusFiles('mbox', '.mbox')) {
    it(`the mailbox file ${name} is split into its messages`, async () => {
      const entries = await split(bytes);
      const lines = bytes.toString('latin1').match(/^From /gm)?.length ?? 0;
      assert.equal(entries.length, lines - (SENTENCES[name] ?? 0));
      assert.deepEqual(
        entries.map(shown),
        (await split(bytes, bytes.length > 100_000 ? 5000 : 3)).map(shown),
      );
    });
  }

  it('finds the 108 messages of a list month', async () => {
    const month = corpusFiles('mbox', 'httpd-users-2020-07.mbox')[0];
    const entries = await split(month?.bytes ?? Buffer.alloc(0));
    const ids = await Promise.all(
      entries.map(async (entry) =>
        entry.kind === 'message' ? (await parseMessage(entry.raw)).messageId : '',
      ),
    );
    assert.deepEqual([entries.length, new Set(ids).size, ids.includes('')], [108, 108, false]);
  });
});

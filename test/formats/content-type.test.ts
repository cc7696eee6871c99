import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { contentTypeOf, HEAD_BYTES, LONG_HEAD_BYTES } from '../../src/formats/content-type/content-type.ts';
import { archive } from './workbook-files.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus');
const EXPECTED = join(CORPUS, 'types/EXPECT.tsv');
const AGREEMENT = 0.95;

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Filename, content, type. */
const TEXTS: [string, string, string][] = [
  ['a', 'a', 'text/plain'],
  ['notes.txt', 'größe', 'text/plain'],
  ['notes.md', '# Notes\n\nOf *Tuesday*', 'text/markdown'],
  ['notes.md', '#include <stdio.h>\nint main() {}', 'text/markdown'],
  ['notes.txt', '#include <stdio.h>\nint main() {}', 'text/plain'],
  ['notes.md', 'Hello, world\nIt is, so\nfoo, bar\n', 'text/markdown'],
  ['notes.txt', 'Hello, world\nIt is, so\nfoo, bar\n', 'text/plain'],
  ['notes.log', 'a,b\n1,2\n', 'text/plain'],
  ['notes', 'a,b\n1,2\n', 'text/csv'],
  ['README.md', '# A\n\n<p align="center"><a href="x">y</a></p>\n', 'text/markdown'],
  ['notes.md', 'Some text <html> in it', 'text/markdown'],
  ['notes.md', 'function f() {}\nconst a = 1;\nmodule.exports = f;', 'text/markdown'],
  ['notes.txt', 'From: Ada\nTo: Bob\n\nHello', 'text/plain'],
  ['notes.md', 'Subject: what we said\n\nHello', 'text/markdown'],
  ['notes.md', 'Path: a/b\n\nHello', 'text/markdown'],
  ['notes.txt', 'From here on we do\nsomething\n', 'text/plain'],
  ['notes.txt', 'P1 is a task\n1 2 3\n', 'text/plain'],
  ['notes.txt', '.TH is how a page begins\n.SH NAME\n', 'text/plain'],
  ['notes.txt', 'Only in America: a\n', 'text/plain'],
  ['notes.txt', '1\n00:00:01,000 --> 00:00:02,000\nHi\n', 'text/plain'],
  ['notes.md', '[1, 2]', 'text/markdown'],
  ['events.jsonl', '{"a":1}', 'application/x-ndjson'],
  ['settings.yaml', '{"a": 1}', 'application/yaml'],
  ['table.csv', 'a,<b>x</b>\n1,<a href="y">2</a>\n', 'text/csv'],
  ['notes.txt', '#!/bin/sh\necho\n', 'text/x-shellscript'],
  ['notes.txt', '<?xml version="1.0"?><a/>', 'text/xml'],
  ['notes.md', 'diff --git a/x b/x\n', 'text/x-diff'],
  ['notes.txt', 'From ada@example.org Mon Jan  1 00:00:00 2024\nSubject: x\n\n', 'application/mbox'],
  ['table.csv', 'a,b\n1,2\n', 'text/csv'],
  ['TABLE.TSV', 'a\tb\n1\t2\n', 'text/tab-separated-values'],
  ['data.json', '{"a":[1]}', 'application/json'],
  ['data', '{"a":[1]}', 'application/json'],
  ['data.json', '42', 'application/json'],
  ['data.json', 'not JSON', 'text/plain'],
  ['style.css', 'body { color: red }', 'text/css'],
  ['run.js', 'console.log(1)', 'text/javascript'],
  ['run.sh', '#!/bin/sh\necho\n', 'text/x-shellscript'],
  ['run', '#!/bin/sh\necho\n', 'text/x-shellscript'],
  ['page.html', '<p>Hello</p>', 'text/html'],
  ['page.html', 'Hello', 'text/plain'],
  ['page', '<!doctype html><title>x</title>', 'text/html'],
  ['page.txt', '<!doctype html><title>x</title>', 'text/html'],
  ['note.xml', '<note/>', 'text/xml'],
  ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['settings.yaml', 'a: 1\n', 'application/yaml'],
  ['week.ics', 'BEGIN:VCALENDAR\nEND:VCALENDAR\n', 'text/calendar'],
  ['ada.vcf', 'BEGIN:VCARD\nVERSION:4.0\nEND:VCARD\n', 'text/vcard'],
  ['mail.eml', 'From: a@example.org\nSubject: x\n\nHello', 'message/rfc822'],
  ['picture.png', 'no picture at all', 'text/plain'],
  ['program.exe', 'no program at all', 'text/plain'],
];

/** Tables in encodings of two and four bytes a character. */
const WIDE_TABLE = 'name,city\nAda,Zürich\n😀,東京\n';

/** How audio begins, and its type. */
const AUDIO: [number[], string][] = [
  [[0x66, 0x4c, 0x61, 0x43, 0, 0, 0, 0x22], 'audio/flac'],
  [[0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc], 'audio/aac'],
  [[0xff, 0xfb, 0x90, 0x64], 'audio/mpeg'],
];

/** An ID3 tag of so many bytes. */
function tagOf(length: number, hasFooter = false): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (length >> shift) & 0x7f);
  const rest = Buffer.from([4, 0, hasFooter ? 0x10 : 0, ...size]);
  const footer = hasFooter ? Buffer.concat([Buffer.from('3DI'), rest]) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from('ID3'), rest, Buffer.alloc(length, 1), footer]);
}

/** A text in encodings of two and four bytes a unit, without a mark. */
function wideTexts(text: string): Record<string, Buffer> {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const [little, big] = [Buffer.alloc(4 * points.length), Buffer.alloc(4 * points.length)];
  for (const [i, point] of points.entries()) {
    little.writeUInt32LE(point, 4 * i);
    big.writeUInt32BE(point, 4 * i);
  }
  const utf16 = Buffer.from(text, 'utf16le');
  return { 'utf-16le': utf16, 'utf-16be': Buffer.from(utf16).swap16(), 'utf-32le': little, 'utf-32be': big };
}

/** The type of content that a store has. */
function typeOf(content: Uint8Array, filename: string): Promise<string> {
  const read = async (start: number, end: number) => content.subarray(start, end);
  const whole = async () => ({ size: content.length, read });
  return contentTypeOf({ filename, head: content.subarray(0, HEAD_BYTES), whole });
}

describe('the type of content', () => {
  for (const [filename, content, type] of TEXTS) {
    test(`${JSON.stringify(content.slice(0, 30))} named ${filename} is ${type} (FILE-14)`, async () => {
      assert.equal(await typeOf(Buffer.from(content), filename), type);
    });
  }

  test('a signature decides the type, whatever the name says (FILE-13)', async () => {
    for (const name of ['a.png', 'a.txt', 'a.html', 'a', ''])
      assert.equal(await typeOf(PNG, name), 'image/png');
  });

  test('audio behind a tag is told by what follows it, however long the tag', async () => {
    for (const length of [100, HEAD_BYTES, 3 * LONG_HEAD_BYTES]) {
      for (const [bytes, type] of AUDIO) {
        for (const hasFooter of [false, true]) {
          const tags = [tagOf(length, hasFooter), tagOf(10)];
          const content = Buffer.concat([...tags, Buffer.from(bytes), Buffer.alloc(500)]);
          assert.equal(await typeOf(content, 'a.bin'), type, `${type} behind ${length} bytes`);
        }
      }
    }
  });

  test('a drawing of Visio is told from other documents of its form', async () => {
    const directory = (name: string) => {
      const entry = Buffer.alloc(128);
      entry[64] = entry.write(name, 'utf16le') + 2;
      return Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(HEAD_BYTES * 2 - 8), entry]);
    };
    assert.equal(await typeOf(directory('VisioDocument'), 'a.vsd'), 'application/vnd.visio');
    assert.notEqual(await typeOf(directory('WordDocument'), 'a.vsd'), 'application/vnd.visio');
    // Where a text says so, it is no directory.
    assert.notEqual(await typeOf(directory('VisioDocument and more'), 'a'), 'application/vnd.visio');
    const archived = await archive({ 'docProps/app.xml': '<a/>', 'visio/document.xml': '<b/>' });
    assert.equal(await typeOf(archived, 'a.bin'), 'application/vnd.visio');
    const other = await archive({ 'a.txt': 'visio/document.xml' });
    assert.equal(await typeOf(other, 'a.vsdx'), 'application/zip');
  });

  test('an Apple disk image is told by its end', async () => {
    const trailer = Buffer.alloc(512);
    trailer.write('koly');
    for (const beginning of ['7801730d626260', '00', '425a683931415926']) {
      for (const size of [1_000, HEAD_BYTES + 1, 2 * LONG_HEAD_BYTES]) {
        const content = Buffer.concat([Buffer.from(beginning, 'hex'), Buffer.alloc(size), trailer]);
        assert.equal(await typeOf(content, 'a'), 'application/x-apple-diskimage');
        assert.notEqual(await typeOf(content.subarray(0, -1), 'a.dmg'), 'application/x-apple-diskimage');
      }
    }
    const encrypted = Buffer.concat([Buffer.from('encrcdsa\0\0\0\x02'), Buffer.alloc(100)]);
    assert.equal(await typeOf(encrypted, 'a'), 'application/x-apple-diskimage');
    assert.notEqual(await typeOf(trailer.subarray(0, 100), 'a.dmg'), 'application/x-apple-diskimage');
  });

  test('an empty content has a type of its own, and bytes that are no text are unknown, whatever the name (FILE-15)', async () => {
    assert.equal(await typeOf(Buffer.alloc(0), 'a.txt'), 'application/x-empty');
    assert.equal(await typeOf(Buffer.from([0, 1, 2, 3]), 'a.txt'), 'application/octet-stream');
    assert.equal(await typeOf(Buffer.from([0xff, 1, 0xfe]), 'a.csv'), 'application/octet-stream');
  });

  test('text that was cut in the middle of a character is text', async () => {
    const head = Buffer.from('ä'.repeat(HEAD_BYTES)).subarray(1, HEAD_BYTES);
    assert.equal(await typeOf(head.subarray(1), 'a.md'), 'text/markdown');
  });

  test('text of two or four bytes a character is told by its ending, cut at any place', async () => {
    for (const [encoding, bytes] of Object.entries(wideTexts(WIDE_TABLE.repeat(2_000)))) {
      for (const length of [WIDE_TABLE.length * 4, HEAD_BYTES, HEAD_BYTES + 2, bytes.length]) {
        assert.equal(await typeOf(bytes.subarray(0, length), 'a.csv'), 'text/csv', encoding);
      }
      assert.equal(await typeOf(bytes, 'a.tsv'), 'text/tab-separated-values', encoding);
    }
    for (const bytes of Object.values(wideTexts('a\u0001b'.repeat(100)))) {
      assert.notEqual(await typeOf(bytes, 'a.csv'), 'text/csv');
    }
  });

  test('JSON that goes on beyond the head is JSON', async () => {
    const json = Buffer.from(`[${'{"a":1},'.repeat(200_000)}`);
    assert.ok(json.length > LONG_HEAD_BYTES);
    assert.equal(await typeOf(json, 'a.json'), 'application/json');
  });

  test('JSON is known by its end, whatever its name', async () => {
    const json = JSON.stringify(Array.from({ length: 2 * HEAD_BYTES }, () => 0));
    assert.equal(await typeOf(Buffer.from(json), 'a'), 'application/json');
    assert.equal(await typeOf(Buffer.from(json.slice(0, -1)), 'a.json'), 'text/plain');
  });

  // Whoever looks from each place to the end would need minutes for a megabyte, and nothing else would be served.
  for (const [filename, again, type] of [
    ['week.ics', '\n', 'text/plain'],
    ['ada.vcf', '\r\n', 'text/plain'],
    ['page.html', '<a', 'text/plain'],
    ['page.htm', '<', 'text/plain'],
    ['drawing.svg', '<sv', 'text/plain'],
    ['note.xml', ' ', 'text/plain'],
  ] as const) {
    test(`${filename} of nothing but ${JSON.stringify(again)} is ${type}, soon`, async () => {
      assert.equal(await typeOf(Buffer.alloc(LONG_HEAD_BYTES, again), filename), type);
    });
  }

  test('any bytes under any name have a type', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), fc.string(), async (bytes, name) =>
        assert.match(await typeOf(bytes, name), /^[a-z]+\/[a-z0-9.+-]+$/),
      ),
      { numRuns: 300 },
    );
  });

  test(`agrees with one of two other tools on ${AGREEMENT * 100} % of real files`, async (t) => {
    if (!existsSync(EXPECTED)) return t.skip('the corpus is not here');
    const rows = readFileSync(EXPECTED, 'utf8').trim().split('\n').slice(1);
    const others: string[] = [];
    for (const row of rows) {
      const [path = '', , , byFile = '', , , byFileType = ''] = row.split('\t');
      const type = await typeOf(readFileSync(join(CORPUS, path)), path.slice('types/'.length));
      if (type !== byFile && type !== byFileType) others.push(`${path}: ${type} (${byFile} ${byFileType})`);
    }
    const agreement = 1 - others.length / rows.length;
    t.diagnostic(`${(agreement * 100).toFixed(1)} % of ${rows.length} files; others: ${others.join(', ')}`);
    assert.ok(agreement >= AGREEMENT);
  });
});

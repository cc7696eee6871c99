import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { contentTypeOf, HEAD_BYTES, LONG_HEAD_BYTES } from '../../src/formats/content-type/content-type.ts';

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

/** The type of content that a store has. */
function typeOf(content: Uint8Array, filename: string): Promise<string> {
  const longHead = async () => content.subarray(0, LONG_HEAD_BYTES);
  return contentTypeOf({ filename, head: content.subarray(0, HEAD_BYTES), longHead });
}

describe('the type of content', () => {
  for (const [filename, content, type] of TEXTS) {
    test(`${JSON.stringify(content.slice(0, 30))} named ${filename} is ${type}`, async () => {
      assert.equal(await typeOf(Buffer.from(content), filename), type);
    });
  }

  test('a signature goes before every name', async () => {
    for (const name of ['a.png', 'a.txt', 'a.html', 'a', ''])
      assert.equal(await typeOf(PNG, name), 'image/png');
  });

  test('no bytes are empty, bytes that are no text are unknown, whatever the name', async () => {
    assert.equal(await typeOf(Buffer.alloc(0), 'a.txt'), 'application/x-empty');
    assert.equal(await typeOf(Buffer.from([0, 1, 2, 3]), 'a.txt'), 'application/octet-stream');
    assert.equal(await typeOf(Buffer.from([0xff, 1, 0xfe]), 'a.csv'), 'application/octet-stream');
  });

  test('text that was cut in the middle of a character is text', async () => {
    const head = Buffer.from('ä'.repeat(HEAD_BYTES)).subarray(1, HEAD_BYTES);
    assert.equal(await typeOf(head.subarray(1), 'a.md'), 'text/markdown');
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

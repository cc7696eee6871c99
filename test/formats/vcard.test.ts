import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Card, ReadCard } from '../../src/formats/vcard/card.ts';
import { readCards } from '../../src/formats/vcard/read.ts';
import { writeCard } from '../../src/formats/vcard/write.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/vcf');

/** The cards of bytes that arrive in pieces of this size. */
async function read(source: string | Uint8Array, pieceSize = 65_536): Promise<ReadCard[]> {
  const bytes = Buffer.from(source);
  async function* pieces() {
    for (let i = 0; i < bytes.length; i += pieceSize) yield bytes.subarray(i, i + pieceSize);
  }
  return Array.fromAsync(readCards(pieces()));
}

/** The only card of these lines. */
async function cardOf(...lines: string[]): Promise<Card> {
  const [first, ...others] = await read(['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n'));
  assert.deepEqual(others, []);
  assert.ok(first && 'card' in first, JSON.stringify(first));
  return first.card;
}

const NOTHING: Card = {
  uid: '',
  name: '',
  givenName: '',
  familyName: '',
  organization: '',
  title: '',
  notes: '',
  emails: [],
  phones: [],
};

/** As the reader makes them: with the prototype of every object. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return fc.record(model, { noNullPrototype: true });
}

const special = fc.constantFrom(
  '\\',
  ',',
  ';',
  ':',
  '"',
  '^',
  '=',
  ' ',
  'n',
  'N',
  '\\n',
  '\\,',
  'é',
  'ß',
  '日本',
  '😀',
  '\u2028',
  '\u0085',
  '\u00a0',
  'TYPE=',
);
const characters = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(special).map((all) => all.join('')),
);
const line = characters.map((text) => text.toWellFormed().replace(/\p{Cc}/gu, ''));
const notes = fc.array(fc.oneof(line, fc.constantFrom('\n', '\t'))).map((parts) => parts.join(''));
const label = fc.oneof(
  line,
  fc.constantFrom(
    'work',
    'Work',
    'cell',
    'home fax',
    'pref',
    'voice',
    'internet',
    'work work',
    ' work',
    '_$!<Home>!$_',
    '_$!<_$!<Home>!$_>!$_',
    'a,b',
    'x-y',
    'Büro',
    '"',
  ),
);
const labelled = fc.array(record({ value: line.filter((value) => value !== ''), label }), {
  maxLength: 5,
});
const card: fc.Arbitrary<Card> = record({
  uid: line.map((text) => text.trim()),
  name: line.filter((name) => name !== ''),
  givenName: line,
  familyName: line,
  organization: line,
  title: line,
  notes,
  emails: labelled,
  phones: labelled,
});

describe('vCard', () => {
  test('what is written is read again, whatever it is and however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(card, { maxLength: 4 }),
        fc.integer({ min: 1, max: 100 }),
        async (cards, size) => {
          const text = cards.map(writeCard).join('');
          assert.deepEqual(
            await read(text, size),
            cards.map((written, index) => ({ index, card: written })),
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  test('lines that are written have at most 75 octets and are whole characters', async () => {
    await fc.assert(
      fc.asyncProperty(card, async (written) => {
        for (const physical of writeCard(written).split('\r\n')) {
          assert.ok(Buffer.byteLength(physical) <= 75);
          assert.ok(physical.isWellFormed());
        }
      }),
    );
  });

  test('any bytes are read without a throw', async () => {
    const words = [
      'BEGIN:VCARD',
      'END:VCARD',
      'VERSION:4.0',
      'FN:',
      'N:',
      ';',
      ':',
      '"',
      '\\',
      '\r\n',
      '\n',
      '\r',
      ' ',
      '=',
      'EMAIL;TYPE=',
      'NOTE;ENCODING=QUOTED-PRINTABLE:',
      'AGENT:',
      'item1.',
      'X-ABLabel:',
      'TEL;VALUE=uri:tel:%',
    ];
    const soup = fc
      .array(fc.oneof(fc.constantFrom(...words), fc.string()))
      .map((parts) => Buffer.from(parts.join('')));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(soup, fc.uint8Array()),
        fc.integer({ min: 1, max: 50 }),
        async (bytes, size) => {
          const cards = await read(bytes, size);
          assert.deepEqual(
            cards.map(({ index }) => index),
            cards.map((_, i) => i),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('escapes are undone once', async () => {
    const { name, notes: text } = await cardOf(
      'VERSION:3.0',
      'FN:a\\, b\\; c\\\\n \\: d\\x',
      'NOTE:one\\ntwo\\Nthree\\\\nfour',
    );
    assert.equal(name, 'a, b; c\\n : d\\x');
    assert.equal(text, 'one\ntwo\nthree\\nfour');
  });

  test('lines are unfolded between octets, tabs count, and any line end will do', async () => {
    const bytes = Buffer.concat([
      Buffer.from('BEGIN:VCARD\nVERSION:3.0\rFN:Jo'),
      Buffer.from([0xc3]),
      Buffer.from('\r\n\t'),
      Buffer.from([0xab]),
      Buffer.from('l\nNOTE:a\n  b\nEND:VCARD'),
    ]);
    for (const size of [1, 7, 1_000]) {
      assert.deepEqual(await read(bytes, size), [
        { index: 0, card: { ...NOTHING, name: 'Joël', notes: 'a b' } },
      ]);
    }
  });

  test('N and ORG are read by their components', async () => {
    const found = await cardOf('VERSION:4.0', 'N:Do\\;e;Jo\\,hn;Q;Dr.;III', 'ORG:A\\; B, Inc.;Research');
    assert.deepEqual(
      [found.familyName, found.givenName, found.organization],
      ['Do;e', 'Jo,hn', 'A; B, Inc.'],
    );
    assert.equal((await cardOf('ORG:;Research')).organization, 'Research');
    assert.equal((await cardOf('ORG:Apple\\;;')).organization, 'Apple;');
  });

  test('types in every spelling make the label, and what is no label is left out', async () => {
    const labels = async (...lines: string[]) =>
      (await cardOf('VERSION:3.0', ...lines)).phones.map((phone) => phone.label);
    assert.deepEqual(
      await labels(
        'TEL;TYPE=WORK:1',
        'TEL;type=work;type=VOICE:2',
        'TEL;TYPE="work,voice":3',
        'TEL;WORK;VOICE:4',
        'TEL;TYPE=home,fax:5',
      ),
      ['work', 'work', 'work', 'work', 'home fax'],
    );
    assert.deepEqual(await labels('TEL:1', 'TEL;TYPE=VOICE:2', 'TEL;TYPE=:3'), ['', '', '']);
    assert.deepEqual(await labels('item1.TEL;TYPE=cell:1', 'ITEM1.X-ABLABEL:Mum\\, mobile'), ['Mum, mobile']);
    assert.deepEqual(await labels('item2.TEL:1', 'item2.X-ABLabel:_$!<Mobile>!$_'), ['mobile']);
  });

  test('what is preferred comes first, all else in order', async () => {
    const addresses = async (...lines: string[]) => (await cardOf(...lines)).emails.map(({ value }) => value);
    assert.deepEqual(
      await addresses('EMAIL:a', 'EMAIL;PREF=20:b', 'EMAIL;PREF=3:c', 'EMAIL:d', 'EMAIL;PREF=x:e'),
      ['c', 'b', 'a', 'd', 'e'],
    );
    assert.deepEqual(await addresses('EMAIL:a', 'EMAIL;TYPE=INTERNET,PREF:b', 'EMAIL;PREF:c'), [
      'b',
      'c',
      'a',
    ]);
  });

  test('numbers and addresses may be URIs', async () => {
    const found = await cardOf(
      'VERSION:4.0',
      'TEL;VALUE=uri;TYPE="voice,home":tel:+1-555-555-5555;ext=%205',
      'TEL;VALUE=URI:sip:ada@example.org',
      'TEL:tel:1',
      'EMAIL;VALUE=uri:mailto:ada@example.org',
    );
    assert.deepEqual(
      found.phones.map(({ value }) => value),
      ['+1-555-555-5555;ext= 5', 'sip:ada@example.org', 'tel:1'],
    );
    assert.equal(found.emails[0]?.value, 'ada@example.org');
  });

  test('what vCard 2.1 has of its own is read where that is safe', async () => {
    const found = await cardOf(
      'VERSION:2.1',
      'FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Andr=E9',
      'NOTE;QUOTED-PRINTABLE:one=0D=0Atwo =',
      'END:VCARD is text here',
      'ORG:Company, The;Department',
      'TITLE;ENCODING=BASE64:Qm9zcw==',
    );
    assert.deepEqual(
      [found.name, found.notes, found.organization, found.title],
      ['André', 'one\ntwo END:VCARD is text here', 'Company, The', 'Boss'],
    );
  });

  test('a file in UTF-16, with a mark of UTF-8, or in no UTF at all is read', async () => {
    const text = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Zoë 日本\r\nEND:VCARD\r\n';
    const le = Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const bytes of [le, Buffer.from(le).swap16(), Buffer.from(`\ufeff${text}`)]) {
      for (const size of [1, 2, 1_000])
        assert.deepEqual(await read(bytes, size), [{ index: 0, card: { ...NOTHING, name: 'Zoë 日本' } }]);
    }
    const [latin] = await read(Buffer.from('BEGIN:VCARD\nFN:Zoë\nEND:VCARD\n', 'latin1'));
    assert.deepEqual(latin, { index: 0, card: { ...NOTHING, name: 'Zoë' } });
  });

  test('what cannot be read says why, and does not stand in the way of others', async () => {
    const source = [
      'noise',
      'BEGIN:VCARD\nVERSION:3.0\nFN:unended',
      'BEGIN:VCARD\nVERSION:5.0\nFN:future\nEND:VCARD',
      'END:VCARD',
      'BEGIN:VCARD\nVERSION:4.0\nKIND:group\nFN:all\nEND:VCARD',
      'BEGIN:VCARD\nVERSION:3.0\nFN:fine\nAGENT:\nBEGIN:VCARD\nFN:agent\nEND:VCARD\nTITLE:boss\nEND:VCARD',
      'begin:vcard \nfn:also fine\nend:vcard',
      'BEGIN:VCARD\nFN:cut',
    ].join('\n');
    assert.deepEqual(await read(source), [
      { index: 0, problem: 'It has no END:VCARD.' },
      { index: 1, problem: 'Its version 5.0 is not one of 2.1, 3.0 and 4.0.' },
      { index: 2, problem: 'It describes a group, not a contact.' },
      { index: 3, card: { ...NOTHING, name: 'fine', title: 'boss' } },
      { index: 4, card: { ...NOTHING, name: 'also fine' } },
      { index: 5, problem: 'It has no END:VCARD.' },
    ]);
    assert.deepEqual(await read('BEGIN:VCALENDAR\nEND:VCALENDAR'), [
      { index: 0, problem: 'This is no vCard: nothing begins with BEGIN:VCARD.' },
    ]);
    assert.deepEqual(await read(' \r\n\r\n'), []);
    assert.deepEqual(await read(''), []);
  });

  test('hostile sizes take little time and memory', { timeout: 600_000 }, async () => {
    const huge = 10_000_000;
    const cards: [string, RegExp | undefined][] = [
      [`PHOTO:${'A'.repeat(huge)}`, undefined],
      [`PHOTO:${'A\n '.repeat(huge / 10)}`, undefined],
      [`NOTE:${'A\n '.repeat(huge / 10)}`, /NOTE has more than/],
      [`NOTE:${'A'.repeat(huge)}`, /NOTE has more than/],
      ['EMAIL:a@b\n'.repeat(huge / 100), /more than 2000 properties/],
      [`NOTE:${'x'.repeat(200_000)}\n`.repeat(10), /bytes of text/],
      [`NOTE;CHARSET=utf-7:${'+AAA-'.repeat(5_000)}`, /NOTE has more than 16384 bytes/],
      [`NOTE;CHARSET=windows-1252:${'x'.repeat(20_000)}`, undefined],
      [`EMAIL;TYPE="${'"'.repeat(100_000)}:x`, undefined],
      [`FN${';a'.repeat(100_000)}:x`, undefined],
      ['X'.repeat(huge), undefined],
      ['AGENT:\nBEGIN:VCARD\n'.repeat(10_000), /END:VCARD/],
    ];
    for (const [content, problem] of cards) {
      const started = process.cpuUsage();
      const [found, ...others] = await read(`BEGIN:VCARD\nFN:big\n${content}\nEND:VCARD\n`);
      const { user, system } = process.cpuUsage(started);
      assert.ok((user + system) / 1e6 < 5, `${content.slice(0, 20)}: ${(user + system) / 1e6} s`);
      assert.deepEqual(others, []);
      if (problem) assert.match(found && 'problem' in found ? found.problem : '', problem);
      else assert.equal(found && 'card' in found && found.card.name, 'big');
    }
  });

  test('the corpus is read or told why not, and survives being written', {
    skip: corpus().length === 0 && 'no ../shared/corpus',
  }, async () => {
    let readable = 0;
    for (const file of corpus()) {
      for (const found of await read(readFileSync(join(CORPUS, file)), 1_000)) {
        if (!('card' in found)) continue;
        readable++;
        const clean = JSON.parse(JSON.stringify(found.card).replace(/\\u00(?:0[0-8]|1.)/g, ''));
        assert.deepEqual(await read(writeCard(clean)), [{ index: 0, card: clean }], file);
      }
    }
    assert.ok(readable >= 75, `${readable} cards`);
  });
});

function corpus(): string[] {
  try {
    return readdirSync(CORPUS).sort();
  } catch {
    return [];
  }
}

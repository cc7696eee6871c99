import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encode } from 'iconv-lite';
import { RecordScanner } from '../../src/formats/workbooks/csv/records.ts';
import { writeCsv } from '../../src/formats/workbooks/csv/write.ts';
import { TEXT_ENCODINGS } from '../../src/text/decode.ts';
import { atOnce, encodingOf } from '../../src/text/encoding.ts';
import { cellsOf, exported, formatsOf, noWorkbooks, realFile, realFiles } from './workbook-files.ts';

function read(csv: string | Buffer) {
  return cellsOf(Buffer.from(csv));
}

function utf16(csv: string, mark: Buffer): Buffer {
  const bytes = Buffer.from(csv, 'utf16le');
  return Buffer.concat([mark, mark[0] === 0xfe ? bytes.swap16() : bytes]);
}

describe('reading separated values', () => {
  it('a .csv has TRUE and FALSE for booleans, and for numbers what is written exactly as one (SHEET-49)', async () => {
    const fields = ['TRUE', 'FALSE', '1', '-2.50', '0', '0.1', '1e+21', '1e-7', '0.0000001', '-0.5000'];
    const cells = Object.values(await read(fields.join(',')));
    assert.deepEqual(cells, [true, false, 1, -2.5, 0, 0.1, 1e21, 1e-7, 1e-7, -0.5]);
  });

  it('everything else of a .csv is text (SHEET-49)', async () => {
    const fields = [
      '007',
      '2026-03-01',
      'true',
      '+1',
      ' 1',
      '1 ',
      '.5',
      '1.',
      '1e999',
      `${'9'.repeat(400)}.5`,
      '1E5',
      '1e3',
      '-0',
      '-0.00',
      '00.5',
      '0x10',
      'Infinity',
      '1.23456789012345670',
      '100000000000000000000000',
      '12345678901234567890123e-3',
      '4111111111111111111',
      '$5',
    ];
    assert.deepEqual(Object.values(await read(fields.join(','))), fields);
  });

  it('keeps how a number was written that is a number, by its format', async () => {
    const fields = ['12.50', '1.0', '-3.140', '0.1', '7', '100.00'];
    const formats = await formatsOf(Buffer.from(fields.join(',')));
    assert.deepEqual(formats, {
      'Sheet1!A1': '0.00',
      'Sheet1!B1': '0.0',
      'Sheet1!C1': '0.000',
      'Sheet1!F1': '0.00',
    });
  });

  it('takes a separator that the first line declares', async () => {
    const wanted = { 'Sheet1!A1': 'a,b', 'Sheet1!B1': 2 };
    for (const first of ['sep=|\r\n', 'SEP=|\n', '"sep=|"\r', '\ufeffsep=|\n']) {
      assert.deepEqual(await read(`${first}a,b|2`), wanted, first);
    }
    assert.deepEqual(await read('sep=;'), {});
    assert.deepEqual(await read('sep==\na=1'), { 'Sheet1!A1': 'a', 'Sheet1!B1': 1 });
    assert.deepEqual(await read('sep=ab,c'), { 'Sheet1!A1': 'sep=ab', 'Sheet1!B1': 'c' });
    assert.deepEqual(await read('x\nsep=;\na;b'), {
      'Sheet1!A1': 'x',
      'Sheet1!A2': 'sep=;',
      'Sheet1!A3': 'a;b',
    });
  });

  it('reads every encoding, with and without a mark, wherever portions end within characters', async () => {
    const text = `Größe,日本 😀,1\n${'ä😀日,'.repeat(3)}2\n`.repeat(9_000);
    const wanted = await read(text);
    for (const encoding of TEXT_ENCODINGS.slice(0, -1)) {
      for (const mark of ['', '\ufeff']) {
        for (const shift of [0, 1, 2, 3]) {
          const start = 'x'.repeat(shift);
          const bytes = encode(`${mark}${start}${text}`, encoding, { addBOM: false });
          assert.equal(atOnce(encodingOf(bytes)), encoding, `${encoding} ${mark.length} ${shift}`);
          assert.deepEqual(await read(bytes), { ...wanted, 'Sheet1!A1': `${start}Größe` });
        }
      }
    }
  });

  it('takes for Windows-1252 what is nothing else', async () => {
    const bytes = encode('Größe;€ 5;“a”', 'windows-1252');
    assert.equal(atOnce(encodingOf(bytes)), 'windows-1252');
    assert.deepEqual(Object.values(await read(bytes)), ['Größe', '€ 5', '“a”']);
  });

  it('takes no bytes for text that are none', async () => {
    const [png, gzip, pdf] = [
      '89504e470d0a1a0a0000000d49484452',
      '1f8b0800000000000003',
      '255044462d312e370a00',
    ];
    const counting = Buffer.from(Uint16Array.from({ length: 600 }, (_, i) => i + 1).buffer);
    const surrogates = Buffer.from('61003dd861003dd8', 'hex');
    const beyond = Buffer.from('610000000000110061000000', 'hex');
    const binary = [png, gzip, pdf].map((hex) => Buffer.from(hex, 'hex'));
    const files = [...binary, counting, surrogates, beyond];
    for (const bytes of [...files, Buffer.from([0x61, 0x81, 0x62]), Buffer.from('fffe000041', 'hex')]) {
      await assert.rejects(read(bytes), /nor text in UTF-8/, bytes.toString('hex').slice(0, 20));
    }
  });

  it('makes no formula of a text that looks like one', async () => {
    assert.deepEqual(await read('=1+1,=,"=""a"""'), {
      'Sheet1!A1': '="=1+1"',
      'Sheet1!B1': '=',
      'Sheet1!C1': '="=""a"""',
    });
  });

  it('leaves empty fields and empty lines empty', async () => {
    assert.deepEqual(await read('a,,"",b\n\n,c\r\n'), {
      'Sheet1!A1': 'a',
      'Sheet1!D1': 'b',
      'Sheet1!B3': 'c',
    });
  });

  it('reads quotes, and line breaks within them', async () => {
    assert.deepEqual(Object.values(await read('"a ""b""","c\r\nd",e"f,"g"h')), [
      'a "b"',
      'c\r\nd',
      'e"f',
      'gh',
    ]);
  });

  it('finds out the separator from the first line', async () => {
    for (const separator of [',', ';', '\t']) {
      const cells = await read(`\r\n"x,;\t"${separator}y${separator}"a;\t,;\t"\n1${separator}2`);
      assert.equal(cells['Sheet1!B3'], 2, JSON.stringify(separator));
    }
    assert.deepEqual(await read('one column; no more'), {
      'Sheet1!A1': 'one column',
      'Sheet1!B1': ' no more',
    });
  });

  it('a .csv is read as UTF-8, and as UTF-16 by its mark (SHEET-50)', async () => {
    const csv = 'Größe,日本\n1,2\n';
    const wanted = { 'Sheet1!A1': 'Größe', 'Sheet1!B1': '日本', 'Sheet1!A2': 1, 'Sheet1!B2': 2 };
    assert.deepEqual(await read(csv), wanted);
    assert.deepEqual(await read(`\ufeff${csv}`), wanted);
    assert.deepEqual(await read(utf16(csv, Buffer.from([0xff, 0xfe]))), wanted);
    assert.deepEqual(await read(utf16(csv, Buffer.from([0xfe, 0xff]))), wanted);
  });

  it('refuses what is no such text, and says why', async () => {
    await assert.rejects(read(Buffer.from([0x61, 0, 0x62])), /neither an \.xlsx workbook nor text in UTF-8/);
    await assert.rejects(read('"a'), /record 1 has a quoted field that does not end/);
    await assert.rejects(read('x'.repeat(50_001)), /more than 50000 characters/);
    await assert.rejects(read(','.repeat(16_384)), /record 1 has more than 16384 fields/);
    await assert.rejects(read('\n'.repeat(1_048_577)), /more than 1048576 rows/);
  });

  it('reads the same however the text is cut', () => {
    const texts = fc.array(fc.constantFrom('"', ',', '\r', '\n', 'a', 'bc'), { maxLength: 40 });
    fc.assert(
      fc.property(texts, (pieces) => {
        const outcome = (portions: readonly string[]) => {
          const scanner = new RecordScanner(',');
          try {
            return [...portions.flatMap((portion) => scanner.read(portion)), ...scanner.end()];
          } catch (error) {
            return String(error);
          }
        };
        assert.deepEqual(outcome(pieces), outcome([pieces.join('')]));
      }),
    );
  });

  it('reads every real file, the same in each encoding', { skip: noWorkbooks }, async () => {
    for (const name of [...realFiles('.csv'), ...realFiles('.tsv')]) {
      const cells = await read(realFile(name));
      const [group] = /^csv__phpspreadsheet__(?:encoding|premiere)(?=\.utf)/.exec(name) ?? [];
      if (group) assert.deepEqual(cells, await read(realFile(`${group}.utf8.csv`)), name);
    }
  });
});

describe('writing separated values', () => {
  const write = (rows: Parameters<typeof exported>[1]) => text(writeCsv(exported('S', rows)));

  it('gives each record as many fields as there are columns, and each row a record', async () => {
    assert.equal(await write([['a'], [], [undefined, true, 1.5]]), 'a,,\r\n,,\r\n,TRUE,1.5\r\n');
    assert.equal(await write([[1], [], [2]]), '1\r\n""\r\n2\r\n');
    assert.equal(await write([]), '');
  });

  it('ends each record with its last value where filling up would make most of the file', async () => {
    const far = [...new Array<undefined>(16_383), 'last'];
    const rows = [['a'], far, ...new Array<[]>(1_048_573).fill([]), ['b', 'c']];
    const csv = await write(rows);
    assert.equal(csv, `a\r\n${','.repeat(16_383)}last\r\n${'""\r\n'.repeat(1_048_573)}b,c\r\n`);
    assert.deepEqual(await read(csv), {
      'Sheet1!A1': 'a',
      'Sheet1!XFD2': 'last',
      'Sheet1!A1048576': 'b',
      'Sheet1!B1048576': 'c',
    });
  });

  it('is read again with the same separator, whatever the first values hold', async () => {
    for (const value of ['a;b', 'a\tb', ';', '\t\t']) {
      assert.deepEqual(await read(await write([[value], ['x,y']])), {
        'Sheet1!A1': value,
        'Sheet1!A2': 'x,y',
      });
    }
  });

  it('quotes what needs it, and changes nothing', async () => {
    assert.equal(
      await write([['a,b', 'say "x"', 'two\nlines', '-1+1', '\ufeffm']]),
      '"a,b","say ""x""","two\nlines",-1+1,"\ufeffm"\r\n',
    );
  });

  it('is read again as the same, but for texts that read like a number or a boolean', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }).map((content) => `t${content}`),
      fc.constantFrom('"', ',', '\r\n', ';', '\t', ' ', 'a\rb'),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.boolean(),
    );
    const rows = fc.array(fc.array(fc.option(cell, { nil: undefined }), { maxLength: 5 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        // The first line decides about the separator, so it has more commas than anything else.
        const sheet = [['h', 'h', 'h', 'h', 'h', 'h'], ...given];
        const wanted = await cellsOf(Buffer.from(await write(sheet)));
        const expected = sheet.flatMap((row, r) =>
          row.flatMap((input, c) => (input === undefined ? [] : [[`Sheet1!${'ABCDEF'[c]}${r + 1}`, input]])),
        );
        assert.deepEqual(wanted, Object.fromEntries(expected));
      }),
      { numRuns: 200 },
    );
  });
});

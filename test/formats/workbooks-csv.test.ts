import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RecordScanner } from '../../src/formats/workbooks/csv/records.ts';
import { writeCsv } from '../../src/formats/workbooks/csv/write.ts';
import { cellsOf, exported, noWorkbooks, realFile, realFiles } from './workbook-files.ts';

function read(csv: string | Buffer) {
  return cellsOf(Buffer.from(csv));
}

function utf16(csv: string, mark: Buffer): Buffer {
  const bytes = Buffer.from(csv, 'utf16le');
  return Buffer.concat([mark, mark[0] === 0xfe ? bytes.swap16() : bytes]);
}

describe('reading separated values', () => {
  it('takes TRUE and FALSE for booleans and what is written exactly as a number for one', async () => {
    const fields = ['TRUE', 'FALSE', '1', '-2.50', '1e3', '0', '-0', '0.1', '12345678901234567890123e-3'];
    const cells = Object.values(await read(fields.join(',')));
    assert.deepEqual(cells, [true, false, 1, -2.5, 1000, 0, 0, 0.1, '12345678901234567890123e-3']);
  });

  it('leaves everything else text', async () => {
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
      '4111111111111111111',
      '$5',
    ];
    assert.deepEqual(Object.values(await read(fields.join(','))), fields);
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

  it('reads UTF-8, and UTF-16 by its mark', async () => {
    const csv = 'Größe,日本\n1,2\n';
    const wanted = { 'Sheet1!A1': 'Größe', 'Sheet1!B1': '日本', 'Sheet1!A2': 1, 'Sheet1!B2': 2 };
    assert.deepEqual(await read(csv), wanted);
    assert.deepEqual(await read(`\ufeff${csv}`), wanted);
    assert.deepEqual(await read(utf16(csv, Buffer.from([0xff, 0xfe]))), wanted);
    assert.deepEqual(await read(utf16(csv, Buffer.from([0xfe, 0xff]))), wanted);
  });

  it('refuses what is no such text, and says why', async () => {
    await assert.rejects(read(Buffer.from([0x61, 0xff, 0x62])), /nor text in UTF-8/);
    await assert.rejects(read(Buffer.from('a,b', 'utf16le')), /neither an \.xlsx workbook nor text/);
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

  it('reads or refuses every real file', { skip: noWorkbooks }, async () => {
    const outcomes = { read: 0, refused: [] as string[] };
    for (const name of [...realFiles('.csv'), ...realFiles('.tsv')]) {
      try {
        await read(realFile(name));
        outcomes.read++;
      } catch (error) {
        assert.equal((error as Error).name, 'UnreadableWorkbook', `${name}: ${error}`);
        outcomes.refused.push(name);
      }
    }
    assert.ok(
      outcomes.refused.every((name) => /utf(?:16|32)|encoding|premiere|iso|gbk|win/i.test(name)),
      String(outcomes.refused),
    );
    assert.ok(outcomes.read >= 25, JSON.stringify(outcomes));
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

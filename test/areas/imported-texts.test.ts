/** What texts are taken for when they fill a spreadsheet or a document, and what the answer says of it, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encode } from 'iconv-lite';
import { forEachEngine } from '../engines.ts';
import { workbookFixture } from '../formats/workbook-files.ts';
import { startApp, type TestApp } from '../harness.ts';
import { data } from './accounts.ts';
import { readContent } from './documents-world.ts';
import { type Person, putFile, theOwner } from './files-world.ts';
import { read } from './spreadsheets-world.ts';

const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be', 'windows-1252'];
const TEXT = 'Größe;Preis\r\nfünf €;12.50\r\n';

forEachEngine((engine) => {
  describe('texts that are imported', () => {
    let app: TestApp;
    let owner: Person;

    before(async () => {
      app = await startApp(engine);
      owner = await theOwner(app);
    });
    after(() => app.stop());

    const create = async (type: 'document' | 'spreadsheet', filename: string, bytes: Uint8Array) => {
      const { id } = await putFile(app, owner, { filename, bytes });
      return app.post('/v1/documents', { type, title: 'From a file', source_file_id: id });
    };
    const imported = async (type: 'document' | 'spreadsheet', bytes: Uint8Array) =>
      data(await create(type, type === 'document' ? 'a.md' : 'a.csv', bytes), 201);
    const csv = async (id: string) => (await app.get(`/v1/spreadsheets/${id}/export?format=csv`)).text;

    for (const encoding of ENCODINGS) {
      test(`a .csv in ${encoding} is read, and the answer says so (DOC-14, SHEET-50)`, async () => {
        const made = await imported('spreadsheet', encode(TEXT, encoding));
        assert.deepEqual(made.import, { format: 'csv', encoding, separator: ';' });
        assert.deepEqual(await read(app, made.id, 'A1:B2', 'value'), [
          ['Größe', 'Preis'],
          ['fünf €', 12.5],
        ]);
      });

      test(`Markdown in ${encoding} is read, and the answer says so (DOC-13, DOC-14)`, async () => {
        const made = await imported('document', encode(TEXT, encoding));
        assert.deepEqual(made.import, { format: 'text', encoding });
        assert.equal((await readContent(app, owner, made.id)).text, TEXT.replaceAll('\r', ''));
      });
    }

    test('files of other programs in UTF-16 and UTF-32 are read, with a mark and without (SHEET-50)', async () => {
      const files = {
        'encoding.utf16le': ['utf-16le', 'Å'],
        'encoding.utf32be': ['utf-32be', 'Å'],
        'premiere.utf16be': ['utf-16be', 'première'],
        'premiere.utf32lebom': ['utf-32le', 'première'],
      };
      for (const [name, [encoding, first]] of Object.entries(files)) {
        const made = await imported('spreadsheet', workbookFixture(`csv__phpspreadsheet__${name}.csv`));
        assert.deepEqual(made.import, { format: 'csv', encoding, separator: ',' }, name);
        assert.deepEqual(await read(app, made.id, 'A1', 'value'), [[first]], name);
      }
    });

    test('only the answer to a creation tells of the import, and a repeat of the request answers the same (DOC-14)', async () => {
      const { id: fileId } = await putFile(app, owner, { filename: 'a.csv', bytes: Buffer.from('a,b') });
      const body = { type: 'spreadsheet', title: 'T', source_file_id: fileId };
      const options = { idempotencyKey: 'import-once' };
      const first = await app.post('/v1/documents', body, options);
      assert.equal((await app.post('/v1/documents', body, options)).text, first.text);
      const { import: taken, import_notes: notes, ...record } = data(first, 201);
      assert.deepEqual(notes, []);
      assert.deepEqual(taken, { format: 'csv', encoding: 'utf-8', separator: ',' });
      assert.deepEqual(data(await app.get(`/v1/documents/${record.id}`)), record);
      const empty = data(await app.post('/v1/documents', { type: 'spreadsheet', title: 'T' }), 201);
      assert.ok(!('import' in empty || 'import_notes' in empty));
    });

    test('a first line that declares the separator is heard, and is no row (DOC-14, SHEET-79)', async () => {
      const made = await imported('spreadsheet', Buffer.from('sep=|\r\na;b|c,d\r\n1|2\r\n'));
      assert.equal(made.import.separator, '|');
      assert.deepEqual(await read(app, made.id, 'A1:C3', 'value'), [
        ['a;b', 'c,d'],
        [1, 2],
      ]);
    });

    test('a number of a .csv stays as it was written, and so does a text (SHEET-49)', async () => {
      const fields = ['1E5', '-0', '1.0', '12.50', '007', '1e-7', '0.10', '-3', '2026-03-01', '1e3'];
      const { id } = await imported('spreadsheet', Buffer.from(`${fields.join(',')}\r\n`));
      assert.deepEqual(await read(app, id, 'A1:J1', 'value'), [
        ['1E5', '-0', 1, 12.5, '007', 1e-7, 0.1, -3, '2026-03-01', '1e3'],
      ]);
      assert.equal(await csv(id), `${fields.join(',')}\r\n`);
    });

    test('a file that is no text is refused (DOC-14)', async () => {
      const files = {
        'an image': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
        'numbers of two bytes': Buffer.from(Uint16Array.from({ length: 600 }, (_, i) => i + 1).buffer),
        'numbers of four bytes': Buffer.from(Uint32Array.from({ length: 600 }, (_, i) => i * 999).buffer),
        'bytes that no encoding has': Buffer.from([0x61, 0x81, 0x62]),
      };
      for (const [name, bytes] of Object.entries(files)) {
        for (const [type, filename] of [
          ['spreadsheet', 'a.csv'],
          ['document', 'a.md'],
        ] as const) {
          const refused = await create(type, filename, bytes);
          assert.deepEqual([refused.status, refused.json.error.code], [422, 'unreadable_file'], name);
        }
      }
    });
  });
});

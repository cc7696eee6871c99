/** Files, documents and workbooks that were made to cost more than their size. */
import { archive, workbookOf } from '../formats/workbook-files.ts';
import { type Doors, type HostileInput, idOf } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

async function uploaded({ request }: Doors, filename: string, body: Buffer): Promise<string> {
  const path = `/v1/files?filename=${encodeURIComponent(filename)}`;
  return idOf(await request('POST', path, { body, mediaType: 'application/octet-stream' }));
}

/** A file that becomes a document or a spreadsheet. */
const filling = (
  type: 'document' | 'spreadsheet',
  filename: string,
  name: string,
  make: () => string | Buffer | Promise<Buffer>,
): HostileInput => ({
  name: `${name} as ${filename}`,
  send: async (doors) => {
    const id = await uploaded(doors, filename, Buffer.from(await make()));
    const body = { type, title: 'Hostile', source_file_id: id };
    const made = await doors.request('POST', '/v1/documents', { body });
    if (made.status !== 201 || type !== 'spreadsheet') return;
    const sheet = idOf(made);
    await doors.request('GET', `/v1/spreadsheets/${sheet}/values/A1:C10?render=value`);
    await doors.request('GET', `/v1/spreadsheets/${sheet}`);
    await doors.request('GET', `/v1/spreadsheets/${sheet}/export?format=csv`);
  },
});

const csv = (name: string, make: () => string | Buffer) => filling('spreadsheet', 'a.csv', name, make);
const xlsx = (name: string, make: () => Promise<Buffer>) => filling('spreadsheet', 'a.xlsx', name, make);

const rows = (count: number, cells: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `<row r="${i + 1}">${cells(i)}</row>`).join('');

/** A document with this content, made a page. */
const markdown = (name: string, content: () => string): HostileInput => ({
  name: `Markdown of ${name}`,
  send: async ({ request, documentId }) => {
    const path = `/v1/documents/${documentId}`;
    await request('PUT', `${path}/content`, {
      body: content(),
      mediaType: 'text/markdown',
      headers: { 'if-match': '*' },
    });
    await request('GET', `${path}/export?format=html`);
  },
});

/** A file whose type is told by what is in it. */
const typed = (name: string, make: () => Buffer): HostileInput => ({
  name: `a file of ${name}`,
  send: async (doors) => {
    await uploaded(doors, 'a.bin', make());
  },
});

const INPUTS: readonly HostileInput[] = [
  csv('quotes', () => '"'.repeat(1_000_000)),
  csv('commas', () => ','.repeat(16_000)),
  csv('more commas than columns', () => ','.repeat(1_000_000)),
  csv('line ends', () => '\n'.repeat(1_000_000)),
  csv('returns', () => '\r'.repeat(1_000_000)),
  csv('separators of each kind', () => ',;\t|'.repeat(200_000)),
  csv('quotes within words', () => 'a"b",'.repeat(150_000)),
  csv('digits', () => '9'.repeat(1_000_000)),
  csv('many numbers', () => '1,2,3\n'.repeat(150_000)),
  csv('words that are nearly dates', () => '2026-99-99T,\n'.repeat(70_000)),
  csv('UTF-16 without a mark', () => Buffer.from('a,1\n'.repeat(100_000), 'utf16le')),
  csv('formulas that were not meant', () => '=1+,\n'.repeat(100_000)),
  filling('document', 'a.txt', 'returns', () => '\r'.repeat(1_000_000)),
  xlsx('rows of formulas that lean on the one before', () =>
    workbookOf(rows(20_000, (i) => `<c r="A${i + 1}"><f>${i === 0 ? '1' : `A${i}+1`}</f></c>`)),
  ),
  xlsx('a formula that refers to itself', () =>
    workbookOf(rows(3_000, () => '<c><f>SUM(A1:XFD1048576)</f></c>')),
  ),
  xlsx('cells in columns that are none', () =>
    workbookOf(rows(10_000, () => `<c r="${'A'.repeat(60)}1"><v>1</v></c>`)),
  ),
  xlsx('100,000 small parts', async () =>
    archive(Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`xl/p${i}.xml`, '']))),
  ),
  xlsx('formulas of nested brackets', () =>
    workbookOf(rows(50, () => `<c><f>${'('.repeat(8_000)}1${')'.repeat(8_000)}</f></c>`)),
  ),
  markdown(
    'links that all name one long address',
    () => `[x]: http://a/${'b'.repeat(50_000)}\n\n${'[x] '.repeat(15_000)}`,
  ),
  markdown('stars', () => '*a '.repeat(330_000)),
  markdown('brackets', () => '['.repeat(1_000_000)),
  markdown('brackets and parentheses', () => '[a](<b'.repeat(160_000)),
  markdown('quotes in quotes', () => '> '.repeat(500_000)),
  markdown('lists in lists', () => Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}- a`).join('\n')),
  markdown('backquotes', () => Array.from({ length: 1_300 }, (_, i) => '`'.repeat(i)).join(' ')),
  markdown('entities', () => '&#1114111;'.repeat(100_000)),
  markdown('a table of many columns', () => `${'|a'.repeat(50_000)}|\n${'|-'.repeat(50_000)}|\n`),
  markdown(
    'a table of many rows',
    () => `|${'a|'.repeat(128)}\n|${'-|'.repeat(128)}\n${'x\n'.repeat(300_000)}`,
  ),
  markdown('references', () => Array.from({ length: 40_000 }, (_, i) => `[${i}]: <a>\n\n[${i}]`).join('\n')),
  markdown('links that never end', () => `<http://${'a'.repeat(900_000)}`),
  markdown('tags that never end', () => '<a '.repeat(300_000)),
  markdown('strikes and underscores', () => '~~_~~__'.repeat(140_000)),
  typed('angle brackets', () => Buffer.alloc(1_000_000, '<')),
  typed('blanks', () => Buffer.alloc(1_000_000, ' ')),
  typed('zeros', () => Buffer.alloc(1_000_000)),
  typed('letters', () => Buffer.alloc(1_000_000, 'a')),
  typed('colons', () => Buffer.alloc(1_000_000, 'a: ')),
  typed('starts of messages', () => Buffer.alloc(1_000_000, 'From a@b Mon Jan  1 00:00:00 2026\n')),
  typed('archives', () => Buffer.alloc(1_000_000, 'PK\x03\x04')),
  typed('braces', () => Buffer.alloc(1_000_000, '{"a":[')),
];

testTurns('files', INPUTS);

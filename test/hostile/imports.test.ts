import { encode } from 'iconv-lite';
import { stylesOf, workbookOf } from '../formats/workbook-files.ts';
import type { Doors, HostileInput } from './hostile-input.ts';
import { testTurns } from './test-turns.ts';

/** Uploads a file, and fills a document or a spreadsheet with it; answers the id of what was made, if it was. */
async function fill(
  { request }: Doors,
  type: 'document' | 'spreadsheet',
  bytes: Buffer,
): Promise<string | undefined> {
  const mediaType = 'application/octet-stream';
  const uploaded = await request('POST', '/v1/files?filename=a.csv', { body: bytes, mediaType });
  const file = uploaded.json?.data as { id: string } | undefined;
  if (!file) throw new Error(`the upload was answered ${uploaded.status}`);
  const body = { type, title: 'hostile', source_file_id: file.id };
  const made = await request('POST', '/v1/documents', { body });
  return (made.json?.data as { id: string } | undefined)?.id;
}

const MIB = 1024 * 1024;
const bytes = (pattern: string) => Buffer.alloc(MIB, Buffer.from(pattern, 'latin1'));

const TEXTS: Readonly<Record<string, Buffer>> = {
  'in UTF-32': encode('\u{1f600}'.repeat(MIB / 4), 'utf-32le'),
  'in UTF-16 without a mark': Buffer.from(',x\n'.repeat(MIB / 6), 'utf16le'),
  'in Windows-1252': bytes('\xe9,\x80"'),
  'that is no UTF-8 at its end only': Buffer.concat([bytes('a'), Buffer.from([0xff])]),
  'that is no text at its end only': Buffer.concat([bytes('\xe9'), Buffer.from([0x81])]),
  'of zero bytes': Buffer.alloc(MIB),
  'whose first line declares a separator again and again': bytes('sep='),
  'of decimals with thirty places': bytes('0.100000000000000000000000000000,'),
};

const LONGEST_FORMAT = `0.${'0'.repeat(250)}`;

/** Workbooks of which each cell has the style of that format. */
const WORKBOOKS: Readonly<Record<string, () => Promise<Buffer>>> = {
  'of rows as wide as there are, in the longest format': () =>
    workbookOf(`<row>${'<c s="1"><v>1.5</v></c>'.repeat(16_384)}</row>`.repeat(5), stylesOf(LONGEST_FORMAT)),
  'of wide rows of empty cells that have a format': () =>
    workbookOf(`<row>${'<c s="1"/>'.repeat(16_384)}</row>`.repeat(50), stylesOf('0.00')),
  'whose cells share one text of control characters': () =>
    workbookOf(`<row>${'<c t="s"><v>0</v></c>'.repeat(16)}</row>`.repeat(512), {
      'xl/sharedStrings.xml': `<sst><si><t>${'_x0001_'.repeat(32_000)}</t></si></sst>`,
    }),
  'of few cells, which share one text of control characters': () =>
    workbookOf(`<row>${'<c t="s"><v>0</v></c>'.repeat(2)}</row>`.repeat(250), {
      'xl/sharedStrings.xml': `<sst><si><t>${'_x0001_'.repeat(32_000)}</t></si></sst>`,
    }),
  'whose cells have thousands of formats': () =>
    workbookOf(
      `<row>${Array.from({ length: 9_000 }, (_, i) => `<c s="${i + 1}"><v>1.5</v></c>`).join('')}</row>`.repeat(
        5,
      ),
      stylesOf(...Array.from({ length: 9_000 }, (_, i) => `0.0"${'y'.repeat(240)}${i}"`)),
    ),
};

async function exportBoth(doors: Doors, id: string | undefined): Promise<void> {
  for (const format of ['xlsx', 'csv']) {
    if (id) await doors.request('GET', `/v1/spreadsheets/${id}/export?format=${format}`);
  }
}

/** Files that were made to hold up whoever reads them. */
const INPUTS: readonly HostileInput[] = [
  ...Object.entries(TEXTS).flatMap(([name, text]) => [
    {
      name: `a document of a text ${name}`,
      send: async (doors: Doors) => void (await fill(doors, 'document', text)),
    },
    {
      name: `a spreadsheet of a text ${name}, and its exports`,
      send: async (doors: Doors) => exportBoth(doors, await fill(doors, 'spreadsheet', text)),
    },
  ]),
  ...Object.entries(WORKBOOKS).map(([name, make]) => ({
    name: `a workbook ${name}, and its exports`,
    send: async (doors: Doors) => exportBoth(doors, await fill(doors, 'spreadsheet', await make())),
  })),
];

testTurns('imports', INPUTS);

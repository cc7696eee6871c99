import { encode } from 'iconv-lite';
import type { Doors, HostileInput } from './hostile-input.ts';

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

/** Files that were made to hold up whoever reads them. */
export const hostileInputs: readonly HostileInput[] = Object.entries(TEXTS).flatMap(([name, text]) => [
  { name: `a document of a text ${name}`, send: async (doors) => void (await fill(doors, 'document', text)) },
  {
    name: `a spreadsheet of a text ${name}, and its export`,
    send: async (doors) => {
      const id = await fill(doors, 'spreadsheet', text);
      if (id) await doors.request('GET', `/v1/spreadsheets/${id}/export?format=csv`);
    },
  },
]);

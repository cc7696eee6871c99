import { readCsv } from './csv/read.ts';
import { UnreadableWorkbook, type WorkbookContent } from './workbook.ts';

/** What the old format of Excel, and every workbook with a password, begins with (MS-CFB, 2.2). */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ARCHIVE = Buffer.from('PK');

/** A workbook of the bytes of an .xlsx or .csv file, which say which of the two they are. What reads the first knows every function, and is loaded when it is needed. */
export async function readWorkbook(bytes: Uint8Array): Promise<WorkbookContent> {
  if (startsWith(bytes, ARCHIVE)) return (await import('./xlsx/read.ts')).readXlsx(bytes);
  if (!startsWith(bytes, COMPOUND_FILE)) return readCsv(bytes);
  throw new UnreadableWorkbook('it is an .xls workbook, or has a password; save it as .xlsx without one');
}

function startsWith(bytes: Uint8Array, signature: Uint8Array): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}

import type { Readable } from 'node:stream';
import { ApiError } from '../../api/errors.ts';
import { MAX_FILE_SIZE } from '../../formats/workbooks/limits.ts';
import { openWorkbook } from '../../formats/workbooks/reading.ts';
import { measureFor } from '../../formats/workbooks/reading-thread.ts';
import {
  type SheetProperties,
  UnreadableWorkbook,
  type WorkbookContent,
} from '../../formats/workbooks/workbook.ts';
import type { Database } from '../../storage/database.ts';
import { type NewSheets, type SheetContents, stageSheets } from './filling.ts';

/** An uploaded file that is to fill a spreadsheet. */
export interface SourceFile {
  /** Bytes. */
  readonly size: number;
  open(): Promise<Readable>;
}

/** Reads a file beside the event loop, and stores its cells as they come. Rejects with ApiError unreadable_file. */
export async function importSheets(
  database: Database,
  workspaceId: string,
  source: SourceFile,
): Promise<NewSheets> {
  try {
    return await stage(database, workspaceId, source);
  } catch (cause) {
    if (!(cause instanceof UnreadableWorkbook)) throw cause;
    const message = `The source file does not fill it: ${cause.message}.`;
    throw new ApiError('unreadable_file', message, { reason: cause.message }, { cause });
  }
}

async function stage(database: Database, workspaceId: string, source: SourceFile): Promise<NewSheets> {
  if (source.size > MAX_FILE_SIZE) {
    throw new UnreadableWorkbook(`it has more than ${MAX_FILE_SIZE} bytes`);
  }
  const workbook = await openWorkbook(() => bytesOf(source), measureFor(source.size));
  try {
    return await stageSheets(database, workspaceId, sheetsOf(workbook));
  } finally {
    await workbook.close();
  }
}

async function bytesOf({ size, open }: SourceFile): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of await open()) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The portions of all sheets, which come one sheet after the other, sheet by sheet; a sheet may have none. */
async function* sheetsOf({ sheets, portions }: WorkbookContent): AsyncGenerator<SheetContents> {
  const reading = portions[Symbol.asyncIterator]();
  let next = await reading.next();
  let properties: SheetProperties = {};
  async function* cellsOf(sheet: number) {
    properties = {};
    for (; !next.done && next.value.sheet === sheet; next = await reading.next()) {
      yield next.value.cells;
      properties = next.value.properties ?? properties;
    }
  }
  for (const [sheet, name] of sheets.entries()) {
    yield { name, cells: cellsOf(sheet), properties: () => properties };
  }
}

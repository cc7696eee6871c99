import type { Readable } from 'node:stream';
import { ApiError } from '../../../contract/errors.ts';
import { openWorkbook, readingLimitsFor } from '../../../formats/workbooks/reading.ts';
import {
  MAX_FILE_SIZE,
  type ReadResult,
  type SheetPortion,
  type SheetProperties,
  UnreadableWorkbook,
  type WorkbookContent,
} from '../../../formats/workbooks/workbook.ts';
import type { Database } from '../../../storage/database.ts';
import { FullBlock } from '../cells/block-edits.ts';
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
    if (!(cause instanceof UnreadableWorkbook || cause instanceof FullBlock)) throw cause;
    const message = `The source file does not fill it: ${cause.message}.`;
    throw new ApiError('unreadable_file', message, { reason: cause.message }, { cause });
  }
}

async function stage(database: Database, workspaceId: string, source: SourceFile): Promise<NewSheets> {
  if (source.size > MAX_FILE_SIZE) {
    throw new UnreadableWorkbook(`it has more than ${MAX_FILE_SIZE} bytes`);
  }
  const workbook = await openWorkbook(() => bytesOf(source), readingLimitsFor(source.size));
  try {
    const reading = new SheetsInTurn(workbook);
    const staged = await stageSheets(database, workspaceId, reading.sheets());
    return { ...staged, imported: await reading.outcome() };
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

/** The portions of a workbook, which come one sheet after the other, sheet by sheet; a sheet may have none. */
class SheetsInTurn {
  readonly #names: readonly string[];
  readonly #portions: WorkbookContent['portions'];
  #next: Promise<IteratorResult<SheetPortion, ReadResult>> | undefined;
  /** Of the sheet that is read. */
  #properties: SheetProperties = {};

  constructor({ sheets, portions }: WorkbookContent) {
    this.#names = sheets;
    this.#portions = portions;
  }

  async *sheets(): AsyncGenerator<SheetContents> {
    for (const [sheet, name] of this.#names.entries()) {
      this.#properties = {};
      yield { name, cells: this.#cellsOf(sheet), properties: () => this.#properties };
    }
  }

  /** What became of the file, once all its sheets were read. */
  async outcome(): Promise<ReadResult> {
    const { done, value } = await this.#present();
    if (!done) throw new TypeError('the sheets of the workbook have not been read to their end');
    return value;
  }

  async *#cellsOf(sheet: number): AsyncGenerator<SheetPortion['cells']> {
    for (;;) {
      const { done, value } = await this.#present();
      if (done || value.sheet !== sheet) return;
      this.#next = undefined;
      this.#properties = value.properties ?? this.#properties;
      yield value.cells;
    }
  }

  /** The portion that nobody has taken yet. */
  #present(): Promise<IteratorResult<SheetPortion, ReadResult>> {
    this.#next ??= this.#portions.next();
    return this.#next;
  }
}

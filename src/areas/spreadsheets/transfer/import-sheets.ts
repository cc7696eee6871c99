import type { Readable } from 'node:stream';
import { ApiError } from '../../../contract/errors.ts';
import type { ImportNote } from '../../../formats/workbooks/import-notes.ts';
import type { ImportedName } from '../../../formats/workbooks/looks.ts';
import { openWorkbook, readingLimitsFor } from '../../../formats/workbooks/open-workbook.ts';
import {
  MAX_FILE_SIZE,
  type ReadProperties,
  type ReadResult,
  type SheetPortion,
  UnreadableWorkbook,
  type WorkbookContent,
} from '../../../formats/workbooks/workbook.ts';
import type { Database } from '../../../storage/database.ts';
import { FullBlock } from '../cells/block-edits.ts';
import { insertImportNotes } from '../looks/import-notes-store.ts';
import { putNames } from '../looks/names-store.ts';
import { followSteps, type Step } from '../structure/references.ts';
import { type NewSheets, type SheetContents, stageSheets } from './stage-sheets.ts';

/** An uploaded file to be imported. */
export interface SourceFile {
  /** Bytes. */
  readonly size: number;
  open(): Promise<Readable>;
}

/** Parses a file in a worker thread and stores the cells as they arrive. Rejects with ApiError unreadable_file. */
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
    const reading = new SheetSequence(workbook);
    const staged = await stageSheets(database, workspaceId, reading.sheets());
    const { read, notes, names } = await reading.outcome();
    const renamed = new RenamedSheets(workbook.sheets, staged.names);
    const kept = names.map((name) => renamed.name(name));
    const importNotes = notes.map((note) => renamed.note(note));
    return {
      discard: staged.discard,
      imported: read,
      importNotes,
      async onCreated(tx, created) {
        await staged.onCreated(tx, created);
        if (kept.length > 0) await putNames(tx, created, kept);
        if (importNotes.length > 0) await insertImportNotes(tx, created, importNotes);
      },
    };
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

/** Groups the portions of a workbook, which arrive one sheet after the other, by sheet. A sheet may have no portion. */
class SheetSequence {
  readonly #names: readonly string[];
  readonly #portions: WorkbookContent['portions'];
  #next: Promise<IteratorResult<SheetPortion, ReadResult>> | undefined;
  /** Properties of the current sheet. */
  #properties: ReadProperties = {};

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

  /** Result of reading the file, after all sheets have been read. */
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

  /** The next portion, without consuming it. */
  #present(): Promise<IteratorResult<SheetPortion, ReadResult>> {
    this.#next ??= this.#portions.next();
    return this.#next;
  }
}

/** The new names of the sheets of a file whose own names a spreadsheet cannot have. */
class RenamedSheets {
  readonly #names: ReadonlyMap<string, string>;
  /** The last one first: a new name may be the own name of a later sheet, which then has another. */
  readonly #steps: readonly Step[];

  /** Both lists have the same order. */
  constructor(inFile: readonly string[], inSpreadsheet: readonly string[]) {
    const renamed = inFile.flatMap((name, i) => {
      const now = inSpreadsheet[i];
      return now === undefined || now === name ? [] : [[name, now] as const];
    });
    this.#names = new Map(renamed);
    this.#steps = renamed
      .toReversed()
      .map(([name, now]) => ({ kind: 'rename', sheet: { id: '', name }, name: now }));
  }

  name(kept: ImportedName): ImportedName {
    if (this.#steps.length === 0) return kept;
    const { sheet } = kept;
    const formula = followSteps(`=${kept.formula}`, '', this.#steps).slice(1);
    return sheet === undefined ? { ...kept, formula } : { ...kept, sheet: this.#nameOf(sheet), formula };
  }

  note(note: ImportNote): ImportNote {
    const { sheet } = note;
    return sheet === undefined ? note : { ...note, sheet: this.#nameOf(sheet) };
  }

  #nameOf(sheet: string): string {
    return this.#names.get(sheet) ?? sheet;
  }
}

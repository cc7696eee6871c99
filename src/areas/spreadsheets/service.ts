import type { Database } from '../../storage/database.ts';
import { emptySheets, type NewSheets, type SheetContents, stageSheets } from './filling.ts';
import type { SheetSnapshot, SnapshotCell, SpreadsheetSnapshot } from './snapshot.ts';

export type { NewSheets, SheetContents, SheetSnapshot, SnapshotCell, SpreadsheetSnapshot };

/** The rules of spreadsheets and their cells. Every method with a transaction acts within the caller's. */
export class SpreadsheetsService {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /** What a new spreadsheet holds where nothing else is said: one empty sheet. */
  emptySheets(): NewSheets {
    return emptySheets();
  }

  /**
   * Stores what a new spreadsheet is to hold, outside of any transaction and in bounded memory. Rejects as the contents
   * do; then nothing of them is kept.
   */
  stageSheets(workspaceId: string, contents: AsyncIterable<SheetContents>): Promise<NewSheets> {
    return stageSheets(this.#database, workspaceId, contents);
  }
}

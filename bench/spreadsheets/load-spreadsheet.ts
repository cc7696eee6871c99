import { stageSheets } from '../../src/areas/spreadsheets/transfer/stage-sheets.ts';
import { mailboxDirectory } from '../mail/mailboxes.ts';

const COLUMNS = 20;

/** A data directory whose owner has one spreadsheet of so many cells, in 20 columns. */
export function loadedSpreadsheet(cells: number): Promise<string> {
  return mailboxDirectory(`spreadsheet-${cells}`, async ({ database, documents }, owner) => {
    const contents = await stageSheets(database, owner.workspaceId, sheetOf(cells));
    const given = { type: 'spreadsheet', title: 'Measured' } as const;
    await database.write((tx) => documents.create(tx, owner, given, contents));
  });
}

async function* sheetOf(cells: number) {
  yield { name: 'Sheet1', cells: rowsOf(cells / COLUMNS), properties: () => ({}) };
}

async function* rowsOf(rows: number) {
  for (let row = 0; row < rows; row++) {
    yield Array.from({ length: COLUMNS }, (_, column) => ({
      row,
      column,
      input: column % 4 === 0 ? `Text ${row}` : row * column,
    }));
  }
}

import { stageSheets } from '../../src/areas/spreadsheets/transfer/stage-sheets.ts';
import { mailboxDirectory } from '../mail/mailboxes.ts';

const COLUMNS = 20;

/**
 * A data directory whose owner has two spreadsheets: "Small", of one cell, and "Formulas", of so many cells that all
 * depend on its first one.
 */
export function loadedFormulas(cells: number): Promise<string> {
  return mailboxDirectory(`formulas-${cells}`, async ({ database, documents }, owner) => {
    const sheets = { Formulas: cellsOf(cells), Small: [[{ row: 0, column: 0, input: 1 }]] };
    for (const [title, rows] of Object.entries(sheets)) {
      const contents = await stageSheets(database, owner.workspaceId, sheetOf(rows));
      const given = { type: 'spreadsheet', title } as const;
      await database.write((tx) => documents.create(tx, owner, given, contents));
    }
  });
}

type Row = { row: number; column: number; input: string | number }[];

async function* sheetOf(rows: Iterable<Row>) {
  yield { name: 'Sheet1', cells: inTurn(rows), properties: () => ({}) };
}

async function* inTurn(rows: Iterable<Row>) {
  yield* rows;
}

function* cellsOf(cells: number): Generator<Row> {
  for (let row = 0; row < cells / COLUMNS; row++) {
    yield Array.from({ length: COLUMNS }, (_, column) => ({
      row,
      column,
      input: row + column === 0 ? 1 : '=$A$1*ROW()+COLUMN()',
    }));
  }
}

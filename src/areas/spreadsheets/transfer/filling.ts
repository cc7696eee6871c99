import type { HiddenRows, ReadResult } from '../../../formats/workbooks/workbook.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import type { CellValue } from '../cells/block.ts';
import { editCells } from '../cells/cell-editing.ts';
import { hideRows } from '../cells/hidden-rows.ts';
import { putOrphanedSheets, removeOrphanedSheets } from '../workbook/orphaned-sheets.ts';
import { newRevision } from '../workbook/saving.ts';
import {
  FIRST_SHEET_NAME,
  isSameSheetName,
  newSheet,
  type Sheet,
  type SpreadsheetKey,
  sheetNameProblem,
} from '../workbook/workbook.ts';
import { insertWorkbook } from '../workbook/workbook-store.ts';
import { type FormattedCell, formatCells } from '../writing/formatting.ts';

/** A cell that is to be filled, to be formatted, or both. */
export interface FilledCell {
  readonly row: number;
  readonly column: number;
  readonly input: CellValue | undefined;
  /** The code of its number format; none is General. */
  readonly format?: string;
}

/** A sheet as the reader of a workbook finds it: its cells in portions of any size, best in the order of rows. */
export interface SheetContents {
  /** Where it cannot be the name of a sheet, or is taken, another one is given. */
  readonly name: string;
  /** Within the limits of a sheet and of a cell. */
  readonly cells: AsyncIterable<readonly FilledCell[]>;
  /** Asked for when all its cells have been read. */
  properties(): { readonly hidden?: Sheet['hidden']; readonly hiddenRows?: HiddenRows | undefined };
}

/** What a new spreadsheet is to hold. */
export interface NewSheets {
  /** Makes it that of a node that has just been created. */
  onCreated(tx: WriteTransaction, created: SpreadsheetKey): Promise<void>;
  /** Gives back what it holds when no transaction has taken it over. */
  discard(): Promise<void>;
  /** How the file that fills it was read, where there is one. */
  readonly imported?: ReadResult;
}

/** What a new spreadsheet holds where nothing else is said. */
export function emptySheets(): NewSheets {
  return {
    onCreated: (tx, created) => createWorkbook(tx, created, [newSheet(FIRST_SHEET_NAME)]),
    discard: async () => undefined,
  };
}

/** Cells a transaction: others write in between. */
const PORTION = 5_000;
const PORTION_CHARACTERS = 2_000_000;
/** Formats that are stored together: in a wide sheet, more rows at a time change each block fewer times. */
const FORMATS_AT_ONCE = 8_192;
/** Sheets that nobody took over for so long are removed. */
const STAGED_MS = 3_600_000;

/**
 * Stores sheets that no spreadsheet has yet, portion by portion, each in a transaction of its own, so that a million
 * cells hold up nobody; taking them over is one small write. What is never taken over is swept.
 */
export async function stageSheets(
  database: Database,
  workspaceId: string,
  contents: AsyncIterable<SheetContents>,
): Promise<NewSheets> {
  const staged: Sheet[] = [];
  const discard = () => giveUp(database, workspaceId, staged);
  try {
    for await (const { name, cells, properties } of contents) {
      const empty = newSheet(freeName(name, staged));
      const place = staged.push(empty) - 1;
      let filled = await stageCells(database, workspaceId, empty, cells);
      const { hidden, hiddenRows } = properties();
      if (hiddenRows) {
        filled = await stage(database, workspaceId, filled, (tx, sheet) =>
          hideRows(tx, workspaceId, sheet, hiddenRows),
        );
      }
      staged[place] = hidden ? { ...filled, hidden } : filled;
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return { onCreated: (tx, created) => takeOver(tx, created, staged), discard };
}

async function stageCells(
  database: Database,
  workspaceId: string,
  sheet: Sheet,
  cells: SheetContents['cells'],
): Promise<Sheet> {
  let staged = sheet;
  let formatted: FormattedCell[] = [];
  for await (const portion of portionsOf(cells)) {
    formatted.push(...portion.filter(hasFormat));
    const due = formatted.length >= FORMATS_AT_ONCE ? formatted : [];
    staged = await stage(database, workspaceId, staged, async (tx, before) => {
      const filled = portion.filter(({ input }) => input !== undefined);
      const { sheet: edited } = await editCells(tx, workspaceId, before, [filled]);
      return formatCells(tx, workspaceId, edited, due);
    });
    if (due.length > 0) formatted = [];
  }
  const last = formatted;
  return last.length > 0
    ? stage(database, workspaceId, staged, (tx, before) => formatCells(tx, workspaceId, before, last))
    : staged;
}

/** Stores something of a sheet; answers the sheet with it. */
type StagedChange = (tx: WriteTransaction, sheet: Sheet) => Promise<Sheet>;

async function stage(
  database: Database,
  workspaceId: string,
  sheet: Sheet,
  change: StagedChange,
): Promise<Sheet> {
  return database.write(async (tx) => {
    await putOrphanedSheets(tx, { workspaceId, sheet: sheet.id }, (await tx.now()) + STAGED_MS);
    return change(tx, sheet);
  });
}

function hasFormat(cell: FilledCell): cell is FilledCell & FormattedCell {
  return cell.format !== undefined;
}

async function takeOver(
  tx: WriteTransaction,
  created: SpreadsheetKey,
  sheets: readonly Sheet[],
): Promise<void> {
  const { workspaceId } = created;
  for (const { id, rows, formatted, hiddenRows } of sheets) {
    const isStored = rows > 0 || formatted !== undefined || hiddenRows !== undefined;
    const isThere = !isStored || (await removeOrphanedSheets(tx, { workspaceId, sheet: id }));
    if (!isThere) throw new Error(`What was staged of the spreadsheet ${created.id} has been swept`);
  }
  await createWorkbook(tx, created, sheets.length > 0 ? sheets : [newSheet(FIRST_SHEET_NAME)]);
}

async function giveUp(database: Database, workspaceId: string, sheets: readonly Sheet[]): Promise<void> {
  await database.write(async (tx) => {
    for (const { id } of sheets) await putOrphanedSheets(tx, { workspaceId, sheet: id }, 0);
  });
}

function createWorkbook(tx: WriteTransaction, key: SpreadsheetKey, sheets: readonly Sheet[]): Promise<void> {
  const { workspaceId, id } = key;
  return insertWorkbook(tx, {
    workspaceId,
    id,
    version: 1,
    followedSince: 1,
    revision: newRevision(),
    sheets,
  });
}

function freeName(wanted: string, sheets: readonly Sheet[]): string {
  const isFree = (name: string) => !sheets.some((other) => isSameSheetName(other.name, name));
  if (sheetNameProblem(wanted) === undefined && isFree(wanted)) return wanted;
  for (let number = sheets.length + 1; ; number++) if (isFree(`Sheet${number}`)) return `Sheet${number}`;
}

async function* portionsOf(cells: AsyncIterable<readonly FilledCell[]>): AsyncGenerator<FilledCell[]> {
  let portion: FilledCell[] = [];
  let characters = 0;
  for await (const some of cells) {
    for (const cell of some) {
      const { input, format } = cell;
      if (input === '' || (input === undefined && format === undefined)) continue;
      portion.push(cell);
      characters += typeof input === 'string' ? input.length : 8;
      if (portion.length < PORTION && characters < PORTION_CHARACTERS) continue;
      yield portion;
      [portion, characters] = [[], 0];
    }
  }
  if (portion.length > 0) yield portion;
}

import type { ImportNote } from '../../../formats/workbooks/import-notes.ts';
import type { HiddenRows, ReadFormat } from '../../../formats/workbooks/workbook.ts';
import type { Database, WriteTransaction } from '../../../storage/database.ts';
import type { CellValue } from '../cells/block.ts';
import { editCells } from '../cells/cell-editing.ts';
import { hideRows } from '../cells/hidden-rows.ts';
import { setLooks } from '../looks/looks.ts';
import { newRevision } from '../workbook/open-and-save.ts';
import { putOrphanedSheets, removeOrphanedSheets } from '../workbook/orphaned-sheets.ts';
import {
  FIRST_SHEET_NAME,
  isSameSheetName,
  newSheet,
  type Sheet,
  type SpreadsheetKey,
  sheetNameProblem,
} from '../workbook/workbook.ts';
import { insertWorkbook } from '../workbook/workbook-store.ts';
import { type FormattedCell, formatCells } from '../writing/format-cells.ts';

/** Content, number format or both for a cell. */
export interface FilledCell {
  readonly row: number;
  readonly column: number;
  readonly input: CellValue | undefined;
  /** The code of its number format; absent means General. */
  readonly format?: string;
}

/** A sheet of a workbook reader: its cells in portions of any size, preferably sorted by row. */
export interface SheetContents {
  /** If the name is not allowed or already taken, another name is used. */
  readonly name: string;
  /** Must respect the limits of a sheet and of a cell. */
  readonly cells: AsyncIterable<readonly FilledCell[]>;
  /** To be called after all cells have been read. */
  properties(): {
    readonly hidden?: Sheet['hidden'];
    readonly hiddenRows?: HiddenRows | undefined;
    /** Encoded, see formats/workbooks/looks.ts. */
    readonly looks?: string | undefined;
  };
}

/** The sheets of a new spreadsheet. */
export interface NewSheets {
  /** Assigns the sheets to a node that has just been created. */
  onCreated(tx: WriteTransaction, created: SpreadsheetKey): Promise<void>;
  /** Releases the sheets if no transaction has assigned them. */
  discard(): Promise<void>;
  /** How the imported file was read, if there is one, and what was left out of it. */
  readonly imported?: ReadFormat;
  readonly importNotes?: readonly ImportNote[];
}

/** The default sheets of a new spreadsheet. */
export function emptySheets(): NewSheets {
  return {
    onCreated: (tx, created) => createWorkbook(tx, created, [newSheet(FIRST_SHEET_NAME)]),
    discard: async () => undefined,
  };
}

/** Limits for one transaction, so that other writers can run in between. */
const PORTION = 5_000;
const PORTION_CHARACTERS = 2_000_000;
/** Formats that are stored together. In a wide sheet, more rows at a time rewrite each block fewer times. */
const FORMATS_AT_ONCE = 8_192;
/** Staged sheets that no spreadsheet has used after this time are removed. */
const STAGED_MS = 3_600_000;

/**
 * Stores sheets that do not belong to a spreadsheet yet, each portion in its own transaction, so that a million cells
 * do not block other writers. Assigning them to a spreadsheet is one small write. The sweep removes sheets that were
 * never assigned. If reading the contents fails, it rejects with that error and discards the sheets. `names` are those of
 * the staged sheets.
 */
export async function stageSheets(
  database: Database,
  workspaceId: string,
  contents: AsyncIterable<SheetContents>,
): Promise<NewSheets & { readonly names: readonly string[] }> {
  const staged: Sheet[] = [];
  const discard = () => giveUp(database, workspaceId, staged);
  try {
    for await (const { name, cells, properties } of contents) {
      const empty = newSheet(freeName(name, staged));
      const index = staged.push(empty) - 1;
      let filled = await stageCells(database, workspaceId, empty, cells);
      const { hidden, hiddenRows, looks } = properties();
      if (hiddenRows) {
        filled = await stage(database, workspaceId, filled, (tx, sheet) =>
          hideRows(tx, workspaceId, sheet, hiddenRows),
        );
      }
      if (looks !== undefined) {
        filled = await stage(database, workspaceId, filled, (tx, sheet) =>
          setLooks(tx, workspaceId, sheet, looks),
        );
      }
      staged[index] = hidden ? { ...filled, hidden } : filled;
    }
  } catch (error) {
    await discard();
    throw error;
  }
  const onCreated: NewSheets['onCreated'] = (tx, created) => takeOver(tx, created, staged);
  return { onCreated, discard, names: staged.map(({ name }) => name) };
}

async function stageCells(
  database: Database,
  workspaceId: string,
  sheet: Sheet,
  cells: SheetContents['cells'],
): Promise<Sheet> {
  let staged = sheet;
  let waiting: FormattedCell[] = [];
  for await (const portion of portionsOf(cells)) {
    waiting.push(...portion.filter(hasFormat));
    const due = waiting.length >= FORMATS_AT_ONCE ? waiting : [];
    staged = await stage(database, workspaceId, staged, async (tx, before) => {
      const filled = portion.filter(({ input }) => input !== undefined);
      const { sheet: edited } = await editCells(tx, workspaceId, before, [filled]);
      return formatted(tx, workspaceId, edited, due);
    });
    if (due.length > 0) waiting = [];
  }
  const last = waiting;
  return last.length > 0
    ? stage(database, workspaceId, staged, (tx, before) => formatted(tx, workspaceId, before, last))
    : staged;
}

async function formatted(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  cells: readonly FormattedCell[],
): Promise<Sheet> {
  return (await formatCells(tx, workspaceId, sheet, cells)).sheet;
}

/** Stores data of a sheet. Returns the changed sheet. */
type StagedChange = (tx: WriteTransaction, sheet: Sheet) => Promise<Sheet>;

async function stage(
  database: Database,
  workspaceId: string,
  sheet: Sheet,
  change: StagedChange,
): Promise<Sheet> {
  return database.write(async (tx) => {
    await tx.join(workspaceId);
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
  for (const { id, rows, formatted, hiddenRows, looks } of sheets) {
    const isStored = rows > 0 || [formatted, hiddenRows, looks].some((stored) => stored !== undefined);
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

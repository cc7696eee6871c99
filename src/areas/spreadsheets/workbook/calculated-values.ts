import { ApiError } from '../../../contract/errors.ts';
import {
  type Calculation,
  CalculationStopped,
  type CellInput,
  type ColumnSpan,
  type Extent,
  type MostShown,
  type SheetCells,
  type SheetHead,
  type ShownRun,
  TooMuchShown,
  WorkbookNotHeld,
} from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { COLUMNS, type Rectangle, ROWS } from '../cells/a1.ts';
import { BLOCK_COLUMNS, BLOCK_ROWS, cellPosition, decodeBlock, EMPTY_BLOCK } from '../cells/block.ts';
import { foundPortions } from '../cells/block-store.ts';
import { rangeTooLarge } from '../cells/grid.ts';
import { hiddenRowsOf } from '../cells/hidden-rows.ts';
import { cellNumbers, usedCells } from '../reading/used-cells.ts';
import { FOLLOWED_VERSIONS, listChangedBlocks, type SheetBlock } from './change-store.ts';
import type { Sheet, Workbook } from './workbook.ts';
import { StoppedWorkbooks, WorkbookAccess } from './workbook-access.ts';

/** Reads a window in portions, row by row. `most`: the maximum to read. */
export type ReadWindow = (window: Rectangle, most?: MostShown) => AsyncIterable<readonly ShownRun[]>;

const FIRST_CELL: Rectangle = { top: 0, left: 0, bottom: 0, right: 0 };

/** Values of formulas from the calculation, which is first refreshed to the version that a reader sees. */
export class CalculatedValues {
  readonly #calculation: Calculation;
  readonly #stopped = new StoppedWorkbooks();
  readonly access = new WorkbookAccess();

  constructor(calculation: Calculation) {
    this.#calculation = calculation;
  }

  /** Whether earlier calculations of a workbook took long: it is then read as a long calculation. */
  takesLong(id: string): boolean {
    return this.#calculation.takesLong(id);
  }

  /** Whether the calculation holds this version at the moment. */
  holds({ id, version }: Workbook): boolean {
    return this.#calculation.version(id) === version;
  }

  /**
   * Refreshes the calculation to the version of a snapshot: by the recorded changes if they are available, else from
   * all cells. Throws ApiError calculation_stopped.
   */
  refreshTo(tx: ReadTransaction, workbook: Workbook): Promise<void> {
    return this.#call(workbook, () => this.#refreshTo(tx, workbook));
  }

  async #refreshTo(tx: ReadTransaction, workbook: Workbook): Promise<void> {
    if (this.holds(workbook)) return;
    const change = await this.#followingChange(tx, workbook);
    if (change) return change();
    const { id, version } = workbook;
    await this.#calculation.open(id, version, await headsOf(tx, workbook), allCells(tx, workbook));
  }

  /**
   * Returns a function that refreshes the calculation to the version of a snapshot after its transaction has ended;
   * undefined if the cells needed are too many to hold in memory. Both throw ApiError calculation_stopped.
   */
  smallUpdate(tx: ReadTransaction, workbook: Workbook): Promise<(() => Promise<void>) | undefined> {
    return this.#call(workbook, async () => {
      const update = await this.#smallUpdate(tx, workbook);
      return update && (() => this.#call(workbook, update));
    });
  }

  async #smallUpdate(tx: ReadTransaction, workbook: Workbook): Promise<(() => Promise<void>) | undefined> {
    if (this.holds(workbook)) return async () => undefined;
    const change = await this.#followingChange(tx, workbook);
    if (change) return change;
    const cells = await cellsIfFew(tx, workbook);
    if (!cells) return undefined;
    const heads = await headsOf(tx, workbook);
    const { id, version } = workbook;
    return () => this.#calculation.open(id, version, heads, oneByOne(cells));
  }

  /**
   * Returns a function that refreshes the held version to this one by the recorded changes; undefined if they are not
   * available or too many.
   */
  async #followingChange(
    tx: ReadTransaction,
    workbook: Workbook,
  ): Promise<(() => Promise<void>) | undefined> {
    const { id, version, followedSince } = workbook;
    const held = this.#calculation.version(id);
    const isFollowed = held !== undefined && held >= followedSince && held >= version - FOLLOWED_VERSIONS;
    if (!isFollowed || held >= version) return undefined;
    const changes = await changesSince(tx, workbook, held);
    return changes && (() => this.#calculation.change(id, version, changes));
  }

  /**
   * Returns a reader of windows of a sheet that the calculation holds. The reader throws ApiError calculation_stopped,
   * and validation_failed if a window exceeds its maximum.
   */
  windowReader(workbook: Workbook, sheet: Sheet): ReadWindow {
    return (window, most) => this.#portions(workbook, sheet, window, most);
  }

  /** The same at the version of a snapshot, also if the workbook was evicted since the last window. */
  snapshotReader(tx: ReadTransaction, workbook: Workbook, sheet: Sheet): ReadWindow {
    const begin = async (window: Rectangle, most?: MostShown) => {
      await this.refreshTo(tx, workbook);
      const portions = this.#portions(workbook, sheet, window, most);
      return { portions, first: await portions.next() };
    };
    return async function* (window, most) {
      const { portions, first } = await retryWhenEvicted(() => begin(window, most));
      try {
        if (first.done) return;
        yield first.value;
        yield* portions;
      } finally {
        await portions.return(undefined);
      }
    };
  }

  async *#portions(
    workbook: Workbook,
    sheet: Sheet,
    window: Rectangle,
    most: MostShown | undefined,
  ): AsyncGenerator<readonly ShownRun[]> {
    const asked = { ...window, sheet: indexOf(workbook, sheet) };
    const portions = this.#calculation.portions(workbook.id, asked, most);
    try {
      for (;;) {
        const { done, value } = await this.#call(workbook, () => portions.next());
        if (done) return;
        yield value;
      }
    } finally {
      await portions.return(undefined);
    }
  }

  /** Computes a sheet that the calculation holds. Throws ApiError calculation_stopped. */
  async compute(workbook: Workbook, sheet: Sheet): Promise<void> {
    await this.#call(workbook, () =>
      this.#calculation.read(workbook.id, { ...FIRST_CELL, sheet: indexOf(workbook, sheet) }),
    );
  }

  /** The number of rows that show something within some columns of a sheet. Throws ApiError calculation_stopped. */
  async shownRowsWithin(workbook: Workbook, sheet: Sheet, columns: ColumnSpan): Promise<number> {
    const { rows } = await this.#call(workbook, () =>
      this.#calculation.extent(workbook.id, indexOf(workbook, sheet), columns),
    );
    return rows;
  }

  /**
   * The shown extent of a sheet: the used extent and the cells that formulas spill into. Throws ApiError
   * calculation_stopped.
   */
  async shownExtent(workbook: Workbook, sheet: Sheet): Promise<Extent> {
    const { rows, columns, formulas } = sheet;
    if (formulas === 0) return { rows, columns };
    const shown = await this.#call(workbook, () =>
      this.#calculation.extent(workbook.id, indexOf(workbook, sheet)),
    );
    return { rows: Math.max(rows, shown.rows), columns: Math.max(columns, shown.columns) };
  }

  /** The same at the version of a snapshot, also if the workbook was evicted in between. */
  shownExtentOf(tx: ReadTransaction, workbook: Workbook, sheet: Sheet): Promise<Extent> {
    return retryWhenEvicted(async () => {
      if (sheet.formulas > 0) await this.refreshTo(tx, workbook);
      return this.shownExtent(workbook, sheet);
    });
  }

  /** Runs a call to the calculation. Throws ApiError calculation_stopped, at once if this version was stopped a moment ago. */
  async #call<T>(workbook: Workbook, ask: () => Promise<T>): Promise<T> {
    if (this.#stopped.mustRest(workbook)) throw stoppedError(undefined);
    try {
      return await ask();
    } catch (cause) {
      if (cause instanceof TooMuchShown) throw rangeTooLarge();
      if (!(cause instanceof CalculationStopped)) throw cause;
      if (!(cause instanceof WorkbookNotHeld)) this.#stopped.add(workbook);
      throw stoppedError(cause);
    }
  }
}

function indexOf({ sheets }: Workbook, { id }: Sheet): number {
  return sheets.findIndex((sheet) => sheet.id === id);
}

function stoppedError(cause: CalculationStopped | undefined): ApiError {
  const message =
    'The formulas need more time or memory than they may have; read with render=formula to see them.';
  return new ApiError('calculation_stopped', message, {}, { cause });
}

/** How often a workbook is refreshed for one reader if other workbooks repeatedly evict it. */
const ATTEMPTS = 5;

/** Runs work that refreshes a workbook and reads it; again if the workbook was evicted in between. */
export async function retryWhenEvicted<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (cause) {
      const isLost = cause instanceof ApiError && cause.cause instanceof WorkbookNotHeld;
      if (!isLost || attempt === ATTEMPTS) throw cause;
    }
  }
}

/** Cells of one window. */
const WINDOW_CELLS = 200_000;

/** Splits the rows of a rectangle into windows. The rows below the used ones are one window: only spilled cells are there. */
export function windowsOf({ rows, columns }: Sheet, { top, bottom, left, right }: Rectangle) {
  const width = Math.max(1, Math.min(right, columns - 1) - left + 1);
  const height = Math.max(1, Math.floor(WINDOW_CELLS / width));
  const windows: { top: number; bottom: number }[] = [];
  const used = Math.min(bottom, rows - 1);
  for (let from = top; from <= used; from += height) {
    windows.push({ top: from, bottom: Math.min(from + height - 1, used) });
  }
  if (bottom > used) windows.push({ top: Math.max(top, used + 1), bottom });
  return windows;
}

const WHOLE: Rectangle = { top: 0, left: 0, bottom: ROWS - 1, right: COLUMNS - 1 };

async function headsOf(tx: ReadTransaction, workbook: Workbook): Promise<SheetHead[]> {
  const heads: SheetHead[] = [];
  for (const sheet of workbook.sheets) {
    const hidden = await hiddenRowsOf(tx, workbook, sheet);
    const hiddenRows = hidden && { byHand: hidden.byHand, byFilter: hidden.byFilter };
    heads.push({ name: sheet.name, hiddenRows });
  }
  return heads;
}

async function* allCells(tx: ReadTransaction, { workspaceId, sheets }: Workbook): AsyncGenerator<SheetCells> {
  for (const [index, sheet] of sheets.entries()) {
    for await (const cells of usedCells(tx, workspaceId, sheet, WHOLE)) yield { sheet: index, cells };
  }
}

/** Limits for cells, and for the characters of their inputs, that wait in memory until the workbook is opened. */
const FEW_CELLS = 20_000;
const FEW_CHARACTERS = 1_000_000;

/** All cells, if they are few enough to hold in memory. */
async function cellsIfFew(tx: ReadTransaction, workbook: Workbook): Promise<SheetCells[] | undefined> {
  const few: SheetCells[] = [];
  let count = 0;
  let characters = 0;
  for await (const portion of allCells(tx, workbook)) {
    count += portion.cells.length;
    for (const { input } of portion.cells) characters += typeof input === 'string' ? input.length : 0;
    if (count > FEW_CELLS || characters > FEW_CHARACTERS) return undefined;
    few.push(portion);
  }
  return few;
}

async function* oneByOne(cells: readonly SheetCells[]): AsyncGenerator<SheetCells> {
  yield* cells;
}

/** Above these limits all cells are read again instead, in portions that are not held in memory. */
const MOST_CHANGED_BLOCKS = 512;
const MOST_CHANGED_CHARACTERS = 4_000_000;

/** All cells of the changed blocks with their present content; undefined if they are too many to hold in memory. */
async function changesSince(
  tx: ReadTransaction,
  workbook: Workbook,
  version: number,
): Promise<SheetCells[] | undefined> {
  const changed = await listChangedBlocks(tx, workbook, version, MOST_CHANGED_BLOCKS);
  if (!changed) return undefined;
  const changes: SheetCells[] = [];
  let room = MOST_CHANGED_CHARACTERS;
  for (const [index, sheet] of workbook.sheets.entries()) {
    const blocks = changed.filter((block) => block.sheet === sheet.id);
    if (blocks.length === 0) continue;
    for await (const { cells, characters } of cellsOfBlocks(tx, workbook.workspaceId, sheet, blocks)) {
      room -= characters;
      if (room < 0) return undefined;
      changes.push({ sheet: index, cells });
    }
  }
  return changes;
}

/** All cells of some blocks, including empty ones, in portions. It yields to the event loop between portions. */
async function* cellsOfBlocks(
  tx: ReadTransaction,
  workspaceId: string,
  sheet: Sheet,
  blocks: readonly SheetBlock[],
): AsyncGenerator<{ cells: CellInput[]; characters: number }> {
  const numbersOf = cellNumbers(sheet);
  for await (const { wanted, blocks: found } of foundPortions(tx, { workspaceId, sheet: sheet.id }, blocks)) {
    const stored = new Map(found.map((block) => [`${block.rowBlock},${block.columnBlock}`, block.cells]));
    const cells: CellInput[] = [];
    let characters = 0;
    for (const block of wanted) {
      const text = stored.get(`${block.rowBlock},${block.columnBlock}`) ?? EMPTY_BLOCK;
      characters += text.length;
      const inputs = await decodeBlock(text);
      for (let offset = 0; offset < BLOCK_ROWS * BLOCK_COLUMNS; offset++) {
        const numbers = numbersOf(cellPosition(block, offset));
        if (numbers && numbers.row < ROWS && numbers.column < COLUMNS) {
          cells.push({ ...numbers, input: inputs.get(offset) ?? null });
        }
      }
    }
    yield { cells, characters };
  }
}

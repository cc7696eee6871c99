import { ApiError } from '../../../contract/errors.ts';
import {
  type Calculation,
  CalculationStopped,
  type CellInput,
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
import { BLOCK_COLUMNS, BLOCK_ROWS, decodeBlock, EMPTY_BLOCK, placesOf } from '../cells/block.ts';
import { foundPortions } from '../cells/block-store.ts';
import { tooMuch } from '../cells/grid.ts';
import { hiddenRowsOf } from '../cells/hidden-rows.ts';
import { cellNumbers, usedCells } from '../reading/cells-reading.ts';
import { FOLLOWED_VERSIONS, listChangedBlocks, type SheetBlock } from './change-store.ts';
import type { Sheet, Workbook } from './workbook.ts';
import { StoppedWorkbooks, WorkbookTurns } from './workbook-turns.ts';

/** Reads a window in portions, row after row; nothing where it holds more than may be read. */
export type ReadWindow = (window: Rectangle, most?: MostShown) => AsyncIterable<readonly ShownRun[]>;

const FIRST_CELL: Rectangle = { top: 0, left: 0, bottom: 0, right: 0 };

/** What formulas come to: asked of the calculation, which is first brought to the version that a reader sees. */
export class CalculatedValues {
  readonly #calculation: Calculation;
  readonly #stopped = new StoppedWorkbooks();
  readonly turns = new WorkbookTurns();

  constructor(calculation: Calculation) {
    this.#calculation = calculation;
  }

  /** Whether a workbook was found to take long: it is read as a long calculation. */
  takesLong(id: string): boolean {
    return this.#calculation.takesLong(id);
  }

  /** Whether it is held at this version, by the time that is asked. */
  holds({ id, version }: Workbook): boolean {
    return this.#calculation.version(id) === version;
  }

  /**
   * Brings the calculation to the version of a snapshot: by what has changed where that is known, else from the start.
   * Throws ApiError calculation_stopped.
   */
  bringTo(tx: ReadTransaction, workbook: Workbook): Promise<void> {
    return this.#asked(workbook, () => this.#bringTo(tx, workbook));
  }

  async #bringTo(tx: ReadTransaction, workbook: Workbook): Promise<void> {
    if (this.holds(workbook)) return;
    const change = await this.#followingChange(tx, workbook);
    if (change) return change();
    const { id, version } = workbook;
    await this.#calculation.open(id, version, await headsOf(tx, workbook), allCells(tx, workbook));
  }

  /**
   * What brings the calculation to the version of a snapshot when its transaction has ended; nothing where the cells for
   * that are more than should be kept in memory. Throws ApiError calculation_stopped, as what it answers does.
   */
  smallUpdate(tx: ReadTransaction, workbook: Workbook): Promise<(() => Promise<void>) | undefined> {
    return this.#asked(workbook, async () => {
      const update = await this.#smallUpdate(tx, workbook);
      return update && (() => this.#asked(workbook, update));
    });
  }

  async #smallUpdate(tx: ReadTransaction, workbook: Workbook): Promise<(() => Promise<void>) | undefined> {
    if (this.holds(workbook)) return async () => undefined;
    const change = await this.#followingChange(tx, workbook);
    if (change) return change;
    const cells = await fewCells(tx, workbook);
    if (!cells) return undefined;
    const heads = await headsOf(tx, workbook);
    const { id, version } = workbook;
    return () => this.#calculation.open(id, version, heads, oneByOne(cells));
  }

  /**
   * What brings the version that is held to this one, by what has changed between; nothing where that is not known, or
   * too much.
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
   * Reads windows of a sheet that is held, in portions. They throw ApiError calculation_stopped, and validation_failed where
   * a window holds more than may be read.
   */
  reading(workbook: Workbook, sheet: Sheet): ReadWindow {
    return (window, most) => this.#portions(workbook, sheet, window, most);
  }

  /** The same at the version of a snapshot, though the workbook may have had to make room since the last one was read. */
  readingOf(tx: ReadTransaction, workbook: Workbook, sheet: Sheet): ReadWindow {
    const begin = async (window: Rectangle, most?: MostShown) => {
      await this.bringTo(tx, workbook);
      const portions = this.#portions(workbook, sheet, window, most);
      return { portions, first: await portions.next() };
    };
    return async function* (window, most) {
      const { portions, first } = await retried(() => begin(window, most));
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
        const { done, value } = await this.#asked(workbook, () => portions.next());
        if (done) return;
        yield value;
      }
    } finally {
      await portions.return(undefined);
    }
  }

  /** Computes a sheet that is held. Throws ApiError calculation_stopped. */
  async compute(workbook: Workbook, sheet: Sheet): Promise<void> {
    await this.#asked(workbook, () =>
      this.#calculation.read(workbook.id, { ...FIRST_CELL, sheet: indexOf(workbook, sheet) }),
    );
  }

  /** How far a sheet shows something: what is used, and what formulas spill beyond that. Throws ApiError calculation_stopped. */
  async shownExtent(workbook: Workbook, sheet: Sheet): Promise<Extent> {
    const { rows, columns, formulas } = sheet;
    if (formulas === 0) return { rows, columns };
    const shown = await this.#asked(workbook, () =>
      this.#calculation.extent(workbook.id, indexOf(workbook, sheet)),
    );
    return { rows: Math.max(rows, shown.rows), columns: Math.max(columns, shown.columns) };
  }

  /** The same at the version of a snapshot, though the workbook may have had to make room since. */
  shownExtentOf(tx: ReadTransaction, workbook: Workbook, sheet: Sheet): Promise<Extent> {
    return retried(async () => {
      if (sheet.formulas > 0) await this.bringTo(tx, workbook);
      return this.shownExtent(workbook, sheet);
    });
  }

  /** Throws ApiError calculation_stopped, at once where this version was stopped a moment ago. */
  async #asked<T>(workbook: Workbook, ask: () => Promise<T>): Promise<T> {
    if (this.#stopped.mustRest(workbook)) throw stopped(undefined);
    try {
      return await ask();
    } catch (cause) {
      if (cause instanceof TooMuchShown) throw tooMuch();
      if (!(cause instanceof CalculationStopped)) throw cause;
      if (!(cause instanceof WorkbookNotHeld)) this.#stopped.add(workbook);
      throw stopped(cause);
    }
  }
}

function indexOf({ sheets }: Workbook, { id }: Sheet): number {
  return sheets.findIndex((sheet) => sheet.id === id);
}

function stopped(cause: CalculationStopped | undefined): ApiError {
  const message =
    'The formulas need more time or memory than they may have; read with render=formula to see them.';
  return new ApiError('calculation_stopped', message, {}, { cause });
}

/** How often a workbook is brought up for one reader, where others need its room again and again. */
const ATTEMPTS = 5;

/** Does a work that brings a workbook up and reads it; anew where it was held no longer by the time it was read. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
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

/** The rows of a rectangle in portions; what lies below the used rows holds at most what formulas spill there. */
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

/** Cells, and characters of what stands in them, that are kept in memory while a workbook waits to be opened. */
const FEW_CELLS = 20_000;
const FEW_CHARACTERS = 1_000_000;

/** All cells, where they are few. */
async function fewCells(tx: ReadTransaction, workbook: Workbook): Promise<SheetCells[] | undefined> {
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

/** Of more blocks, or characters in them, than these all cells are read again: that is done in portions, and kept by nobody. */
const MOST_CHANGED_BLOCKS = 512;
const MOST_CHANGED_CHARACTERS = 4_000_000;

/** All cells of the blocks that have changed, as they are now; undefined where they are too many to be kept in memory. */
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

/** All cells of some blocks, those that are empty too, in portions with a turn for others in between. */
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
        const numbers = numbersOf(placesOf(block, offset));
        if (numbers && numbers.row < ROWS && numbers.column < COLUMNS) {
          cells.push({ ...numbers, input: inputs.get(offset) ?? null });
        }
      }
    }
    yield { cells, characters };
  }
}

import type { JsonStream } from '../../../contract/answers.ts';
import type { Extent } from '../../../formulas/calculation.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import type { A1Range, Rectangle } from '../cells/a1.ts';
import { lastColumnOfBlock } from '../cells/block.ts';
import { GridFull } from '../cells/grid.ts';
import type { DriveOwner, SpreadsheetDependencies } from '../dependencies.ts';
import { type OpenedSpreadsheet, openToRead } from '../workbook/open-and-save.ts';
import { snapshotCells } from '../workbook/snapshot-reading.ts';
import { hasFormulas, hasVolatiles, type Sheet, sheetNamed } from '../workbook/workbook.ts';
import { textOfFormats, textOfShown } from './formats-text.ts';
import { type Aspect, MOST_AT_ONCE, makeInTransaction, rangeKey } from './large-answers.ts';
import { readGrid, textOfInputs, textOfValues } from './values-text.ts';

/** What a reader wants of a range: values, formulas, what cells show, or number formats. */
export type Wish = 'value' | 'formula' | 'formatted' | 'formats';

/** An aspect of a range of one version. */
export interface WantedRange {
  readonly opened: OpenedSpreadsheet;
  readonly sheet: Sheet;
  readonly range: A1Range;
  readonly aspect: Aspect;
  /** Whether it takes values of formulas. */
  readonly isCalculated: boolean;
}

/** Throws ApiError not_found for the sheet. */
export function wantedRange(opened: OpenedSpreadsheet, range: A1Range, wish: Wish): WantedRange {
  const sheet = sheetNamed(opened.workbook, range.sheet);
  const common = { opened, sheet, range };
  if (wish === 'formats') return { ...common, aspect: 'formats', isCalculated: false };
  if (wish === 'formatted') return { ...common, aspect: 'shown', isCalculated: sheet.formulas > 0 };
  const isCalculated = wish === 'value' && hasFormulas(opened.workbook);
  return { ...common, aspect: isCalculated ? 'values' : 'inputs', isCalculated };
}

/** Whether what is read may change although no cell changes. */
export function isVolatile({ opened, isCalculated }: WantedRange): boolean {
  return isCalculated && hasVolatiles(opened.workbook);
}

export function cachedText({ rangeTexts }: SpreadsheetDependencies, wanted: WantedRange): string | undefined {
  return isVolatile(wanted) ? undefined : rangeTexts.get(keyOf(wanted));
}

/** Caches a text, as JSON, for later requests for the same; a stream is left as it is. */
function cacheText<T extends string | JsonStream | undefined>(
  { rangeTexts }: SpreadsheetDependencies,
  wanted: WantedRange,
  text: T,
): T {
  if (typeof text === 'string' && !isVolatile(wanted)) rangeTexts.set(keyOf(wanted), text);
  return text;
}

function keyOf({ opened, sheet, range, aspect }: WantedRange): string {
  return rangeKey(opened.workbook, sheet, range.area, aspect);
}

/** The text of what is read, as JSON; undefined if it is too large to hold in memory. */
type HeldText = string | JsonStream | undefined;

/**
 * What needs no calculation, as JSON. Rejects with ApiError validation_failed above the limits of an answer.
 */
export async function storedText(
  tx: ReadTransaction,
  dependencies: SpreadsheetDependencies,
  wanted: WantedRange,
): Promise<HeldText> {
  const text =
    wanted.aspect === 'inputs'
      ? await inputsText(tx, dependencies, wanted)
      : await dependencies.heldAnswers.hold(pieces(tx, dependencies, wanted, wanted.sheet));
  return cacheText(dependencies, wanted, text);
}

async function inputsText(
  tx: ReadTransaction,
  dependencies: SpreadsheetDependencies,
  { opened, sheet, range }: WantedRange,
): Promise<HeldText> {
  const { workspaceId } = opened.workbook;
  const used = inWholeBlocks(areaWithin(range.area, sheet), range.area);
  if (!used) return '[]';
  try {
    const grid = await readGrid(tx, workspaceId, sheet, used, MOST_AT_ONCE);
    return grid.json();
  } catch (error) {
    if (!(error instanceof GridFull)) throw error;
    return dependencies.heldAnswers.hold(textOfInputs(tx, workspaceId, sheet, used));
  }
}

/**
 * What takes values of formulas, as JSON, while the calculation holds the version. Undefined also if another request has
 * written meanwhile. Rejects with ApiError validation_failed above the limits of an answer.
 */
export async function calculatedText(
  dependencies: SpreadsheetDependencies,
  user: DriveOwner,
  wanted: WantedRange,
): Promise<HeldText> {
  const { calculated, database, heldAnswers } = dependencies;
  const { opened, sheet, range, aspect } = wanted;
  const { workbook } = opened;
  if (aspect === 'values') {
    const read = calculated.windowReader(workbook, sheet);
    const text = await heldAnswers.hold(textOfValues(sheet, range.area, read));
    return cacheText(dependencies, wanted, text);
  }
  // This computes the sheet, so that the transaction below waits for no formula.
  const extent = await calculated.shownExtent(workbook, sheet);
  const inTransaction = (work: (tx: ReadTransaction) => Promise<HeldText>) => database.read(work);
  const text = await makeInTransaction(inTransaction, heldStream, async (tx) => {
    const now = await openToRead(tx, dependencies, user, workbook.id);
    if (now.workbook.revision !== workbook.revision) return undefined;
    return heldAnswers.hold(pieces(tx, dependencies, wanted, extent));
  });
  return cacheText(dependencies, wanted, text);
}

function heldStream(text: HeldText): JsonStream | undefined {
  return typeof text === 'string' ? undefined : text;
}

/** The text of any size, in pieces, in a transaction that may wait for formulas. */
export async function largeText(
  tx: ReadTransaction,
  dependencies: SpreadsheetDependencies,
  wanted: WantedRange,
): Promise<AsyncIterable<string>> {
  const { opened, sheet } = wanted;
  const isShown = wanted.aspect === 'shown';
  const extent = isShown ? await dependencies.calculated.shownExtentOf(tx, opened.workbook, sheet) : sheet;
  return pieces(tx, dependencies, wanted, extent);
}

/** `shown`: the extent that the sheet shows. */
function pieces(
  tx: ReadTransaction,
  { calculated }: SpreadsheetDependencies,
  { opened, sheet, range, aspect }: WantedRange,
  shown: Extent,
): AsyncIterable<string> {
  const { workbook } = opened;
  const { workspaceId } = workbook;
  if (aspect === 'formats') return textOfFormats(tx, workspaceId, sheet, range.area);
  if (aspect === 'values') {
    return textOfValues(sheet, range.area, calculated.snapshotReader(tx, workbook, sheet));
  }
  const area = areaWithin(range.area, shown);
  if (aspect === 'shown') {
    const cells = area ? snapshotCells(tx, calculated, workbook, sheet, shown, area) : noCells();
    return textOfShown(cells, range.area);
  }
  const used = inWholeBlocks(area, range.area);
  return used ? textOfInputs(tx, workspaceId, sheet, used) : noText();
}

async function* noCells(): AsyncGenerator<never> {
  // A range beyond all cells.
}

async function* noText(): AsyncGenerator<string> {
  yield '[]';
}

/** The portion of a rectangle within an extent. */
function areaWithin(area: Rectangle, { rows, columns }: Extent): Rectangle | undefined {
  const bottom = Math.min(area.bottom, rows - 1);
  const right = Math.min(area.right, columns - 1);
  return bottom < area.top || right < area.left ? undefined : { ...area, bottom, right };
}

/** The right bound is moved to the end of a block within the range, so that blocks need not be cut. */
function inWholeBlocks(area: Rectangle | undefined, wanted: Rectangle): Rectangle | undefined {
  return area && { ...area, right: Math.min(wanted.right, lastColumnOfBlock(area.right)) };
}

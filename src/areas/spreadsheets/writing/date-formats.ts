import { parseFormat } from '../../../formulas/number-format/tokens.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { positionLookup } from '../cells/axis.ts';
import { type BlockKey, locate } from '../cells/block.ts';
import type { SheetKey } from '../cells/block-store.ts';
import type { CellEdit } from '../cells/cell-editing.ts';
import { DATE_FORMATS, type DateKind } from '../cells/dates.ts';
import {
  decodeFormats,
  encodeFormats,
  findFormats,
  putFormats,
  type StoredFormats,
} from '../cells/format-store.ts';
import type { Sheet } from '../workbook/workbook.ts';
import { withReachOf } from './format-cells.ts';

/** Result of formatting the cells that get dates. */
export interface ShownDates {
  /** The sheet after it. */
  readonly sheet: Sheet;
  /** The edits whose cells have another format than before. */
  readonly reformatted: ReadonlySet<CellEdit>;
}

type DateEdit = CellEdit & { readonly shows: DateKind };
type DatesOfBlock = BlockKey & { readonly dates: { readonly offset: number; readonly edit: DateEdit }[] };

/** Blocks of one statement. */
const BLOCKS_AT_ONCE = 64;

/**
 * Gives each cell that gets a date a number format that shows it, unless it has one: a column with dates in a format of
 * its own keeps it. Lists are taken in order. It yields to the event loop in between.
 */
export async function showDates(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  lists: readonly (readonly CellEdit[])[],
): Promise<ShownDates> {
  const dates = lists.flatMap((edits) => edits.filter(isDate));
  const reformatted = new Set<CellEdit>();
  if (dates.length === 0) return { sheet, reformatted };
  const key = { workspaceId, sheet: sheet.id };
  const blocks = groupByBlock(sheet, dates);
  for (let i = 0; i < blocks.length; i += BLOCKS_AT_ONCE) {
    await formatBlocks(tx, key, blocks.slice(i, i + BLOCKS_AT_ONCE), reformatted);
    await giveWay();
  }
  const formats = Array.from(reformatted, ({ row, column }) => ({ row, column, format: '' }));
  return { sheet: withReachOf(sheet, formats), reformatted };
}

function isDate(edit: CellEdit): edit is DateEdit {
  return edit.shows !== undefined;
}

function groupByBlock({ rowAxis, columnAxis }: Sheet, dates: readonly DateEdit[]): DatesOfBlock[] {
  const [positionOfRow, positionOfColumn] = [positionLookup(rowAxis), positionLookup(columnAxis)];
  const blocks = new Map<string, DatesOfBlock>();
  for (const edit of dates) {
    const located = locate(positionOfRow(edit.row), positionOfColumn(edit.column));
    const { rowBlock, columnBlock, offset } = located;
    const block = blocks.getOrInsertComputed(nameOf(located), () => ({ rowBlock, columnBlock, dates: [] }));
    block.dates.push({ offset, edit });
  }
  return [...blocks.values()];
}

async function formatBlocks(
  tx: WriteTransaction,
  key: SheetKey,
  blocks: readonly DatesOfBlock[],
  reformatted: Set<CellEdit>,
): Promise<void> {
  const stored = new Map((await findFormats(tx, key, blocks)).map((block) => [nameOf(block), block.formats]));
  const changed: StoredFormats[] = [];
  for (const { rowBlock, columnBlock, dates } of blocks) {
    const formats = decodeFormats(stored.get(nameOf({ rowBlock, columnBlock })) ?? '[]');
    const before = reformatted.size;
    for (const { offset, edit } of dates) {
      if (isShownBy(formats.get(offset), edit.shows)) continue;
      formats.set(offset, DATE_FORMATS[edit.shows]);
      reformatted.add(edit);
    }
    if (reformatted.size > before) changed.push({ rowBlock, columnBlock, formats: encodeFormats(formats) });
  }
  if (changed.length > 0) await putFormats(tx, key, changed);
}

function nameOf({ rowBlock, columnBlock }: BlockKey): string {
  return `${rowBlock},${columnBlock}`;
}

/** Whether a format shows a day or a year and, of a point in time, the hour. */
function isShownBy(code: string | undefined, kind: DateKind): boolean {
  if (code === undefined) return false;
  if (code === DATE_FORMATS[kind]) return true;
  const units = new Set(
    (parseFormat(code)[0]?.tokens ?? []).flatMap((token) => (token.kind === 'date' ? [token.text[0]] : [])),
  );
  const hasDay = units.has('d') || units.has('y');
  return hasDay && (kind === 'date' || units.has('h'));
}

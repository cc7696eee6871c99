import type { HiddenRows } from '../../../formats/workbooks/workbook.ts';
import type { RowRuns } from '../../../formulas/calculation.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { nextTurn } from '../../../turns/next-turn.ts';
import { type LineStep, movedFilter } from '../structure/moved-filter.ts';
import type { Step } from '../structure/references.ts';
import type { Sheet, Workbook } from '../workbook/workbook.ts';
import { ROWS } from './a1.ts';
import { findHiddenRows, putHiddenRows } from './hidden-rows-store.ts';

/** The hidden rows of a sheet; undefined if all rows are shown. */
export async function hiddenRowsOf(
  tx: ReadTransaction,
  { workspaceId }: Pick<Workbook, 'workspaceId'>,
  { id, hiddenRows }: Sheet,
): Promise<HiddenRows | undefined> {
  return hiddenRows === undefined ? undefined : findHiddenRows(tx, { workspaceId, sheet: id });
}

/** Replaces the hidden rows of a sheet. Returns the sheet with the new state. */
export async function hideRows(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  hidden: HiddenRows,
): Promise<Sheet> {
  await putHiddenRows(tx, { workspaceId, sheet: sheet.id }, hidden);
  return { ...sheet, hiddenRows: (sheet.hiddenRows ?? 0) + 1 };
}

/** Adapts the hidden rows of all sheets, and the filters that hide some, to the lines that steps insert and remove. */
export async function moveHiddenRows(
  tx: WriteTransaction,
  workbook: Workbook,
  steps: readonly Step[],
): Promise<Workbook> {
  const sheets: Sheet[] = [];
  for (const sheet of workbook.sheets) {
    const concerning = steps.filter((step): step is LineStep => movesLinesOf(step, sheet));
    const hidden = concerning.length === 0 ? undefined : await hiddenRowsOf(tx, workbook, sheet);
    if (!hidden) sheets.push(sheet);
    else
      sheets.push(await hideRows(tx, workbook.workspaceId, sheet, await movedHiddenRows(hidden, concerning)));
  }
  return { ...workbook, sheets };
}

function movesLinesOf(step: Step, { id }: Sheet): boolean {
  return 'axis' in step && step.sheet.id === id;
}

/** Moving half a million runs takes a few milliseconds, but there may be many steps: it yields to the event loop after each. */
async function movedHiddenRows(hidden: HiddenRows, steps: readonly LineStep[]): Promise<HiddenRows> {
  let { byHand, byFilter, filter } = hidden;
  for (const step of steps) {
    filter = filter && movedFilter(filter, step);
    if (step.axis === 'columns') continue;
    const move = step.kind === 'insert' ? withRowsInserted : withRowsRemoved;
    byHand = move(byHand, step.at, step.count);
    byFilter = move(byFilter, step.at, step.count);
    await nextTurn();
  }
  return { byHand, byFilter, filter };
}

/** Collects runs in ascending order, and merges adjacent ones. */
class RunList {
  readonly #runs: number[] = [];

  /** Adds a run behind all others. Rows beyond the end of the sheet are dropped. */
  add(first: number, count: number): void {
    const inSheet = Math.min(count, ROWS - first);
    if (inSheet <= 0) return;
    const at = this.#runs.length - 2;
    const end = at < 0 ? -1 : (this.#runs[at] ?? 0) + (this.#runs[at + 1] ?? 0);
    if (end === first) this.#runs[at + 1] = (this.#runs[at + 1] ?? 0) + inSheet;
    else this.#runs.push(first, inSheet);
  }

  runs(): RowRuns {
    return Uint32Array.from(this.#runs);
  }
}

/** The runs after `count` rows were inserted before the row `at`. The new rows are in no run. */
export function withRowsInserted(runs: RowRuns, at: number, count: number): RowRuns {
  const list = new RunList();
  for (let index = 0; index < runs.length; index += 2) {
    const [first = 0, length = 0] = runs.subarray(index, index + 2);
    const before = Math.min(Math.max(at - first, 0), length);
    list.add(first, before);
    list.add(first + before + count, length - before);
  }
  return list.runs();
}

/** The runs after the `count` rows from `at` on were removed. */
export function withRowsRemoved(runs: RowRuns, at: number, count: number): RowRuns {
  const list = new RunList();
  for (let index = 0; index < runs.length; index += 2) {
    const [first = 0, length = 0] = runs.subarray(index, index + 2);
    const before = Math.min(Math.max(at - first, 0), length);
    const upToEnd = Math.min(Math.max(at + count - first, 0), length);
    list.add(first, before);
    list.add(first + upToEnd - Math.min(count, Math.max(first + upToEnd - at, 0)), length - upToEnd);
  }
  return list.runs();
}

import type { ImportedName } from '../../../formats/workbooks/looks.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { ReferenceFollower, type Step } from '../structure/references.ts';
import { isSameSheetName, type Workbook } from '../workbook/workbook.ts';
import { findNames, putNames } from './names-store.ts';

/**
 * Adapts the defined names of a spreadsheet to steps: their references follow as those of formulas, and names of deleted
 * sheets are gone. `before` has the sheets as they were. Returns whether a name has changed.
 */
export async function moveNames(
  tx: WriteTransaction,
  before: Workbook,
  after: Workbook,
  steps: readonly Step[],
): Promise<boolean> {
  if (steps.length === 0) return false;
  const names = await findNames(tx, after);
  if (names.length === 0) return false;
  const followers = new Map<string, ReferenceFollower>();
  const moved: ImportedName[] = [];
  for (const name of names) {
    const home = sheetOf(name, before);
    const sheet = after.sheets.find(({ id }) => id === home)?.name;
    if (name.sheet !== undefined && sheet === undefined) continue;
    const follower = followers.getOrInsertComputed(home, () => new ReferenceFollower(home, steps));
    const formula = follower.follow(`=${name.formula}`).slice(1);
    moved.push({ ...name, ...(sheet !== undefined && { sheet }), formula });
    await giveWay();
  }
  if (JSON.stringify(moved) === JSON.stringify(names)) return false;
  await putNames(tx, after, moved);
  return true;
}

/** The id of the sheet to which a name is limited; "" for a name of the whole workbook. */
function sheetOf({ sheet }: ImportedName, { sheets }: Workbook): string {
  if (sheet === undefined) return '';
  return sheets.find(({ name }) => isSameSheetName(name, sheet))?.id ?? '';
}

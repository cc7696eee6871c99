import { refuse } from '../../../contract/validation.ts';
import {
  type CellLink,
  decodeLooks,
  encodeLooks,
  type SheetLooks,
} from '../../../formats/workbooks/looks.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { LineStep } from '../structure/moved-filter.ts';
import { ReferenceFollower, type Step } from '../structure/references.ts';
import type { Sheet, Workbook } from '../workbook/workbook.ts';
import { findLooks, putLooks } from './looks-store.ts';
import { isPushedOff, movedLooks } from './moved-looks.ts';

/** The encoded looks of a sheet; undefined if it has none. */
export async function encodedLooksOf(
  tx: ReadTransaction,
  { workspaceId }: Pick<Workbook, 'workspaceId'>,
  { id, looks }: Sheet,
): Promise<string | undefined> {
  return looks === undefined ? undefined : findLooks(tx, { workspaceId, sheet: id });
}

/** Replaces the looks of a sheet. Returns the sheet with the new state. */
export async function setLooks(
  tx: WriteTransaction,
  workspaceId: string,
  sheet: Sheet,
  encoded: string,
): Promise<Sheet> {
  await putLooks(tx, { workspaceId, sheet: sheet.id }, encoded);
  return { ...sheet, looks: (sheet.looks ?? 0) + 1 };
}

/**
 * Adapts the looks of all sheets to steps: lines that are inserted and removed, and the places to which links lead.
 * Throws ApiError validation_failed if merged cells, notes or links would be pushed off a sheet.
 */
export async function moveLooks(
  tx: WriteTransaction,
  workbook: Workbook,
  steps: readonly Step[],
): Promise<Workbook> {
  if (steps.length === 0) return workbook;
  const sheets: Sheet[] = [];
  for (const sheet of workbook.sheets) {
    const encoded = await encodedLooksOf(tx, workbook, sheet);
    if (encoded === undefined) sheets.push(sheet);
    else {
      const moved = await encodeLooks(await looksAfter(await decodeLooks(encoded), sheet, steps));
      sheets.push(moved === encoded ? sheet : await setLooks(tx, workbook.workspaceId, sheet, moved));
    }
  }
  return { ...workbook, sheets };
}

async function looksAfter(looks: SheetLooks, { id }: Sheet, steps: readonly Step[]): Promise<SheetLooks> {
  let moved = looks;
  for (const step of steps) {
    if (!('axis' in step) || step.sheet.id !== id) continue;
    refuseToPushOff(moved, step);
    moved = await movedLooks(moved, step);
  }
  return { ...moved, links: await followedLinks(moved.links, id, steps) };
}

function refuseToPushOff(looks: SheetLooks, step: LineStep): void {
  if (!isPushedOff(looks, step)) return;
  const message = `${step.count} more ${step.axis} would push merged cells, a note or a link off the sheet.`;
  refuse([{ pointer: '/operations', code: 'no_room', message }]);
}

/** A link to a deleted place keeps it: people then see where it led. */
async function followedLinks(
  links: readonly CellLink[],
  home: string,
  steps: readonly Step[],
): Promise<CellLink[]> {
  const follower = new ReferenceFollower(home, steps);
  const followed: CellLink[] = [];
  for (const link of links) {
    const { target, location } = link;
    const isWithin = target === undefined && location !== undefined;
    const after = isWithin ? follower.follow(`=${location}`).slice(1) : location;
    followed.push(after === location || after?.includes('#REF!') ? link : { ...link, location: after });
    await giveWay();
  }
  return followed;
}

import { refuse } from '../../../contract/validation.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { decodeBlock, isFormula } from '../cells/block.ts';
import { BlockEdits, noGrowth } from '../cells/block-edits.ts';
import {
  listedPortions,
  listFormulaBlocks,
  putBlocks,
  type SheetKey,
  type StoredBlock,
} from '../cells/block-store.ts';
import { MAX_CHARACTERS } from '../schema.ts';
import type { Workbook } from '../workbook/workbook.ts';
import { ReferenceFollower, type Step } from './references.ts';

/** Characters of formulas, times steps, of one request; a single step is always taken. Others wait for the write. */
const MOST_FOLLOWED = 500_000_000;

/**
 * Lets the references of all formulas follow the steps, in bounded memory and in turns; answers how many formulas have
 * changed. Throws ApiError validation_failed where a formula would become too long, or it is too much for one request.
 */
export async function rewriteFormulas(
  tx: WriteTransaction,
  { workspaceId, sheets }: Workbook,
  steps: readonly Step[],
): Promise<number> {
  if (steps.length === 0) return 0;
  const rewriting = new Rewriting(tx, steps);
  for (const { id, formulas } of sheets) {
    if (formulas > 0) await rewriting.rewriteSheet({ workspaceId, sheet: id });
  }
  return rewriting.rewritten;
}

class Rewriting {
  rewritten = 0;
  readonly #tx: WriteTransaction;
  readonly #steps: readonly Step[];
  #followed = 0;

  constructor(tx: WriteTransaction, steps: readonly Step[]) {
    this.#tx = tx;
    this.#steps = steps;
  }

  async rewriteSheet(key: SheetKey): Promise<void> {
    const follower = new ReferenceFollower(key.sheet, this.#steps);
    const tx = this.#tx;
    const portions = listedPortions(tx, key, (after, limit) => listFormulaBlocks(tx, key, after, limit));
    for await (const blocks of portions) {
      for (const block of blocks) await this.#rewriteBlock(key, block, follower);
    }
  }

  async #rewriteBlock(key: SheetKey, block: StoredBlock, follower: ReferenceFollower): Promise<void> {
    const edits = new BlockEdits([block], noGrowth());
    const edited = edits.block(block);
    for (const [offset, input] of await decodeBlock(block.cells)) {
      if (!isFormula(input)) continue;
      this.#count(input);
      await giveWay();
      const followed = follower.follow(input);
      if (followed === input) continue;
      refuseTooLong(followed);
      edited.set(offset, followed);
      this.rewritten++;
    }
    await giveWay();
    await putBlocks(this.#tx, key, edits.result().stored);
  }

  #count(formula: string): void {
    this.#followed += formula.length * this.#steps.length;
    if (this.#steps.length === 1 || this.#followed <= MOST_FOLLOWED) return;
    const message = `The formulas are too long for ${this.#steps.length} operations in one request; send fewer at once.`;
    refuse([{ pointer: '/operations', code: 'too_many', message }]);
  }
}

/** What no write takes may not come about by a change of structure either: nobody could write it back. */
function refuseTooLong(formula: string): void {
  // A character beyond the first plane counts once, as in a write.
  if (formula.length <= MAX_CHARACTERS || [...formula].length <= MAX_CHARACTERS) return;
  const message = `A formula would have more than ${MAX_CHARACTERS} characters as its references follow.`;
  refuse([{ pointer: '/operations', code: 'too_long', message }]);
}

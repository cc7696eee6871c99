import { refuse } from '../../../contract/validation.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { decodeBlock, isFormula, isQuote } from '../cells/block.ts';
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

/**
 * Limit of one request: characters of formulas times steps. A single step is never refused. Other writers wait for this
 * write.
 */
const MOST_FOLLOWED = 500_000_000;

/** A formula takes the place of another one: no further cell is used. */
const NO_ROW = 0;

/**
 * Applies the steps to the references of all formulas, in bounded memory, yielding to the event loop. Returns the
 * number of changed formulas. Throws ApiError validation_failed if a formula would become too long or the work exceeds
 * the limit of a request.
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
      if (!isFormula(input) || isQuote(input)) continue;
      this.#count(input);
      await giveWay();
      const followed = follower.follow(input);
      if (followed === input) continue;
      refuseTooLong(followed);
      edited.set(offset, NO_ROW, followed);
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

/** Refuses a formula that is longer than a write accepts: nobody could write it back. */
function refuseTooLong(formula: string): void {
  // A character outside the Basic Multilingual Plane counts once, as in a write.
  if (formula.length <= MAX_CHARACTERS || [...formula].length <= MAX_CHARACTERS) return;
  const message = `A formula would have more than ${MAX_CHARACTERS} characters as its references follow.`;
  refuse([{ pointer: '/operations', code: 'too_long', message }]);
}

import type { WriteTransaction } from '../../storage/database.ts';
import { type BlockKey, decodeBlock, isFormula } from './block.ts';
import { BlockEdits, noGrowth } from './block-edits.ts';
import { listFormulaBlocks, putBlocks, type StoredBlock } from './block-store.ts';
import { followSteps, type Step } from './references.ts';
import type { Workbook } from './workbook.ts';

const BLOCKS_AT_ONCE = 32;

/** Lets the references of all formulas follow the steps, in bounded memory; answers how many formulas have changed. */
export async function rewriteFormulas(
  tx: WriteTransaction,
  { workspaceId, sheets }: Workbook,
  steps: readonly Step[],
): Promise<number> {
  if (steps.length === 0) return 0;
  let rewritten = 0;
  for (const { id, formulas } of sheets) {
    if (formulas > 0) rewritten += await rewriteSheet(tx, { workspaceId, sheet: id }, steps);
  }
  return rewritten;
}

async function rewriteSheet(
  tx: WriteTransaction,
  key: { workspaceId: string; sheet: string },
  steps: readonly Step[],
): Promise<number> {
  let rewritten = 0;
  for (let after: BlockKey | undefined; ; ) {
    const blocks = await listFormulaBlocks(tx, key, after, BLOCKS_AT_ONCE);
    const edits = new BlockEdits(blocks, noGrowth());
    for (const block of blocks) rewritten += rewriteBlock(edits, block, key.sheet, steps);
    await putBlocks(tx, key, edits.result().stored);
    after = blocks.at(-1);
    if (blocks.length < BLOCKS_AT_ONCE) return rewritten;
  }
}

function rewriteBlock(edits: BlockEdits, block: StoredBlock, sheet: string, steps: readonly Step[]): number {
  let rewritten = 0;
  const edited = edits.block(block);
  for (const [offset, input] of decodeBlock(block.cells))
    if (isFormula(input) && edited.set(offset, followSteps(input, sheet, steps))) rewritten++;
  return rewritten;
}

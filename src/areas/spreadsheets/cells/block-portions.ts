import type { ReadTransaction } from '../../../storage/database.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import type { BlockKey } from './block.ts';
import { findBlocks, type ListedBlock, type SheetKey, type StoredBlock, wholeBlock } from './block-store.ts';

/** Blocks that are asked for at a time; those of them that are large are read one by one. */
const BLOCKS_AT_ONCE = 32;

/** Lists blocks after one, in the order of their keys, at most so many. */
type List = (after: BlockKey | undefined, limit: number) => Promise<readonly ListedBlock[]>;

/** The blocks of a list in portions of few bytes, with a turn for others in between. */
export async function* listedPortions(
  tx: ReadTransaction,
  key: SheetKey,
  list: List,
): AsyncGenerator<readonly StoredBlock[]> {
  for (let after: BlockKey | undefined; ; ) {
    const listed = await list(after, BLOCKS_AT_ONCE);
    for await (const portion of portionsOf(tx, key, listed)) {
      await giveWay();
      yield portion;
      await giveWay();
    }
    after = listed.at(-1);
    if (listed.length < BLOCKS_AT_ONCE) return;
  }
}

/** Some of what was wanted, and of it the blocks that hold something. */
export interface FoundPortion<T extends BlockKey> {
  readonly wanted: readonly T[];
  readonly blocks: readonly StoredBlock[];
}

/** Blocks by their keys in portions of few bytes, in any order, with a turn for others in between. */
export async function* foundPortions<T extends BlockKey>(
  tx: ReadTransaction,
  key: SheetKey,
  wanted: readonly T[],
): AsyncGenerator<FoundPortion<T>> {
  for (let i = 0; i < wanted.length; i += BLOCKS_AT_ONCE) {
    const some = wanted.slice(i, i + BLOCKS_AT_ONCE);
    const found = await findBlocks(tx, key, some);
    const large = new Map(found.filter(isLarge).map((block) => [nameOf(block), block]));
    const small = large.size === 0 ? some : some.filter((one) => !large.has(nameOf(one)));
    if (small.length > 0) yield { wanted: small, blocks: found.filter(isSmall) };
    for (const one of some) {
      const block = large.get(nameOf(one));
      if (!block) continue;
      await giveWay();
      const blocks = [await wholeBlock(tx, key, block)];
      await giveWay();
      yield { wanted: [one], blocks };
    }
    await giveWay();
  }
}

/** Listed blocks in their order: neighbours that are small together, a large one alone. */
async function* portionsOf(
  tx: ReadTransaction,
  key: SheetKey,
  listed: readonly ListedBlock[],
): AsyncGenerator<readonly StoredBlock[]> {
  let small: StoredBlock[] = [];
  for (const block of listed) {
    if (isSmall(block)) {
      small.push(block);
      continue;
    }
    if (small.length > 0) yield small;
    small = [];
    yield [await wholeBlock(tx, key, block)];
  }
  if (small.length > 0) yield small;
}

function isSmall(block: ListedBlock): block is StoredBlock {
  return block.cells !== null;
}

function isLarge(block: ListedBlock): boolean {
  return block.cells === null;
}

function nameOf({ rowBlock, columnBlock }: BlockKey): string {
  return `${rowBlock},${columnBlock}`;
}

import { giveWay } from './next-turn.ts';

/** What is made of every row, in order; others have their turn in between. */
export async function gatheredInTurns<Row, Item>(
  portions: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  item: (row: Row) => Item,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const rows of portions) {
    for (const row of rows) items.push(item(row));
    await giveWay();
  }
  return items;
}

/** The same of items that are in memory. */
export function mappedInTurns<T, Item>(items: readonly T[], item: (given: T) => Item): Promise<Item[]> {
  return gatheredInTurns(runsOf(items, ITEMS_A_RUN), item);
}

/** What is made of items between two looks at the clock. */
const ITEMS_A_RUN = 500;

/** The items in runs of so many, the last one of those that are left. */
export function* runsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}

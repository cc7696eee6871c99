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

/** What is sorted, or merged, in one piece: some milliseconds. */
const AT_ONCE = 4_096;

/** The items in order, those that are equal in the order in which they were given; others have their turn in between. */
export async function sortedInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<readonly T[]> {
  let runs: T[][] = [];
  for (let i = 0; i < items.length; i += AT_ONCE) {
    runs.push(items.slice(i, i + AT_ONCE).sort(compare));
    await giveWay();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      merged.push(await mergedInTurns(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedInTurns<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < first.length && j < second.length) {
    const [a, b] = [first[i] as T, second[j] as T];
    const isFirst = compare(a, b) <= 0;
    merged.push(isFirst ? a : b);
    if (isFirst) i++;
    else j++;
    if (merged.length % AT_ONCE === 0) await giveWay();
  }
  return merged.concat(first.slice(i), second.slice(j));
}

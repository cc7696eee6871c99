import { giveWay } from './next-turn.ts';

/** Maps every row, in order. It yields to the event loop between portions. */
export async function gatherInTurns<Row, Item>(
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

/** The same for items in memory. */
export function mapInTurns<T, Item>(items: readonly T[], item: (given: T) => Item): Promise<Item[]> {
  return gatherInTurns(runsOf(items, ITEMS_A_RUN), item);
}

/** Items that are mapped between two checks of the clock. */
const ITEMS_A_RUN = 500;

/** Splits items into runs of `size`; the last one may be shorter. */
export function* runsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}

/** Items that are sorted, or merged, without yielding: some milliseconds. */
const AT_ONCE = 4_096;

/** Sorts items; the sort is stable. It yields to the event loop in between. */
export async function sortInTurns<T>(
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
      merged.push(await mergeInTurns(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeInTurns<T>(
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

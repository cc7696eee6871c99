/**
 * Counts the work of a formula in steps. Throws when the work exceeds its limit, or when others wait. With 0 steps
 * it only checks the clock, within work that was counted in advance.
 */
export type Spend = (steps: number) => void;

/** So many values cost more than one clock check. */
const VALUES_PER_CHECK = 512;

/**
 * Returns a function to call for each value of long work; it checks the clock at intervals.
 * @param every the number of values between checks, fewer when each value may be expensive
 */
export function clockTicker(spend: Spend, every = VALUES_PER_CHECK): () => void {
  let values = 0;
  return () => {
    if (++values < every) return;
    values = 0;
    spend(0);
  };
}

/** Like Array.map, with clock checks at intervals. */
export function mapWithTicks<Item, Made>(
  items: readonly Item[],
  make: (item: Item, at: number) => Made,
  spend: Spend,
): Made[] {
  const made: Made[] = [];
  const tick = clockTicker(spend);
  for (let at = 0; at < items.length; at++) {
    made.push(make(items[at] as Item, at));
    tick();
  }
  return made;
}

/** Like Array.reduce, with clock checks at intervals. */
export function foldWithTicks<Item, Made>(
  items: readonly Item[],
  first: Made,
  join: (made: Made, item: Item) => Made,
  spend: Spend,
): Made {
  const tick = clockTicker(spend);
  let made = first;
  for (const item of items) {
    tick();
    made = join(made, item);
  }
  return made;
}

/** Like Array.filter, with clock checks at intervals. */
export function filterWithTicks<Item>(
  items: readonly Item[],
  holds: (item: Item) => boolean,
  spend: Spend,
): Item[] {
  const tick = clockTicker(spend);
  return items.filter((item) => {
    tick();
    return holds(item);
  });
}

/**
 * Counts the work of a formula; throws when there is too much of it, or others wait. Of no steps it looks at the clock: in
 * the middle of work that was counted before it began.
 */
export type Spend = (steps: number) => void;

/** So many values cost more than to look at the clock. */
const VALUES_A_LOOK = 512;

/**
 * What is to be called for each value of a long work, and looks at the clock now and then.
 * @param every after so many values, fewer where each of them may cost much
 */
export function lookingUp(spend: Spend, every = VALUES_A_LOOK): () => void {
  let values = 0;
  return () => {
    if (++values < every) return;
    values = 0;
    spend(0);
  };
}

/** As `map` of an array, and looks at the clock now and then. */
export function mapLooking<Item, Made>(
  items: readonly Item[],
  make: (item: Item, at: number) => Made,
  spend: Spend,
): Made[] {
  const made: Made[] = [];
  const look = lookingUp(spend);
  for (let at = 0; at < items.length; at++) {
    made.push(make(items[at] as Item, at));
    look();
  }
  return made;
}

/** As `reduce` of an array, and looks at the clock now and then. */
export function foldLooking<Item, Made>(
  items: readonly Item[],
  first: Made,
  join: (made: Made, item: Item) => Made,
  spend: Spend,
): Made {
  const look = lookingUp(spend);
  let made = first;
  for (const item of items) {
    look();
    made = join(made, item);
  }
  return made;
}

/** The items for which something holds, as `filter` of an array, and looks at the clock now and then. */
export function filterLooking<Item>(
  items: readonly Item[],
  holds: (item: Item) => boolean,
  spend: Spend,
): Item[] {
  const look = lookingUp(spend);
  return items.filter((item) => {
    look();
    return holds(item);
  });
}

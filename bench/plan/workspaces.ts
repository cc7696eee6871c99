/** How many workspaces of a size there are. */
export interface SizeClass {
  /** People. */
  readonly size: number;
  readonly count: number;
}

/** The law that sizes follow: workspaces of n people are as frequent as n to the power of minus `exponent`. */
export interface PowerLaw {
  readonly exponent: number;
  readonly largest: number;
}

/**
 * The workspaces of so many mailboxes, largest first; together they have all of them. They are spread evenly over the law, not
 * drawn: the largest are as large as such an installation has them in the mean, and twice the mailboxes have no smaller ones.
 */
export function workspacesOf(mailboxes: number, { exponent, largest }: PowerLaw): SizeClass[] {
  const most = Math.min(Math.floor(largest), mailboxes);
  let weights = 0;
  let people = 0;
  for (let size = 1; size <= most; size++) {
    weights += size ** -exponent;
    people += size ** (1 - exponent);
  }
  const workspaces = (mailboxes * weights) / people;
  const classes: SizeClass[] = [];
  let due = 0;
  let left = mailboxes;
  for (let size = most; size > 1; size--) {
    due += (workspaces * size ** -exponent) / weights;
    const count = Math.min(Math.floor(due), Math.floor(left / size));
    if (count === 0) continue;
    due -= count;
    left -= count * size;
    classes.push({ size, count });
  }
  if (left > 0) classes.push({ size: 1, count: left });
  return classes;
}

/** How many workspaces, and how many people. */
export function totalOf(classes: readonly SizeClass[]): { workspaces: number; people: number } {
  let [workspaces, people] = [0, 0];
  for (const { size, count } of classes) {
    workspaces += count;
    people += size * count;
  }
  return { workspaces, people };
}

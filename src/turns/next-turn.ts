/** So much work of all together has one turn of the event loop. */
const LONGEST_TURN_MS = 10;

/** When those who are let into the present turn have had their time; undefined where none has been let in yet. */
let endsAt: number | undefined;

/**
 * Resolves in a later turn of the event loop. All who wait come in the order in which they asked, as many into one turn
 * as have time in it: Node alone would let all of them in at once, so that ten who each stop in time hold up the others
 * ten times as long.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(enter, resolve));
}

function enter(resolve: () => void): void {
  const now = performance.now();
  if (endsAt === undefined) {
    endsAt = now + LONGEST_TURN_MS;
    // The first of the next turn: what is asked for within a turn stands in line in that order.
    setImmediate(leave);
  }
  if (now < endsAt) resolve();
  else setImmediate(enter, resolve);
}

function leave(): void {
  endsAt = undefined;
}

/** So much work of all together has one turn of the event loop. */
const LONGEST_TURN_MS = 10;

/** Those who wait, the first one first. */
const waiting: (() => void)[] = [];
/** When the time of the present turn is over; undefined where nobody has been let into it yet. */
let endsAt: number | undefined;

/**
 * Resolves in a later turn of the event loop. All who wait come in the order in which they asked, as many into one turn
 * as have time in it: Node alone would let all of them in at once, so that ten who each stop in time hold up the others
 * ten times as long.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(letIn);
  });
}

/** Called once for each who waits; where there is no time left, again in the next turn. */
function letIn(): void {
  const now = performance.now();
  if (endsAt === undefined) {
    endsAt = now + LONGEST_TURN_MS;
    setImmediate(endTurn);
  }
  if (now < endsAt) waiting.shift()?.();
  else setImmediate(letIn);
}

/** Asked for by the first of a turn, so it is called before anybody is let into the next one. */
function endTurn(): void {
  endsAt = undefined;
}

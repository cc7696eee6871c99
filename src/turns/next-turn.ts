import { forWhom, isAwaitedByAll } from './for-whom.ts';
import { ShortTurns } from './short-turns.ts';
import { SHORT_HALF_LIFE_MS, Usage } from './usage.ts';

/** So much work of all together has one turn of the event loop. */
const LONGEST_TURN_MS = 10;

interface Waiting {
  readonly whom: string;
  readonly letIn: () => void;
}

/** How much time each had of late in turns for which others waited. */
const usage = new Usage(SHORT_HALF_LIFE_MS);
/** Those who wait: who has had the least time goes first, and of one user who asked first. */
const waiting = new ShortTurns<Waiting>(usage);
/** Those for whom all others may have to wait. */
const ahead: Waiting[] = [];
/** Whether the last to be let in was one of those. */
let wasAhead = false;
/** When the time of the present turn is over; undefined where nobody has asked in it yet. */
let endsAt: number | undefined;
/** Who was let in last, when, and into which turn, told by its end. */
let last: { whom: string; startedAt: number; endsAt: number | undefined } | undefined;

/**
 * Whether all that has run in the present turn of the event loop, of whomever, has had its time. It is counted from the
 * first question in a turn: works that each stop in time, many in one turn, would together hold up all others.
 */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (endsAt === undefined) {
    endsAt = now + LONGEST_TURN_MS;
    setImmediate(endTurn);
  }
  return now >= endsAt;
}

/** To be awaited between one piece of long work and the next: where the turn is over, others have theirs. */
export function giveWay(): Promise<void> | undefined {
  return isTurnOver() ? nextTurn() : undefined;
}

/**
 * Resolves in a later turn of the event loop. Who has had the least time of late comes first, and as many come into one turn
 * as have time in it: Node alone would let all of them in at once, so that ten who each stop in time hold up the others ten
 * times as long.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const whom = forWhom();
    if (isAwaitedByAll()) ahead.push({ whom, letIn: resolve });
    else waiting.add(whom, { whom, letIn: resolve });
    setImmediate(letIn);
  });
}

/** Called once for each who waits; where there is no time left, again in the next turn. */
function letIn(): void {
  const isOver = isTurnOver();
  countTimeOfLast();
  const next = isOver ? undefined : nextOne();
  if (next) {
    last = { whom: next.whom, startedAt: performance.now(), endsAt };
    next.letIn();
  } else if (isOver) {
    setImmediate(letIn);
  }
}

/** What was let in runs until the next one is: in the same turn nothing else runs in between. */
function countTimeOfLast(): void {
  if (last && last.endsAt === endsAt) usage.add(last.whom, performance.now() - last.startedAt);
  last = undefined;
}

/** Who holds what all may need comes every other time: they would wait longer if it waited, and some need nothing of it. */
function nextOne(): Waiting | undefined {
  const isAhead = ahead.length > 0 && !(wasAhead && waiting.size > 0);
  wasAhead = isAhead;
  return isAhead ? ahead.shift() : waiting.take();
}

/** Asked for by the first of a turn, so it is called before anybody is let into the next one. */
function endTurn(): void {
  endsAt = undefined;
}

import { forWhom, isAwaitedByAll } from './for-whom.ts';
import { ShortTurns } from './short-turns.ts';
import { Usage } from './usage.ts';

/** So much work of all together has one turn of the event loop. */
const LONGEST_TURN_MS = 10;

type LetIn = () => void;

/** Those who wait: users come in turn, and of one user who asked first. */
const waiting = new ShortTurns<LetIn>(new Usage());
/** Those for whom all others may have to wait. */
const ahead: LetIn[] = [];
/** Whether the last to be let in was one of those. */
let wasAhead = false;
/** When the time of the present turn is over; undefined where nobody has asked in it yet. */
let endsAt: number | undefined;

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
 * Resolves in a later turn of the event loop. Users come in turn. As many who wait come into one turn as have time in it: Node alone would let
 * all of them in at once, so that ten who each stop in time hold up the others ten times as long.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (isAwaitedByAll()) ahead.push(resolve);
    else waiting.add(forWhom(), resolve);
    setImmediate(letIn);
  });
}

/** Called once for each who waits; where there is no time left, again in the next turn. */
function letIn(): void {
  if (isTurnOver()) setImmediate(letIn);
  else next()?.();
}

/** Who holds what all may need comes every other time: they would wait longer if it waited, and some need nothing of it. */
function next(): LetIn | undefined {
  const isAhead = ahead.length > 0 && !(wasAhead && waiting.size > 0);
  wasAhead = isAhead;
  return isAhead ? ahead.shift() : waiting.take();
}

/** Asked for by the first of a turn, so it is called before anybody is let into the next one. */
function endTurn(): void {
  endsAt = undefined;
}

import { currentUser, isBlockingOthers } from './current-user.ts';
import { ShortTurns } from './short-turns.ts';
import { SHORT_HALF_LIFE_MS, Usage } from './usage.ts';

/** Time for all work in one turn of the event loop. */
const LONGEST_TURN_MS = 10;

interface Waiting {
  readonly user: string;
  readonly letIn: () => void;
}

/** The recent time of each user in turns for which others waited. */
const usage = new Usage(SHORT_HALF_LIFE_MS);
/** Waiting work: the user with the least time goes first, in order of request for each user. */
const waiting = new ShortTurns<Waiting>(usage);
/** Waiting work that blocks all others. */
const ahead: Waiting[] = [];
/** Whether the last work let in was from `ahead`. */
let wasAhead = false;
/** End of the present turn; undefined if nobody has asked in it yet. */
let endsAt: number | undefined;
/** The user, start time and turn (identified by its end) of the last work let in. */
let last: { user: string; startedAt: number; endsAt: number | undefined } | undefined;

/**
 * Whether the present turn of the event loop has used up its time, for whatever users. The time starts with the first
 * call in a turn: many pieces of work that each stop in time would together block all others.
 */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (endsAt === undefined) {
    endsAt = now + LONGEST_TURN_MS;
    setImmediate(endTurn);
  }
  return now >= endsAt;
}

/** To be awaited between two pieces of long work. If the turn is over, it continues in a later turn. */
export function giveWay(): Promise<void> | undefined {
  return isTurnOver() ? nextTurn() : undefined;
}

/**
 * Resolves in a later turn of the event loop. The user with the least recent time goes first, and a turn lets in only
 * as much work as it has time for. Node.js alone would let in all waiting work at once: ten users who each stop in time
 * would block the others ten times as long.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const user = currentUser();
    if (isBlockingOthers()) ahead.push({ user, letIn: resolve });
    else waiting.add(user, { user, letIn: resolve });
    setImmediate(letIn);
  });
}

/** Called once for each waiting piece of work; called again in the next turn if no time is left. */
function letIn(): void {
  const isOver = isTurnOver();
  countTimeOfLast();
  const next = isOver ? undefined : nextOne();
  if (next) {
    last = { user: next.user, startedAt: performance.now(), endsAt };
    next.letIn();
  } else if (isOver) {
    setImmediate(letIn);
  }
}

/** The time of the last work ends when the next one is let in: within a turn nothing else runs in between. */
function countTimeOfLast(): void {
  if (last && last.endsAt === endsAt) usage.add(last.user, performance.now() - last.startedAt);
  last = undefined;
}

/**
 * Blocking work takes every second chance: if it waited, all others would wait longer; but some of the others do not
 * need what it holds.
 */
function nextOne(): Waiting | undefined {
  const isAhead = ahead.length > 0 && !(wasAhead && waiting.size > 0);
  wasAhead = isAhead;
  return isAhead ? ahead.shift() : waiting.take();
}

/** Requested by the first call in a turn, so it runs before anything is let into the next turn. */
function endTurn(): void {
  endsAt = undefined;
}

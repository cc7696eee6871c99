import type { Problem } from '../../../contract/operation.ts';
import { invalid } from '../../../contract/validation.ts';
import { Steps } from '../../../formats/recurrence/periods.ts';
import { InvalidRule } from '../../../formats/recurrence/rule.ts';
import type { Database, ReadTransaction } from '../../../storage/database.ts';
import { FairGate } from '../../../turns/fair-gate.ts';
import { giveWay } from '../../../turns/next-turn.ts';
import { type EventDefinition, meetingsOf } from '../events/definition.ts';
import { canBeShown } from '../events/event-record.ts';
import type { Interval } from '../recurrence/intervals.ts';
import { type Occurrence, occurrences } from '../recurrence/occurrences.ts';
import { MAX_WINDOW_MS } from './availability-schema.ts';

/** The window that a request names by two times of RFC 3339, in milliseconds since the epoch. */
export function windowOf({ start, end }: { start: string; end: string }): Interval {
  return { start: Date.parse(start), end: Date.parse(end) };
}

type Place = (name: 'start' | 'end') => { pointer: string } | { parameter: string };

/** What the schema cannot say of a window: "366 days, end after start". */
export function windowProblems(
  { start, end }: { start?: string | undefined; end?: string | undefined },
  place: Place,
): Problem[] {
  const missing = (['start', 'end'] as const).filter((name) =>
    Number.isNaN(Date.parse({ start, end }[name] ?? '1970')),
  );
  if (missing.length > 0) {
    const message = 'Must be a time that exists.';
    return missing.map((name) => ({ ...place(name), code: 'wrong_format', message }));
  }
  const beyond = (['start', 'end'] as const).filter(
    (name) => !canBeShown(Date.parse({ start, end }[name] ?? '1970')),
  );
  if (beyond.length > 0) {
    const message = 'Must be within the years 0 to 9999 in UTC.';
    return beyond.map((name) => ({ ...place(name), code: 'not_allowed', message }));
  }
  if (start === undefined || end === undefined) return [];
  const length = Date.parse(end) - Date.parse(start);
  if (length <= 0) return [{ ...place('end'), code: 'not_allowed', message: 'Must be after start.' }];
  if (length <= MAX_WINDOW_MS) return [];
  return [{ ...place('end'), code: 'too_large', message: 'Must be at most 366 days after start.' }];
}

/** To read an event and its clock, beside what it names. */
const EVENT_STEPS = 100;
/**
 * Times that are told are kept, sorted and written, which takes longer than to look at one. 200 people who meet others
 * eight times each day of the week for a year have 420,000 of them.
 */
const TOLD_STEPS = 24;
/** So many cost less than to look at the clock often. */
const OCCURRENCES_A_LOOK = 50;

/** Says what becomes of a work that would take more steps than it may. */
type Beyond = () => Error;

/** What to say of a question whose window reaches as far as its member or parameter `end` says. */
export function windowTooLarge(end: { pointer: '/end' } | { parameter: 'end' }): Problem {
  const message = 'Events take place too often in this window to be worked out; ask for a shorter one.';
  return { ...end, code: 'too_large', message };
}

/**
 * The work on when events take place within a window: in turns, and refused where they recur so often that it would take
 * minutes. An answer that leaves some of them out would call somebody free who is not.
 */
export class WindowWork {
  readonly #steps: Steps;
  readonly #beyond: Beyond;

  /** `beyond`: what to throw where it would take more than `most` steps. */
  constructor(beyond: Beyond, most: number) {
    this.#steps = new Steps(most);
    this.#beyond = beyond;
  }

  /** Hands over each time that an event takes place in a window. Rejects where that takes too many steps. */
  async eachOccurrence(
    definition: EventDefinition,
    timeZone: string,
    window: Interval,
    take: (occurrence: Occurrence) => void,
  ): Promise<void> {
    this.#spend(EVENT_STEPS + listedIn(definition));
    let taken = 0;
    try {
      for (const occurrence of occurrences(definition, timeZone, window, this.#steps)) {
        take(occurrence);
        if (++taken % OCCURRENCES_A_LOOK === 0) await giveWay();
      }
    } catch (error) {
      throw this.#refusalFor(error);
    }
    await giveWay();
  }

  /** Counts times that an answer is made of. Throws where they are too many. */
  tell(count: number): void {
    this.#spend(count * TOLD_STEPS);
  }

  #spend(steps: number): void {
    try {
      this.#steps.take(steps);
    } catch (error) {
      throw this.#refusalFor(error);
    }
  }

  #refusalFor(error: unknown): unknown {
    return error instanceof InvalidRule ? this.#beyond() : error;
  }
}

/** How many are listed by all that an event defines: each is read again for whomever it is asked about. */
function listedIn(definition: EventDefinition): number {
  return meetingsOf(definition).reduce((sum, { attendees }) => sum + attendees.length, 0);
}

/** Times of which an answer is made at once: a megabyte of text. Others take their turn, and are sent in pieces. */
export const MOST_TIMES_AT_ONCE = 14_000;
const SHORT_STEPS = MOST_TIMES_AT_ONCE * TOLD_STEPS;
/**
 * What one question may look at: some seconds of a processor, or half a million times that are told. 200 series that
 * recur each hour take less than half of it over a year, and many people's usual calendars far less.
 */
const MOST_STEPS = 12_000_000;

/** Long questions hold what they have found in memory, some hundred bytes each time. */
const LONG = { each: 1, all: 2 };
/** Others need connections of the database too. */
const SHORT = { each: 4, all: Number.POSITIVE_INFINITY };
/** Questions that may wait; they hold nothing meanwhile. */
const WAITING = { each: 1_000, all: 10_000 };

class TakesLong extends Error {}

/** A question about a window of time. */
interface WindowQuestion<Found, Answer> {
  /** Reads what the answer is made of; rejects as `work` does where that takes too long. */
  read: (tx: ReadTransaction, work: WindowWork) => Promise<Found>;
  /** Makes the answer, when the transaction has ended. */
  answer: (found: Found) => Answer | Promise<Answer>;
  /** What to say where it takes too long. */
  problem: Problem;
}

/**
 * Answers questions that may be short or take seconds, which nobody can tell before. All begin as short ones; what turns
 * out to be long begins anew in its turn, so that of one user's long questions one is in memory and in a transaction.
 */
export class WindowQuestions {
  readonly #database: Database;
  readonly #short = new FairGate(SHORT, WAITING);
  readonly #long = new FairGate(LONG, WAITING);

  constructor(database: Database) {
    this.#database = database;
  }

  /** Rejects with ApiError validation_failed where it takes too long, with TooManyWaiting, and as the question does. */
  async answer<Found, Answer>(question: WindowQuestion<Found, Answer>): Promise<Answer> {
    try {
      const short = () => new WindowWork(() => new TakesLong(), SHORT_STEPS);
      return await this.#short.pass(() => this.#answer(question, short()));
    } catch (error) {
      if (!(error instanceof TakesLong)) throw error;
    }
    const long = () => new WindowWork(() => invalid([question.problem]), MOST_STEPS);
    return this.#long.pass(() => this.#answer(question, long()));
  }

  async #answer<Found, Answer>(
    { read, answer }: WindowQuestion<Found, Answer>,
    work: WindowWork,
  ): Promise<Answer> {
    return answer(await this.#database.read((tx) => read(tx, work)));
  }
}

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

/** The window of a request with two RFC 3339 times, in milliseconds since the epoch. */
export function windowOf({ start, end }: { start: string; end: string }): Interval {
  return { start: Date.parse(start), end: Date.parse(end) };
}

type ProblemLocationOf = (name: 'start' | 'end') => { pointer: string } | { parameter: string };

/** Rules for a window that its schema cannot express: "366 days, end after start". */
export function windowProblems(
  { start, end }: { start?: string | undefined; end?: string | undefined },
  locationOf: ProblemLocationOf,
): Problem[] {
  const missing = (['start', 'end'] as const).filter((name) =>
    Number.isNaN(Date.parse({ start, end }[name] ?? '1970')),
  );
  if (missing.length > 0) {
    const message = 'Give a time that exists.';
    return missing.map((name) => ({ ...locationOf(name), code: 'wrong_format', message }));
  }
  const beyond = (['start', 'end'] as const).filter(
    (name) => !canBeShown(Date.parse({ start, end }[name] ?? '1970')),
  );
  if (beyond.length > 0) {
    const message = 'Give a time within the years 0 to 9999 in UTC.';
    return beyond.map((name) => ({ ...locationOf(name), code: 'not_allowed', message }));
  }
  if (start === undefined || end === undefined) return [];
  const length = Date.parse(end) - Date.parse(start);
  if (length <= 0)
    return [{ ...locationOf('end'), code: 'not_allowed', message: 'Give an end after start.' }];
  if (length <= MAX_WINDOW_MS) return [];
  return [{ ...locationOf('end'), code: 'too_large', message: 'Give an end at most 366 days after start.' }];
}

/** The cost of reading an event and its clock, in addition to its occurrences. */
const EVENT_STEPS = 100;
/**
 * Reported times are cached, sorted and serialized, which takes longer than examining an occurrence. 200 people with
 * eight meetings on each day of a year have 420,000 of them.
 */
const STEPS_PER_REPORTED_TIME = 24;
/** This many occurrences cost less than checking the clock more often. */
const OCCURRENCES_PER_CLOCK_CHECK = 50;

/** Makes the error for work that exceeds its steps. */
type LimitError = () => Error;

/** The problem of a window in which events occur too often. `end` locates its end in the request. */
export function windowTooLarge(end: { pointer: '/end' } | { parameter: 'end' }): Problem {
  const message = 'Events take place too often in this window to be worked out; ask for a shorter one.';
  return { ...end, code: 'too_large', message };
}

/**
 * Computes when events take place within a window. It yields to the event loop, and refuses events that recur so often
 * that it would take minutes. A partial result would report a busy person as free.
 */
export class WindowWork {
  readonly #steps: Steps;
  readonly #limitError: LimitError;

  /** `limitError` makes the error to throw after more than `most` steps. */
  constructor(limitError: LimitError, most: number) {
    this.#steps = new Steps(most);
    this.#limitError = limitError;
  }

  /** Calls `take` for each occurrence of an event in a window. Rejects if that takes too many steps. */
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
        if (++taken % OCCURRENCES_PER_CLOCK_CHECK === 0) await giveWay();
      }
    } catch (error) {
      throw this.#refusalFor(error);
    }
    await giveWay();
  }

  /** Whether an occurrence of an event in a window is one that `isSought`. Rejects if that takes too many steps. */
  async hasOccurrence(
    definition: EventDefinition,
    timeZone: string,
    window: Interval,
    isSought: (occurrence: Occurrence) => boolean,
  ): Promise<boolean> {
    this.#spend(EVENT_STEPS + listedIn(definition));
    let passed = 0;
    try {
      for (const occurrence of occurrences(definition, timeZone, window, this.#steps)) {
        if (isSought(occurrence)) return true;
        if (++passed % OCCURRENCES_PER_CLOCK_CHECK === 0) await giveWay();
      }
    } catch (error) {
      throw this.#refusalFor(error);
    }
    await giveWay();
    return false;
  }

  /** Counts reported times. Throws if there are too many. */
  countReported(count: number): void {
    this.#spend(count * STEPS_PER_REPORTED_TIME);
  }

  #spend(steps: number): void {
    try {
      this.#steps.take(steps);
    } catch (error) {
      throw this.#refusalFor(error);
    }
  }

  #refusalFor(error: unknown): unknown {
    return error instanceof InvalidRule ? this.#limitError() : error;
  }
}

/** Number of attendees in all meetings of an event: they are read again for each participant of a question. */
function listedIn(definition: EventDefinition): number {
  return meetingsOf(definition).reduce((sum, { attendees }) => sum + attendees.length, 0);
}

/**
 * The most times of an answer that is built at once: a megabyte of text. Longer answers count as long questions and are
 * sent in chunks.
 */
export const MOST_TIMES_AT_ONCE = 14_000;
const SHORT_STEPS = MOST_TIMES_AT_ONCE * STEPS_PER_REPORTED_TIME;
/**
 * Maximum work for one question: some seconds of CPU time, or half a million reported times. A year of 200 series that
 * recur each hour takes less than half of it; usual calendars take far less.
 */
const MOST_STEPS = 12_000_000;

/** Long questions keep their results in memory, some hundred bytes for each time. */
const LONG = { each: 1, all: 2 };
/** Limited per user, because other requests need database connections too. */
const SHORT = { each: 4, all: Number.POSITIVE_INFINITY };
/** Limits for waiting questions; they hold no resources. */
const WAITING = { each: 1_000, all: 10_000 };

class TakesLong extends Error {}

/** A question about a window of time. */
interface WindowQuestion<Found, Answer> {
  /** Reads the data for the answer; rejects with the error of `work` if that takes too long. */
  read: (tx: ReadTransaction, work: WindowWork) => Promise<Found>;
  /** Builds the answer, after the transaction has ended. */
  answer: (found: Found) => Answer | Promise<Answer>;
  /** The problem to report if it takes too long. */
  problem: Problem;
}

/**
 * Answers questions that may be short or take seconds; that is not known in advance. All start as short ones. A
 * question that exceeds the limit starts again as a long one, so that only one long question of a user is in memory and
 * in a transaction.
 */
export class WindowQuestions {
  readonly #database: Database;
  readonly #short = new FairGate(SHORT, WAITING);
  readonly #long = new FairGate(LONG, WAITING);

  constructor(database: Database) {
    this.#database = database;
  }

  /** Rejects with ApiError validation_failed if it takes too long, with TooManyWaiting, and with the errors of the question. */
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

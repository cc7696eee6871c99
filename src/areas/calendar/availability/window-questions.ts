import type { Problem } from '../../../contract/operation.ts';
import { invalid } from '../../../contract/validation.ts';
import type { Database, ReadTransaction } from '../../../storage/database.ts';
import { FairGate } from '../../../turns/fair-gate.ts';
import { TOLD_STEPS, WindowWork } from './window-work.ts';

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
